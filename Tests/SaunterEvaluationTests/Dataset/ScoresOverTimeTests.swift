import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct ScoresOverTimeTests {
    /// The changes and windows of P001 in the third version of the study. Changes are by score, windows by their id.
    private func files(
        _ minutes: [(day: Int, minutes: Double?)], hoursBehind: [Int: Int] = [:],
        after script: String = "select 1",
        _ body: (_ changes: [[String: String]], _ windows: [[String: String]], _ folder: String) async throws
            -> Void
    ) async throws {
        try await Garden.with { garden in
            try await garden.publish(
                try GardenOverTime.pack(), version: "3.0.0", at: "2026-03-03T00:00:00Z")
            try await garden.change(GardenOverTime.sheets(minutes, hoursBehind: hoursBehind))
            _ = try await StudyRescoring(pool: garden.research).run(study: "garden")
            try await garden.change(script)
            try await garden.dataset { folder, _ in
                let changes = try Array(TableRows(folder + "/data/score_changes.csv"))
                let windows = try Array(TableRows(folder + "/data/score_windows.csv"))
                try await body(
                    changes.filter { $0["participant_id"] == "P001" && $0["version"] == "1.1.0" },
                    windows.filter { $0["participant_id"] == "P001" }, folder)
            }
        }
    }

    @Test func `changes equal the values computed by hand`() async throws {
        try await files([(0, 100), (1, 75), (2, nil), (3, 31)]) { changes, _, _ in
            let load = changes.filter { $0["score"] == "load" }.sorted {
                $0["sheet_id"]! < $1["sheet_id"]!
            }
            func column(_ name: String) -> [String?] { load.map { $0[name] } }

            #expect(column("value") == ["10", "7.5", "", "3.1"])
            #expect(column("baseline_value") == ["", "10", "", "10"])
            #expect(column("difference") == ["", "-2.5", "", "-6.9"])
            #expect(column("reliable_change") == ["", "-1.25", "", "-3.45"])
            #expect(column("verdict") == ["", "unchanged", "", "improved"])
            #expect(column("important") == ["", "0", "", "1"])
            #expect(column("reason") == ["no_baseline", "", "no_score", ""])
            #expect(column("baseline_rule") == ["first", "first", "first", "first"])
            #expect(load[1]["baseline_sheet_id"] == load[0]["sheet_id"])

            let steps = changes.filter { $0["score"] == "steps" }.sorted {
                $0["sheet_id"]! < $1["sheet_id"]!
            }
            // The previous score, skipping the null score. The key has no important difference, so the column is blank.
            #expect(steps.map { $0["baseline_value"] } == ["", "100", "", "75"])
            #expect(steps.map { $0["verdict"] } == ["", "worsened", "", "worsened"])
            #expect(steps.map { $0["important"] } == ["", "", "", ""])
        }
    }

    @Test func `windows equal the values computed by hand`() async throws {
        try await files([(0, 100), (1, 75), (2, nil), (3, 31)]) { _, windows, _ in
            #expect(
                windows.map { "\($0["window"]!) \($0["window_index"]!)" } == ["pair 0", "pair 1", "whole 0"])
            #expect(windows.map { "\($0["from_day"]!)-\($0["to_day"]!)" } == ["0-1", "2-3", "-"])
            #expect(windows.map { "\($0["n_known"]!)/\($0["n_scores"]!)" } == ["2/2", "1/2", "3/4"])
            #expect(windows.map { $0["reason"] } == ["", "too_few_scores", ""])
            #expect(windows.map { $0["min"] } == ["7.5", "", "3.1"])
            #expect(windows.map { $0["max"] } == ["10", "", "10"])
            func numbers(_ name: String) -> [Double?] { windows.map { Double($0[name]!) } }
            #expect(numbers("mean") == [8.75, nil, 103.0 / 15])
            // √(2 · 1.25²); days 0, 1 and 3 about 4/3: −32/3 over 14/3.
            func expect(_ number: Double?, _ value: Double) throws {
                let number = try #require(number)
                #expect(abs(number - value) < 1e-12)
            }
            try expect(numbers("sd")[0], 1.767_766_952_966_368_9)
            try expect(numbers("slope_per_day")[0], -2.5)
            try expect(numbers("slope_per_day")[2], -16.0 / 7)
        }
    }

    @Test func `a device clock is corrected only once`() async throws {
        // The clock is four days slow. If it were corrected twice, the first sheet would be the last of the three.
        try await files([(0, 100), (1, 75), (3, 31)], hoursBehind: [0: 96]) { changes, windows, _ in
            let load = changes.filter { $0["score"] == "load" }.sorted {
                $0["sheet_id"]! < $1["sheet_id"]!
            }

            #expect(load.map { $0["baseline_value"] } == ["", "10", "10"])
            #expect(load.map { $0["difference"] } == ["", "-2.5", "-6.9"])
            let whole = try #require(windows.first { $0["window"] == "whole" })
            #expect(whole["n_known"] == "3")
            let slope = try #require(whole["slope_per_day"].flatMap { Double($0) })
            #expect(abs(slope + 16.0 / 7) < 1e-12)
        }
    }

    @Test func `changes and windows equal the reference implementation for random numbers`() async throws {
        var state: UInt64 = 7
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        let minutes = (0..<40).map { _ in (day: next(12), minutes: next(6) == 0 ? nil : Double(next(100_000)))
        }
        try await files(minutes) { changes, windows, _ in
            let rule = ChangeRule(
                standardDeviation: 2, reliability: 0.5, source: "", direction: .lowerIsBetter, important: 3)
            // Sorted by id, like the rows of the files with equal instants.
            let scores = minutes.map { sheet in
                TimedScore(
                    value: sheet.minutes.map { $0 / 10 },
                    at: Instant(milliseconds: 1_774_692_000_000 + Int64(sheet.day) * 86_400_000))
            }
            let rows = changes.filter { $0["score"] == "load" }.sorted {
                $0["sheet_id"]! < $1["sheet_id"]!
            }
            #expect(rows.count == scores.count)
            for (score, row) in zip(scores, rows) {
                let change = ReferenceScoreChange(score, since: scores, by: rule)
                #expect(Double(row["difference"]!) == change.difference)
                #expect(row["verdict"] == change.verdict?.rawValue ?? "")
                #expect(row["important"] == change.isImportant.map { $0 ? "1" : "0" } ?? "")
                #expect(row["reason"] == change.reason?.rawValue ?? "")
                if let index = change.index {
                    let exported = try #require(Double(row["reliable_change"]!))
                    #expect(abs(exported - index) <= 1e-12 * max(1, abs(index)))
                }
            }
            for row in windows {
                let index = try #require(row["window_index"].flatMap { Int64($0) })
                let start = 1_774_656_000_000 + index * 2 * 86_400_000
                let isPair = row["window"] == "pair"
                let window = ReferenceScoreWindow(
                    scores,
                    in: isPair
                        ? Instant(milliseconds: start)..<Instant(milliseconds: start + 2 * 86_400_000)
                        : .minimum..<Instant.maximum,
                    minimum: isPair ? 2 : 1)
                #expect(row["n_scores"] == String(window.count))
                #expect(row["n_known"] == String(window.known))
                #expect(Double(row["mean"]!) == window.mean)
                #expect(Double(row["min"]!) == window.least)
                for (name, value) in [
                    ("sd", window.standardDeviation), ("slope_per_day", window.slopePerDay),
                ] {
                    guard let value, window.mean != nil else { continue }
                    let exported = try #require(Double(row[name]!))
                    #expect(abs(exported - value) <= 1e-9 * max(1, abs(value)))
                }
            }
        }
    }

    @Test func `numbers that are too large for arithmetic do not stop the export`() async throws {
        let hugeNumbers = """
            update research.rescored_sheet set score_values = array_fill(1e308::float8, array[cardinality(score_values)])
            where sheet_id::text like '%1000' and key_id in (select key_id from research.scoring_key where key_version = '2.0.0');
            update research.rescored_sheet set score_values = array_fill(-1e308::float8, array[cardinality(score_values)])
            where sheet_id::text like '%1001' and key_id in (select key_id from research.scoring_key where key_version = '2.0.0')
            """
        try await files([(0, 1), (1, 2), (2, 5)], after: hugeNumbers) { changes, windows, _ in
            let load = changes.filter { $0["score"] == "load" }.sorted {
                $0["sheet_id"]! < $1["sheet_id"]!
            }
            #expect(load.map { $0["reason"] } == ["no_baseline", "undefined", "undefined"])
            #expect(windows.first { $0["window"] == "whole" }?["reason"] == "undefined")
        }
    }

    @Test func `changes and windows are part of the data package, which is valid`() async throws {
        try await files([(0, 100), (1, 75)]) { _, _, folder in
            let package = try JSONReader.read(
                Array(Data(contentsOf: URL(filePath: folder + "/datapackage.json"))))
            let names = (package["resources"]?.array ?? []).compactMap { $0["name"]?.string }
            #expect(names.contains("score_changes"))
            #expect(names.contains("score_windows"))
            let checked = try Program.run(
                Program.python, [Garden.fixtures + "/check_package.py", folder])
            #expect(checked.status == 0, "\(checked.output)")
        }
    }

    @Test func `a de-identified release has the same changes under other ids`() async throws {
        try await Garden.with { garden in
            try await garden.publish(
                try GardenOverTime.pack(), version: "3.0.0", at: "2026-03-03T00:00:00Z")
            try await garden.change(GardenOverTime.sheets([(0, 100), (1, 75)]))
            _ = try await StudyRescoring(pool: garden.research).run(study: "garden")
            try await garden.dataset(profile: .deidentified) { folder, _ in
                let text = try String(contentsOfFile: folder + "/data/score_changes.csv", encoding: .utf8)
                #expect(!text.contains("000000001000"))
                #expect(!text.containsGardenPseudonym)
                let rows = try TableRows(text: text).filter { $0["difference"] == "-2.5" }
                #expect(rows.count == 1)
                let sheets = try TableRows(folder + "/data/sheets.csv").map { $0["sheet_id"] }
                #expect(sheets.contains(rows.first?["baseline_sheet_id"]))
            }
        }
    }
}
