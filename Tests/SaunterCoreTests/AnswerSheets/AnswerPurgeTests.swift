import Testing

@testable import SaunterCore

@Suite struct AnswerPurgeTests {
    private typealias Samples = QuestionnaireSamples

    private static let questionnaire = Samples.questionnaire([
        Samples.item("mood", .integer) { $0.maxValue = 10 },
        Samples.item("spot", .location) { $0.dataKind = "location" },
        Samples.item("words", .text) { $0.dataKind = "diary" },
        Samples.item("list", .string) { ($0.repeats, $0.dataKind) = (true, "diary") },
        Samples.item("visits", .group) {
            $0.repeats = true
            $0.item = [
                Samples.item("name", .string), Samples.item("at", .location) { $0.dataKind = "location" },
            ]
        },
    ])
    private static let codec = AnswerCodec(questionnaire)
    private static let answers: JSONObject = [
        "mood": 4, "spot": ["lat": 52.5, "lon": 13.4, "accuracy_m": 20], "words": "at home",
        "list": ["one", "two"],
        "visits": [["name": "Ada", "at": ["lat": 48.1, "lon": 11.5]], ["name": "Ben"]],
    ]

    private static func stored() throws -> StoredAnswers {
        codec.encode(try AnswerSheet(answers: answers, of: questionnaire))
    }

    @Test func `answers of the kind are replaced by the reason, and all others stay`() throws {
        let items = try #require(Self.questionnaire.itemsByDataKind["location"])

        let (answers, purged) = try #require(
            try Self.codec.purging(items, from: try Self.stored(), as: .noConsent))
        let sheet = try Self.codec.decode(answers)

        #expect(items == ["spot", "at"] && purged == ["at", "spot"])
        #expect(sheet.state(of: "spot") == .missing(.noConsent))
        #expect(sheet.answer(to: "mood") == .integer(4) && sheet.answer(to: "words") == .text("at home"))
        #expect(sheet.json["visits"] == [["name": "Ada"], ["name": "Ben"]])
        #expect(!answers.numbers.contains(52.5))
        #expect(!answers.repeated.contains { $0.value?.contains("48.1") ?? false })
    }

    @Test func `texts and the values of a repeating item are removed`() throws {
        let (answers, purged) = try #require(
            try Self.codec.purging(["words", "list"], from: try Self.stored(), as: .noConsent))
        let sheet = try Self.codec.decode(answers)

        #expect(purged == ["list", "words"])
        #expect(answers.texts.keys.sorted() == ["name.1", "name.2"])
        #expect(sheet.state(of: "words") == .missing(.noConsent))
        #expect(sheet.state(of: "list") == .missing(.noConsent))
    }

    @Test func `a sheet without such answers is unchanged`() throws {
        let sheet = try AnswerSheet(answers: ["mood": 4], of: Self.questionnaire)

        let purged = try Self.codec.purging(
            ["spot", "at"], from: Self.codec.encode(sheet), as: .noConsent)

        #expect(purged == nil)
    }

    @Test func `purging again changes nothing`() throws {
        let (answers, _) = try #require(
            try Self.codec.purging(["spot", "at"], from: try Self.stored(), as: .noConsent))

        #expect(try Self.codec.purging(["spot", "at"], from: answers, as: .noConsent) == nil)
    }

    @Test func `answers of another version are a fault`() throws {
        let other = AnswerCodec(Samples.questionnaire([Samples.item("mood", .integer)]))

        #expect(throws: StoredAnswersFault.self) {
            try other.purging(["spot"], from: try Self.stored(), as: .noConsent)
        }
    }

    @Test func `the body of a sheet is written without the answers`() {
        let body: JSON = ["questionnaire": "q", "answers": .object(Self.answers), "spot": 1]

        let stripped = body.withoutAnswers(to: ["spot", "at", "words"])

        #expect(
            stripped == [
                "questionnaire": "q",
                "answers": [
                    "mood": 4, "list": ["one", "two"], "visits": [["name": "Ada"], ["name": "Ben"]],
                ], "spot": 1,
            ])
        #expect(body.withoutAnswers(to: []) == body && JSON.null.withoutAnswers(to: ["spot"]) == .null)
    }
}
