import Foundation
import Postgres
import SaunterCore
import SaunterEvaluation

/// Measures the export of a study of 40 items: rows per second, disk, memory, and the dataset of one day while the
/// study grows. The reference in the same run is PostgreSQL's COPY of plain tables with the same values.
///
/// Needs a release build: `saunter-bench-export [sheets] [rounds] [people]`. The export computes digests and writes
/// files, while the text of COPY is only counted. The temporary PostgreSQL has default settings, but without
/// durability.
@main
struct ExportBenchmark {
    private static let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    private static let most = arguments.first ?? 1_000_000
    private static let roundCount = arguments.count > 1 ? arguments[1] : 3
    private static let people = arguments.count > 2 ? arguments[2] : 2000
    /// Long tables have 40 rows per sheet. Above this number of sheets only our export is measured.
    private static let mostForLong = 100_000
    private static let clock = ContinuousClock()

    static func main() async throws {
        var study = try await MadeStudy(people: people)
        let pools = (try study.pool(isAlone: false), try study.pool(isAlone: true))
        let writer = DatasetWriter(pool: pools.0)
        let lone = DatasetWriter(pool: pools.1)
        print("\(people) participants, one sheet of 40 items a day; medians of \(roundCount) rounds")
        for size in [10_000, 100_000, 1_000_000, 10_000_000] where size <= most {
            try await study.grow(to: size)
            let rows = study.days * people
            try await study.run("drop_plain")
            try await study.run("make_plain")
            let hasLong = rows <= mostForLong
            if hasLong { try await study.run("make_plain_long") }
            try await study.owner.execute(script: "vacuum analyze")
            print("\(rows) sheets")
            var (plain, wide, alone, reasons) = (Rounds(), Rounds(), Rounds(), Rounds())
            var (long, answers, day) = (Rounds(), Rounds(), Rounds())
            for _ in 0..<roundCount {
                plain.add(try await measurePlain(study, "plain"))
                if hasLong { long.add(try await measurePlain(study, "plain_long")) }
                let measured = try await writer.read(study: MadeStudy.code) { tables in
                    [
                        try await measureTable(tables, "wide_forty"),
                        try await measureTable(tables, "wide_forty_missing"),
                        try await measureTable(tables, "answers"),
                    ]
                }
                alone.add(
                    try await lone.read(study: MadeStudy.code) { tables in
                        try await measureTable(tables, "wide_forty")
                    })
                wide.add(measured[0])
                reasons.add(measured[1])
                answers.add(measured[2])
                day.add(try await measureDay(writer, LocalDate(days: MadeStudy.firstDay + study.days / 2)))
            }
            line("COPY of the plain table", plain, rows: rows)
            line("wide_forty.csv", wide, rows: rows, reference: plain)
            line("wide_forty.csv, one server process", alone, rows: rows, reference: plain)
            line("wide_forty_missing.csv", reasons, rows: rows, reference: plain)
            if hasLong { line("COPY of the plain long table", long, rows: rows * 40) }
            line("answers.csv", answers, rows: rows * 40, reference: hasLong ? long : nil)
            line("whole dataset of one day", day, rows: people)
            let sizes = try await study.run("sizes").one()
            let (table, stored, indexes) = (
                try sizes.get("plain", as: Int.self), try sizes.get("stored", as: Int.self),
                try sizes.get("indexes", as: Int.self)
            )
            print(
                "  disk: plain table \(table >> 20) MiB, stored sheets \(stored >> 20) MiB "
                    + "(\(String(format: "%.2f", Double(stored) / Double(table)))), their indexes \(indexes >> 20) MiB; "
                    + "resident at most \(residentAtMost()) MiB so far")
        }
        await pools.0.close()
        await pools.1.close()
        try await study.close()
    }

    private static func line(_ what: String, _ rounds: Rounds, rows: Int, reference: Rounds? = nil) {
        let rate = Int(Double(rows) / rounds.median)
        let ratio = reference.map { String(format: ", %.2f of COPY", $0.median / rounds.median) } ?? ""
        print("  \(what): \(String(format: "%.2f", rounds.median)) s, \(rate) rows/s\(ratio)")
    }

    private static func measurePlain(_ study: MadeStudy, _ table: String) async throws -> Duration {
        var bytes = 0
        return try await clock.measure {
            try await study.owner.copyOut("copy \(table) to stdout (format csv, header)") {
                bytes += $0.count
            }
        }
    }

    private static func measureTable(_ tables: DatasetTableReader, _ name: String) async throws -> Duration {
        var sink = try Sink()
        let start = clock.now
        try await tables.copy(name) { try sink.write($0) }
        let duration = clock.now - start
        try sink.close()
        return duration
    }

    private static func measureDay(_ writer: DatasetWriter, _ day: LocalDate) async throws -> Duration {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "saunter-bench-\(UUID().uuidString)"
        )
        .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await clock.measure {
            _ = try await writer.write(
                DatasetRequest(study: MadeStudy.code, filters: DatasetFilters(from: day, to: day)), to: folder
            )
        }
    }
}
