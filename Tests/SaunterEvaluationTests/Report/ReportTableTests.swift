import Foundation
import SaunterCore
import SaunterPacks
import SaunterStatistics
import Testing

@testable import SaunterEvaluation

@Suite struct ReportTableTests {
    /// Four participants, two of them with a second sheet. Item 4 is reversed, and one answer is missing.
    private static let table = """
        participant_id,study_day,seconds,q1,q2,q3,q4,q5,q6,q7,q8,q9,q10
        P1,0,60,0,1,0,4,4,0,4,3,1,0
        P2,0,80,2,2,2,2,2,2,2,2,2,2
        P3,0,90,4,3,4,0,0,4,1,0,4,4
        P4,1,10,1,1,2,3,2,1,3,3,,1
        P1,7,70,1,1,1,4,3,0,4,3,1,0
        P2,8,50,3,2,2,2,1,2,2,2,2,3

        """

    @Test func `scores equal those of the engine, and reversed items are reversed once`() throws {
        let report = try Self.pss().report(CSVReader(Self.table))

        let instrument = try #require(report.instruments.first)
        #expect(instrument.sheetCount == 6)
        #expect(instrument.participantCount == 4)
        let total = try #require(instrument.scales.first { $0.id == "total" })
        #expect(total.figures.first("n")?.value.value == 5)
        #expect(total.figures.first("missing")?.value.value == 1)
        // Computed by hand: 3, 20, 38, 6 and 23.
        #expect(try abs(#require(total.figures.first("mean")?.value.value) - 18) < 1e-12)
        let reversed = try #require(total.items.first { $0.id == "q4" })
        // The first sheets of the four participants: 4 − 4, 4 − 2, 4 − 0, 4 − 3.
        #expect(reversed.figures.first("mean")?.value.value == 1.75)
        #expect(reversed.figures.first("floor")?.value.value == 0.25)
    }

    @Test func `alpha uses the first sheet of each participant, for each treatment of blanks`() throws {
        let instrument = try #require(try Self.pss().report(CSVReader(Self.table)).instruments.first)
        let efficacy = try #require(instrument.scales.first { $0.id == "low_efficacy" })
        let columns: [[Double?]] = [[0, 2, 4, 1], [0, 2, 4, 2], [0, 2, 3, 1], [1, 2, 4, 1]]

        for missing in MissingData.allCases {
            let alpha = try Alpha(ItemTable(columns: columns), missing: missing)
            #expect(efficacy.figures.first("alpha", missing)?.value.value == alpha.value)
            #expect(efficacy.figures.first("alpha", missing)?.lower == (try alpha.interval().lowerBound))
        }
        let total = try #require(instrument.scales.first { $0.id == "total" })
        #expect(total.figures.first("alpha", .listwise)?.count == 3)
        #expect(total.figures.first("alpha", .pairwise)?.count == 4)
    }

    @Test func `the variance between and within participants uses all scores`() throws {
        let report = try Self.pss().report(CSVReader(Self.table))

        let figures = try #require(report.instruments[0].scales.first { $0.id == "total" }).figures
        let model = try NullModel([[3, 6], [20, 23], [38]])
        #expect(figures.first("variance_between")?.value.value == model.between)
        #expect(figures.first("variance_within")?.value.value == model.within)
        #expect(figures.first("icc_null_model")?.value.value == model.intraclassCorrelation)
        #expect(figures.first("icc_null_model")?.count == 5)
        #expect(report.html.contains("ICC, null model"))
    }

    @Test func `the page states reasons and axis titles as text`() throws {
        let page = try Self.pss().report(
            CSVReader("q1,q2,q3,q4,q5,q6,q7,q8,q9,q10\n" + "1,1,1,1,1,1,1,1,1,1\n")
        ).html

        #expect(page.contains("–<sup>b</sup>"))
        #expect(page.contains("<sup>b</sup> there are too few values"))
        #expect(!page.contains("<td title"))
        #expect(page.contains(">sheets</text>") && page.contains(">score</text>"))
    }

    @Test func `every plot of scores has its caption in its own figure`() throws {
        let lines = Self.table.split(separator: "\n")
        let withArms = lines.enumerated().map { index, line in
            index == 0 ? "arm,\(line)" : "\(index % 2 == 0 ? "b<2>" : "a"),\(line)"
        }
        let report = try Self.pss().report(CSVReader(withArms.joined(separator: "\n") + "\n"))
        let page = report.html

        let figures = page.split(separator: "<figure>").dropFirst().map {
            $0.split(separator: "</figure>")[0]
        }
        var captions: Set<String> = []
        for figure in figures {
            #expect(figure.ranges(of: "<svg").count == 1)
            let found = figure.matches(of: /<figcaption>(.*?)<\/figcaption>/).map { String($0.1) }
            #expect(found.count == 1)
            captions.formUnion(found)
        }
        let scales = try #require(report.instruments.first).scales.map { HTML.escaped($0.title) }
        #expect(scales.count == 3)
        for scale in scales {
            #expect(captions.contains("\(scale): sheets by score"))
            #expect(captions.contains("\(scale), arm a: sheets by score"))
            #expect(captions.contains("\(scale), arm b&lt;2&gt;: sheets by score"))
            #expect(captions.contains("\(scale): mean of participants by week, 95 % interval"))
            #expect(captions.contains("\(scale): mean of participants by week and arm, 95 % interval"))
        }
        #expect(captions.count == scales.count * 5)
    }

    @Test func `sheets report their seconds, runs and deviation as answered`() throws {
        let instrument = try #require(try Self.pss().report(CSVReader(Self.table)).instruments.first)

        #expect(instrument.patterns.map(\.seconds) == [60, 80, 90, 10, 70, 50])
        #expect(instrument.patterns[1].longestRun.value == 10)
        #expect(instrument.patterns[1].withinDeviation.value == 0)
        #expect(instrument.patterns[3].answered == 9)
        #expect(instrument.patterns[3].mahalanobis.undefined == .incomplete)
        #expect(instrument.patternFigures.first("seconds")?.value.value == 65)
    }

    @Test func `runs and deviations need items with the same range`() throws {
        var mood = Questionnaire(
            code: "mood", version: "1.0.0",
            item: [Item(linkId: "calm", type: .integer), Item(linkId: "glad", type: .integer)],
            text: ["en": QuestionnaireText(title: "Mood", items: [:], options: [:])], languages: ["en"],
            scoring: ScoringKey(
                version: "1.0.0", scales: [Scale(id: "all", items: ["calm", "glad"], method: .sum)]))
        func instrument(_ ends: [Double?]) throws -> InstrumentReport {
            for (index, end) in ends.enumerated() {
                (mood.item[index].minValue, mood.item[index].maxValue) = (0, end)
            }
            return try #require(
                try ReportTable(mood).report(CSVReader("calm,glad\n3,3\n1,2\n")).instruments.first)
        }

        let same = try instrument([10, 10])
        #expect(same.patterns.map(\.longestRun.value) == [2, 1])
        #expect(same.patternFigures.first("within_sd")?.count == 2)

        for (ends, reason) in [
            ([10, 100], .rangesDiffer), ([10, nil], .noRange),
        ] as [([Double?], UndefinedStatistic)] {
            let other = try instrument(ends)
            #expect(other.patternFigures.first("longest_run")?.value.undefined == reason)
            #expect(other.patternFigures.first("within_sd")?.value.undefined == reason)
            #expect(other.patterns[0].cells[4] == nil && other.patterns[0].cells[5] == nil)
            #expect(other.patterns[0].answered == 2)
            #expect(other.html.contains(reason.sentence))
        }
    }

    /// The same sheets with arms. The arm of the last sheet is not known.
    private static let armTable: String = {
        let arms = ["arm", "waiting", "training", "waiting", "training", "waiting", ""]
        return zip(arms, table.split(separator: "\n")).map { "\($0),\($1)\n" }.joined()
    }()

    @Test func `each arm has a course and a distribution in the bins of all arms`() throws {
        let report = try Self.pss().report(CSVReader(Self.armTable))

        let total = try #require(report.instruments[0].scales.first { $0.id == "total" })
        #expect(total.arms.map(\.arm) == ["training", "waiting"])
        #expect(total.arms.map(\.participantCount) == [2, 2])
        // The totals of P2 and of P1, P3 and P1. P4 has an undefined total.
        #expect(total.arms.map { $0.figures.first("n")?.value.value } == [1, 3])
        #expect(total.arms[0].figures.first("mean")?.value.value == 20)
        #expect(try abs(#require(total.arms[1].figures.first("mean")?.value.value) - 47.0 / 3) < 1e-12)
        #expect(total.arms[1].weeks.map(\.week) == [1, 2])
        #expect(total.arms[1].weeks.map(\.interval.mean) == [20.5, 6])
        for arm in total.arms {
            let histogram = try #require(arm.histogram)
            #expect(histogram.lower == total.histogram?.lower && histogram.width == total.histogram?.width)
            #expect(histogram.counts.count == total.histogram?.counts.count)
        }
        let page = report.html
        #expect(page.contains("Scores by arm") && page.contains("arm training: sheets by score"))
        #expect(page.contains(">waiting</text>") && page.contains("course style1"))
        #expect(String(decoding: report.figuresCSV, as: UTF8.self).contains("pss_10,1.0.0,total,,waiting,n,"))
        // Arms have no effect on the figures of all sheets.
        let plain = try Self.pss().report(CSVReader(Self.table))
        #expect(plain.instruments[0].scales.map(\.figures) == report.instruments[0].scales.map(\.figures))
        #expect(plain.instruments[0].scales.allSatisfy(\.arms.isEmpty) && !plain.html.contains("by arm"))
    }

    @Test func `a blinded report does not name arms`() throws {
        let report = try Self.pss(isBlinded: true).report(CSVReader(Self.armTable))

        let total = try #require(report.instruments[0].scales.first { $0.id == "total" })
        #expect(total.arms.map(\.arm) == ["A", "B"])
        #expect(Set(total.arms.map { $0.figures.first("n")?.value.value }) == [1, 3])
        for text in [
            report.html, report.json.text, String(decoding: report.figuresCSV, as: UTF8.self),
            String(decoding: report.sheetsCSV, as: UTF8.self),
        ] {
            #expect(!text.contains("training") && !text.contains("waiting"))
        }
        #expect(report.html.contains("The report is blinded"))
        #expect(report.json["blinded"] == true)
    }

    @Test func `a table without participants has a report without participants`() throws {
        let plain = Self.table.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).dropFirst(3).joined(separator: ",")
        }.joined(separator: "\n")

        let report = try Self.pss().report(CSVReader(plain))

        let instrument = try #require(report.instruments.first)
        #expect(instrument.participantCount == nil)
        #expect(instrument.patterns[0].sheet == "line 2")
        let total = try #require(instrument.scales.first)
        #expect(total.figures.first("test_retest_r") == nil)
        #expect(total.figures.first("alpha", .pairwise)?.count == 6)
        #expect(total.weeks.isEmpty)
    }

    @Test func `all faulty cells are listed, and no report is made`() {
        #expect {
            try Self.pss().report(
                CSVReader(
                    """
                    participant_id,study_day,seconds,q1,q2,q3,q4,q5,q6,q7,q8,q9,q10
                    P1,soon,-4,0,1,0,4,4,0,4,3,1,0
                    P1,1,1,9,1,0,4,4,0,4,3,1,x

                    """))
        } throws: { error in
            "\(error)" == """
                line 2, column seconds, value "-4": expected a number of seconds
                line 2, column study_day, value "soon": expected a whole number of days
                line 3, column q10, value "x": expected a number or nothing. The options are 0, 1, 2, 3, 4.
                line 3, column q1, value "9": This is not an option of the item. The options are 0, 1, 2, 3, 4.
                """
        }
    }

    @Test func `a column whose name is almost that of an optional column is not silently ignored`() {
        #expect {
            try Self.pss().report(
                CSVReader("Participant.ID,Study_Day,q1,q2,q3,q4,q5,q6,q7,q8,q9,q10\n"))
        } throws: { error in
            "\(error)" == """
                line 1, column Participant.ID: is not read; rename it to participant_id
                line 1, column Study_Day: is not read; rename it to study_day
                """
        }
    }

    @Test func `the report of a table without sheets states that there are no values`() throws {
        let report = try Self.pss().report(CSVReader("q1,q2,q3,q4,q5,q6,q7,q8,q9,q10\n"))

        #expect(report.sheetCount == 0)
        #expect(report.instruments[0].scales[0].figures.first("mean")?.value.undefined == .noValues)
        #expect(report.html.contains("<sup>a</sup> there are no values"))
    }

    @Test func `multilevel reliability uses the reversed items of all complete sheets`() throws {
        let report = try Self.pss().report(CSVReader(Self.table + "P2,9,40,1,2,3,3,2,1,2,3,1,1\n"))

        let figures = try #require(report.instruments[0].scales.first { $0.id == "low_efficacy" }).figures
        // q4, q5, q7 and q8 of P1 and P2. P3 and P4 have one sheet each, and P1 has no third one.
        let design: [[[Double?]]] = [
            [[0, 0, 0, 1], [0, 1, 0, 1]], [[2, 2, 2, 2], [2, 3, 2, 2]],
        ]
        let reliability = try MultilevelReliability(design)
        #expect(figures.first("reliability_rkf")?.value == reliability.betweenFixed)
        #expect(figures.first("reliability_rkr")?.value == reliability.betweenRandom)
        #expect(figures.first("reliability_rc")?.value == reliability.within)
        #expect(figures.first("reliability_rc")?.count == 4)
        #expect(figures.first("reliability_occasions")?.value.value == 2)
        #expect(report.html.contains("RkF"))
    }

    private static func pss(isBlinded: Bool = false) throws -> ReportTable {
        let folder = "\(Garden.root)/Questionnaires/instruments/pss_10/1.0.0"
        return ReportTable(
            try InstrumentPack.read(PackFiles.load(directory: folder), code: "pss_10", version: "1.0.0")
                .questionnaire, isBlinded: isBlinded)
    }
}
