import SaunterCore
import SaunterStatistics
import Testing

@testable import SaunterEvaluation

@Suite struct KeyedItemsTests {
    @Test func `an item has its given value and its recoded, weighted and reversed value per scale`()
        throws
    {
        var first = Item(linkId: "a", type: .integer)
        first.minValue = 0
        first.maxValue = 4
        var second = Item(linkId: "b", type: .choice)
        second.answerOption = [ResponseOption(value: .integer(1)), ResponseOption(value: .integer(2))]
        var scale = Scale(id: "s", items: ["a", "b"], reverse: ["a"], method: .sum)
        scale.recode = ["b": ["1": 10, "2": 30]]
        scale.weights = ["b": 0.5]
        let questionnaire = Questionnaire(
            code: "q", version: "1.0.0", item: [first, second],
            text: ["en": QuestionnaireText(title: "Q", items: [:], options: [:])], languages: ["en"],
            scoring: ScoringKey(version: "1.0.0", scales: [scale]))
        let keyed = KeyedItems(questionnaire)
        var sheet = ReportSheet(id: "1")
        var blank = ReportSheet(id: "2")

        keyed.storeNumbers(of: try AnswerSheet(answers: ["a": 1, "b": 2], of: questionnaire), in: &sheet)
        keyed.storeNumbers(of: try AnswerSheet(answers: ["b": 1], of: questionnaire), in: &blank)

        #expect(sheet.given == [1, 2])
        #expect(sheet.keyed == [[3, 15]])
        #expect(sheet.scores == [18])
        #expect(blank.given == [nil, 1])
        #expect(blank.keyed == [[nil, 5]])
        #expect(blank.scores == [nil])
        #expect(sheet.reasons == [nil] && blank.reasons == [.tooFewAnswered])
        let report = ScaleReport(keyed, scale: 0, sheets: [sheet, blank, blank], participants: nil)
        #expect(report.missingByReason.map(\.reason) == [.tooFewAnswered])
        #expect(report.missingByReason.map(\.count) == [2])
        #expect(report.figures.first("n")?.value.value == 1)
        #expect(keyed.range(of: "a", in: scale) == 0...4)
        #expect(keyed.range(of: "b", in: scale) == 5...15)
    }

    @Test func `an item with options has the number of each answer, before reversal`() throws {
        var item = Item(linkId: "a", type: .choice)
        item.answerOption = [1, 2, 3].map { ResponseOption(value: .integer($0)) }
        var weighted = Item(linkId: "b", type: .choice)
        weighted.answerOption = [
            ResponseOption(value: .code("no"), weight: 0), ResponseOption(value: .code("never"), weight: 0),
            ResponseOption(value: .code("yes"), weight: 1),
        ]
        var number = Item(linkId: "c", type: .integer)
        number.minValue = 0
        number.maxValue = 9
        let questionnaire = Questionnaire(
            code: "q", version: "1.0.0", item: [item, weighted, number],
            text: [
                "en": QuestionnaireText(
                    title: "Q", items: [:], options: ["a": ["1": "little"], "b": ["no": "No"]])
            ], languages: ["en"],
            scoring: ScoringKey(
                version: "1.0.0",
                scales: [Scale(id: "s", items: ["a", "b", "c"], reverse: ["a"], method: .sum)]))
        let keyed = KeyedItems(questionnaire)
        let answers: [JSONObject] = [
            ["a": 1, "b": "no", "c": 4], ["a": 1, "b": "yes", "c": 5], ["b": "never", "c": 6],
        ]
        let sheets = try answers.enumerated().map { index, answers -> ReportSheet in
            var sheet = ReportSheet(id: "\(index)")
            keyed.storeNumbers(of: try AnswerSheet(answers: answers, of: questionnaire), in: &sheet)
            return sheet
        }

        let report = ScaleReport(keyed, scale: 0, sheets: sheets, participants: nil)

        #expect(
            report.items.map { $0.answers.map(\.label) } == [
                ["little", "2", "3"], ["No / never", "yes"], [],
            ])
        #expect(report.items.map { $0.answers.map(\.count) } == [[2, 0, 0], [2, 1], []])
        #expect(report.items.map { $0.answers.map(\.value) } == [[1, 2, 3], [0, 1], []])
    }

    @Test func `a cancelled task makes no report`() async throws {
        let questionnaire = Questionnaire(
            code: "q", version: "1.0.0", item: [Item(linkId: "a", type: .integer)],
            text: ["en": QuestionnaireText(title: "Q", items: [:], options: [:])], languages: ["en"],
            scoring: ScoringKey(version: "1.0.0", scales: [Scale(id: "s", items: ["a"], method: .sum)]))
        let sheet = ReportSheet(id: "1", given: [1], keyed: [[1]], scores: [1])
        let report = { @Sendable in try InstrumentReport(KeyedItems(questionnaire), [sheet], arms: []) }
        #expect(try report().scales.map(\.id) == ["s"])

        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try report().sheetCount
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(
        arguments: [
            (.sum, [], true), (.mean, [.multiply(2), .divide(3), .add(1), .pomp], true), (.value, [], true),
            (.maximum, [], false), (.minimum, [], false), (.count, [], false), (.quotient, [], false),
            (.product, [], false), (.difference, [], false),
            (.sum, [.bins([])], false), (.sum, [.lookup(table: "t")], false),
            (.mean, [.clamp(least: 0, greatest: 3)], false),
        ] as [(ScoringMethod, [ScoreTransform], Bool)])
    func `alpha, omega and SEM are only printed for a sum or mean of the items`(
        method: ScoringMethod, transform: [ScoreTransform], isSum: Bool
    ) throws {
        let items = ["a", "b", "c"].map { Item(linkId: $0, type: .integer) }
        var scale = Scale(id: "s", items: ["a", "b", "c"], method: method)
        scale.transform = transform
        let questionnaire = Questionnaire(
            code: "q", version: "1.0.0", item: items,
            text: ["en": QuestionnaireText(title: "Q", items: [:], options: [:])], languages: ["en"],
            scoring: ScoringKey(version: "1.0.0", scales: [scale]))
        let sheets = [[1.0, 2, 1], [2, 1, 3], [4, 3, 4], [3, 5, 5]].enumerated().map { index, row in
            ReportSheet(id: "\(index)", given: row, keyed: [row], scores: [row.reduce(0, +)])
        }

        let report = ScaleReport(KeyedItems(questionnaire), scale: 0, sheets: sheets, participants: nil)

        for missing in MissingData.allCases {
            #expect(report.figures.first("alpha", missing)?.value.undefined == (isSum ? nil : .notSum))
        }
        for name in ["omega_total", "omega_total_raw", "sem", "mean_inter_item_r"] {
            #expect(report.figures.first(name)?.value.undefined == (isSum ? nil : .notSum), "\(name)")
        }
        #expect(report.items.count == 3)
        for item in report.items {
            #expect(item.figures.first("mean")?.value.value != nil)
            #expect(item.figures.first("alpha_if_dropped")?.value.undefined == (isSum ? nil : .notSum))
        }
        let repeated = ScaleReport(
            KeyedItems(questionnaire), scale: 0, sheets: sheets + sheets,
            participants: sheets.map { [$0, $0] })
        for name in [
            "error_of_difference", "smallest_reliable_change", "reliably_higher", "reliably_lower",
        ] {
            #expect(repeated.figures.first(name)?.value.undefined == (isSum ? nil : .notSum), "\(name)")
        }
        #expect(repeated.figures.first("reliability_rkf")?.value.undefined == (isSum ? nil : .notSum))
    }
}
