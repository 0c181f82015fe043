import SaunterCore
import SaunterPacks
import SaunterStatistics
import SaunterTesting
import Testing

@testable import SaunterEvaluation

@Suite struct SheetOrderTests {
    @Test(arguments: UInt64(1)...30)
    func `a report has the figures of the order of completion for any order of the rows`(seed: UInt64) throws
    {
        let table = RandomSheetTable(seed: seed)
        let reader = try Self.pss()
        var generator = SeededGenerator(seed ^ 0xABCD)
        let expected = try Figures(table)
        #expect(expected.higher + expected.lower > 0)
        var files: Set<[UInt8]> = []

        for _ in 0..<3 {
            let report = try reader.report(CSVReader(table.shuffled(&generator).text))

            let instrument = try #require(report.instruments.first)
            let figures = try #require(instrument.scales.first { $0.id == "total" }).figures
            let alpha = try #require(figures.first("alpha", .listwise)?.value.value)
            let sem = try #require(figures.first("sem")?.value.value)
            #expect(abs(alpha - expected.alpha) < 1e-12)
            #expect(abs(sem - expected.sem) < 1e-12)
            #expect(figures.first("reliably_higher")?.value.value == Double(expected.higher))
            #expect(figures.first("reliably_lower")?.value.value == Double(expected.lower))
            files.insert(report.figuresCSV)
        }

        #expect(files.count == 1, "report.csv depends on the order of the rows")
    }

    @Test(arguments: UInt64(1)...30)
    func `a table in which sheets of a participant cannot be sorted is rejected`(seed: UInt64) throws {
        var table = RandomSheetTable(seed: seed)
        let reader = try Self.pss()
        var generator = SeededGenerator(seed ^ 0x1234)
        let several = table.participants.indices.filter { table.participants[$0].count > 1 }
            .shuffled(using: &generator)
        let broken = several.prefix(generator.number(1...5))
        try #require(!broken.isEmpty)
        for index in broken {
            Self.breakOrder(&table.participants[index], &generator)
        }
        let names = Set(broken.map { table.participants[$0][0].participant })

        for _ in 0..<3 {
            let rows = table.shuffled(&generator)

            let fault = try #require(throws: SheetOrderFault.self) {
                try reader.report(CSVReader(rows.text))
            }

            #expect(fault.participantCount == broken.count)
            #expect(fault.reasons.count == min(3, broken.count))
            for reason in fault.reasons {
                // Line 1 is the header.
                let lines = reason.matches(of: /\d+/).compactMap { Int($0.output) }
                let named = Set(lines.map { rows.participants[$0 - 2] })
                #expect(lines.count == 2 && named.count == 1 && named.isSubset(of: names), "\(reason)")
            }
        }
    }

    /// Makes the position of one sheet equal to the position of another one, or removes it, or removes all positions.
    private static func breakOrder(_ sheets: inout [RandomSheetTable.Row], _ generator: inout SeededGenerator)
    {
        let changed = generator.number(0...(sheets.count - 1))
        switch generator.number(0...2) {
        case 0: sheets[changed].order = sheets[(changed + 1) % sheets.count].order
        case 1: sheets[changed].order = ["", "", ""]
        default: for index in sheets.indices { sheets[index].order = ["", "", ""] }
        }
    }

    private static let answers = "0,1,0,4,4,0,4,3,1,0"

    @Test(
        arguments: [
            (
                "study_day", ["P1,3", "P2,1", "P1,3", "P2,2"],
                "1 participant is ambiguous: lines 2 and 4 have the same study_day."
            ),
            (
                "study_day", ["P1,3", "P1,", "P2,2", "P2,2"],
                """
                2 participants is ambiguous: line 3 has no study_day, but line 2 has one; lines 4 and 5 have the same \
                study_day.
                """
            ),
            (
                "submitted_at", ["P1,2026-01-01T01:00:00Z", "P1,2026-01-01T02:00:00+01:00"],
                "1 participant is ambiguous: lines 2 and 3 have the same submitted_at."
            ),
            (
                "submitted_at,study_day", ["P1,2026-01-01T01:00:00Z,1", "P1,,2"],
                "1 participant is ambiguous: line 3 has no submitted_at, but line 2 has one."
            ),
            (
                "study_day,started_at", ["P1,1,2026-01-01T01:00:00Z", "P1,1,2026-01-01T01:00:00Z"],
                "1 participant is ambiguous: lines 2 and 3 have the same study_day and the same started_at."
            ),
            (
                "arm", ["P1,a", "P2,a", "P2,a", "P1,a", "P3,a", "P3,a", "P4,a", "P4,a"],
                """
                4 participants is ambiguous: lines 2 and 5 have no submitted_at, no study_day, no started_at; lines 3 and 4 \
                have no submitted_at, no study_day, no started_at; lines 6 and 7 have no submitted_at, no study_day, no \
                started_at; and 1 more.
                """
            ),
        ])
    func `the message names the columns and the lines`(columns: String, rows: [String], message: String)
        throws
    {
        let text = Self.table(columns, rows)

        let fault = try #require(throws: SheetOrderFault.self) { try Self.pss().report(CSVReader(text)) }

        #expect(
            fault.description == """
                the order of the sheets of \(message) The report sorts the sheets of a participant by submitted_at, then by \
                study_day, then by started_at. Add values that are different for each sheet of a participant
                """)
    }

    @Test(
        arguments: [
            ("arm", ["P1,a", "P2,a", "P3,b"]),
            ("study_day", ["P1,", "P2,3", "P3,3"]),
            // P1 and P2 use different columns.
            (
                "submitted_at,study_day",
                ["P1,2026-01-01T01:00:00Z,", "P2,,4", "P1,2026-01-02T01:00:00Z,", "P2,,3"]
            ),
            // Without participants each sheet counts alone.
            ("study_day", [",1", ",1", "P1,1", "P1,1"]),
        ])
    func `a table that needs no order, or states it, is accepted`(columns: String, rows: [String]) throws {
        let report = try Self.pss().report(CSVReader(Self.table(columns, rows)))

        #expect(report.sheetCount == rows.count)
    }

    private static func table(_ columns: String, _ rows: [String]) -> String {
        let header = "participant_id,\(columns),q1,q2,q3,q4,q5,q6,q7,q8,q9,q10\n"
        return header + rows.map { "\($0),\(answers)\n" }.joined()
    }

    private static func pss() throws -> ReportTable {
        let folder = "\(Garden.root)/Questionnaires/instruments/pss_10/1.0.0"
        return ReportTable(
            try InstrumentPack.read(PackFiles.load(directory: folder), code: "pss_10", version: "1.0.0")
                .questionnaire)
    }
}

/// The figures of the scale `total`, computed from the sheets in the order of completion.
private struct Figures {
    let alpha: Double
    let sem: Double
    let higher: Int
    let lower: Int

    init(_ table: RandomSheetTable) throws {
        let first = table.participants.map { $0[0] }
        let items = first.map(RandomSheetTable.keyed)
        alpha = try Alpha(
            ItemTable(columns: (0..<10).map { item in items.map { $0[item] } }), missing: .listwise
        ).value
        let deviation = try DescriptiveStatistics(first.map(RandomSheetTable.total)).deviation.get()
        sem = try MeasurementError.standard(deviation: deviation, reliability: alpha)
        let change = try ReliableChange(deviation: deviation, reliability: alpha)
        let indexes = try table.participants.compactMap { sheets -> Double? in
            let scores = sheets.compactMap(RandomSheetTable.total)
            guard scores.count > 1 else { return nil }
            return try change.index(before: scores[0], after: scores[scores.count - 1])
        }
        higher = indexes.count { $0 > 1.96 }
        lower = indexes.count { $0 < -1.96 }
    }
}
