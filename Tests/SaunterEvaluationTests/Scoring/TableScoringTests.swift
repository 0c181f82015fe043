import Foundation
import SaunterCore
import SaunterPacks
import SaunterStatistics
import Testing

@testable import SaunterEvaluation

@Suite struct TableScoringTests {
    @Test(arguments: ["pss_10", "maas", "who_5", "sus", "daily_evening", "after_walk", "ipaq_sf"])
    func `a table of the test vectors gives the expected scores`(code: String) throws {
        let folder = "\(Garden.root)/Questionnaires/instruments/\(code)/1.0.0"
        let pack = try InstrumentPack.read(PackFiles.load(directory: folder), code: code, version: "1.0.0")
        let vectors = try Array(TableRows(folder + "/vectors.csv"))

        let (text, report) = try score(pack.questionnaire, Self.table(of: vectors, pack.questionnaire))

        #expect(report.faultCount == 0)
        let scored = try Array(TableRows(text: text))
        #expect(scored.count == vectors.count && !vectors.isEmpty)
        for (row, vector) in zip(scored, vectors) {
            #expect(row["case"] == vector["case"])
            for scale in pack.questionnaire.scoring?.scales.map(\.id) ?? [] {
                let value = row["score_\(scale)"] ?? "no column"
                let expected = vector["score.\(scale)"] ?? ""
                #expect(
                    value == expected || abs((Double(value) ?? .infinity) - (Double(expected) ?? 0)) < 1e-9)
                #expect(row["band_\(scale)"] == vector["band.\(scale)"] ?? "")
                #expect(row["reason_\(scale)"] == vector["reason.\(scale)"] ?? "")
            }
        }
    }

    @Test func `other columns are copied in their order, and rows keep their order`() throws {
        let (text, report) = try score(
            Self.mood, "who,feel,why__work,why__home,why__none,note,\"a, b\"\nA,1,1,1,,x,\"1,5\"\nB,3,,,,,\n")

        #expect(report.rows == 2)
        #expect(
            text == """
                who,"a, b",score_feeling,reason_feeling,band_feeling,score_reasons,reason_reasons,band_reasons
                A,"1,5",0.1,,,2,,many
                B,,0.3,,,,not_shown,

                """)
    }

    @Test func `every faulty cell is listed with line and column, and only its row is omitted`() throws {
        let (text, report) = try score(
            Self.mood,
            "feel,calm,minutes,day,why__work,why__home,why__none\n9,,,,,,\n1,yes,1.5,2026-02-30,2,,\nx,,,,,,\n1,,,,1,,1\n1,,,\n2,1,5,2026-02-28,1,0,0\n"
        )

        #expect(
            report.faults.map(\.description) == [
                "line 2, column feel, value \"9\": This is not an option of the item. The options are 1, 2, 3.",
                "line 3, column why__work, value \"2\": expected 1, 0 or nothing",
                "line 3, column calm, value \"yes\": expected 1, 0 or nothing",
                "line 3, column minutes, value \"1.5\": This item expects a whole number.",
                "line 3, column day, value \"2026-02-30\": This item expects a date that exists, in the form yyyy-mm-dd.",
                "line 4, column feel, value \"x\": expected a number or nothing. The options are 1, 2, 3.",
                "line 5, column why__none, value \"1\": This option excludes all others.",
                "line 6: expected 7 fields, found 4",
            ])
        #expect(report.rows == 1)
        #expect(report.omittedRows == 5)
        #expect(text.hasSuffix("0.2,,,1,,few\n"))
    }

    @Test func `an invalid header is rejected with all its faults`() {
        #expect {
            try score(Self.mood, "who,who,why__work,score_feeling\n")
        } throws: { error in
            "\(error)" == """
                line 1, column who: is a duplicate name
                line 1, column feel: is missing
                line 1, column why__home: is missing
                line 1, column why__none: is missing
                line 1, column score_feeling: is a name that a score column uses
                """
        }
    }

    @Test func `a header in another case or with dots names the column that must be renamed`() {
        #expect {
            try score(Self.mood, "Feel,why.work,why..home,WHY_none\n1,1,0,0\n")
        } throws: { error in
            "\(error)" == """
                line 1, column feel: is missing; rename the column "Feel"
                line 1, column why__work: is missing; rename the column "why.work"
                line 1, column why__home: is missing; rename the column "why..home"
                line 1, column why__none: is missing; rename the column "WHY_none"
                """
        }
    }

    @Test func `a column whose name is almost that of a covariate is not silently ignored`() throws {
        let questionnaire = try Self.shippedQuestionnaire("audit_c", "1.1.0")

        #expect {
            try score(questionnaire, "Sex,q1,q2,q3\nfemale,1,1,1\n")
        } throws: { error in
            "\(error)" == "line 1, column Sex: is not read; rename it to sex"
        }
    }

    @Test(arguments: [(";", "semicolons"), ("\t", "tabs")])
    func `a table with other separators than commas is rejected with one fault`(
        separator: String, name: String
    ) {
        let header = ["feel", "why__work", "why__home", "why__none"].joined(separator: separator)

        #expect {
            try score(Self.mood, header + "\n")
        } throws: { error in
            "\(error)" == "line 1: the fields are separated by \(name); expected commas"
        }
    }

    @Test func `a fault shows at most forty characters of a cell, without control characters`() throws {
        let cell = "\u{1B}[31m" + String(repeating: "x", count: 60)

        let (_, report) = try score(Self.mood, "feel,why__work,why__home,why__none\n\(cell),,,\n")

        #expect(report.faults.map(\.value) == [" [31m" + String(repeating: "x", count: 35)])
    }

    @Test func `words for blanks are read as blanks`() throws {
        let (text, _) = try score(
            Self.mood, "feel,why__work,why__home,why__none\nNA,NA,NA,NA\n", blanks: ["NA"])

        #expect(text.hasSuffix("\n,too_few_answered,,,not_shown,\n"))
    }

    @Test func `answers to hidden items are ignored and counted`() throws {
        let (text, report) = try score(Self.mood, "feel,why__work,why__home,why__none\n3,1,,\n")

        #expect(report.clearedCount == 1)
        #expect(text.hasSuffix("\n0.3,,,,not_shown,\n"))
    }

    @Test func `a quantity with several units has a column for its unit`() throws {
        var load = Item(linkId: "load", type: .quantity)
        (load.unitOption, load.maxValue) = (["kg", "[lb_av]"], 200)
        var mood = Self.mood
        mood.item.append(load)
        let header = "feel,why__work,why__home,why__none,load"

        let (text, report) = try score(
            mood, "\(header),load__unit\n1,,,,300,[lb_av]\n1,,,,300,kg\n1,,,,3,\n1,,,,,\n")

        #expect(report.rows == 2)
        #expect(!text.contains("load"))
        #expect(
            report.faults.map(\.description) == [
                "line 3, column load, value \"300\": The maximum is 200 kg.",
                "line 4, column load__unit, value \"\": This is not a unit of the item. The units are kg, [lb_av].",
            ])
        #expect {
            try score(mood, "\(header)\n")
        } throws: {
            "\($0)" == "line 1, column load__unit: is missing"
        }
    }

    private static func shippedQuestionnaire(_ code: String, _ version: String) throws -> Questionnaire {
        let folder = "\(Garden.root)/Questionnaires/instruments/\(code)/\(version)"
        return try InstrumentPack.read(PackFiles.load(directory: folder), code: code, version: version)
            .questionnaire
    }

    @Test func `a column with the name of a covariate supplies the covariate`() throws {
        let (text, report) = try score(
            try Self.shippedQuestionnaire("audit_c", "1.1.0"),
            "sex,q1,q2,q3\nfemale,1,1,1\nmale,1,1,1\n,1,1,1\nwoman,1,1,1\n")

        #expect(
            report.faults.map(\.description) == [
                "line 5, column sex, value \"woman\": expected one of female, male or nothing"
            ])
        #expect(
            text == """
                sex,score_drinking,reason_drinking,band_drinking
                female,3,,positive
                male,3,,below
                ,3,,

                """)
    }

    @Test func `the output has the exclusion of a null score and the standard error of a table value`() throws
    {
        let items = [
            "vig_days", "vig_minutes", "mod_days", "mod_minutes", "walk_days", "walk_minutes", "sitting",
        ]
        let (excluded, _) = try score(
            try Self.shippedQuestionnaire("ipaq_sf", "1.0.0"),
            items.joined(separator: ",") + "\n1,400,1,400,1,400,0\n1,60,,,1,60,0\n")
        let excludedRows = try Array(TableRows(text: excluded))
        #expect(excludedRows.map { $0["reason_level"] } == ["excluded", "excluded"])
        #expect(excludedRows.map { $0["exclusion_level"] } == ["over_960", ""])
        #expect(excludedRows[0]["exclusion_day_minutes"] == nil)

        var withTable = Self.mood
        var scale = Scale(id: "looked", items: ["feel"], method: .value)
        scale.transform = [.lookup(table: "t")]
        func row(_ raw: Double, _ value: Double, _ error: Double?) -> LookupTable.Row {
            LookupTable.Row(.score(raw: ScoreRange(exactly: raw), value: value, standardError: error))
        }
        let rows = [row(1, 10, 0.5), row(2, 20, 1), row(3, 30, nil)]
        let table = LookupTable(id: "t", source: "made up", checksum: "", rows: rows)
        withTable.scoring = ScoringKey(version: "1.0.0", scales: [scale], tables: [table])
        let (text, _) = try score(withTable, "feel\n1\n3\n")
        #expect(text == "score_looked,reason_looked,band_looked,se_looked\n10,,,0.5\n30,,,\n")
    }

    @Test func `a helper scale is used by later scales and has no columns`() throws {
        var mood = Self.mood
        var helper = Scale(id: "half", items: ["feel"], method: .value, factor: 0.5)
        helper.isHelper = true
        let total = Scale(id: "total", items: ["half", "feel"], method: .sum)
        mood.scoring = ScoringKey(version: "1.0.0", scales: [helper, total])

        let (text, _) = try score(mood, "feel\n2\n")
        let report = try ReportTable(mood).report(CSVReader("feel\n2\n1\n"))

        #expect(text == "score_total,reason_total,band_total\n3,,\n")
        #expect(report.instruments[0].scales.map(\.id) == ["total"])
        #expect(report.instruments[0].scales[0].figures.first("mean")?.value.value == 2.25)
    }

    private static let mood: Questionnaire = {
        do {
            return try StudyPack.read(Garden.pack("garden-1"), study: "garden").study.questionnaires[0]
        } catch {
            preconditionFailure("the fixture cannot be read: \(error)")
        }
    }()

    private func score(
        _ questionnaire: Questionnaire, _ text: String, blanks: Set<String> = []
    ) throws -> (String, TableScoring.Report) {
        var output: [UInt8] = []
        let report = try TableScoring(questionnaire, blanks: blanks).run(CSVReader(text)) { output += $0 }
        return (String(decoding: output, as: UTF8.self), report)
    }

    /// The test vectors, with a column per option if several options can be chosen.
    private static func table(of vectors: [[String: String]], _ questionnaire: Questionnaire) -> String {
        var header = ["case"]
        for item in questionnaire.questions {
            header +=
                item.repeats ? item.answerOption.map { "\(item.linkId)__\($0.value.text)" } : [item.linkId]
        }
        var text = CSVText(header: header)
        for vector in vectors {
            var fields: [String?] = [vector["case"]]
            for item in questionnaire.questions {
                let cell = vector[item.linkId] ?? ""
                guard item.repeats else {
                    fields.append(cell)
                    continue
                }
                let chosen = cell.split(separator: "|").map(String.init)
                fields += item.answerOption.map {
                    cell.isEmpty ? nil : chosen.contains($0.value.text) ? "1" : "0"
                }
            }
            text.add(fields)
        }
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
