import Testing

@testable import SaunterCore

@Suite struct AnswerCodecTests {
    private typealias Samples = QuestionnaireSamples
    private let codec = AnswerCodec(Samples.everyType)

    @Test func `slots follow the questions, with one slot per option of a repeating choice`() {
        let described = codec.slots.map { "\($0.linkId) \($0.kind)\($0.option.map { " \($0)" } ?? "")" }

        #expect(
            described == [
                "truth boolean", "whole number", "real number", "line text", "note text", "day number",
                "clock number",
                "moment number", "rate choice", "place choice", "seen chosen 0", "seen chosen 1",
                "seen chosen 2",
                "inner choice", "deep text",
            ])
        #expect(["whole", "real", "day", "clock", "moment"].map(codec.numberIndex(of:)) == [0, 1, 2, 3, 4])
        #expect(codec.numberIndex(of: "rate") == nil)
        #expect(codec.slotIndex(of: "seen") == 10)
        #expect(codec.slotIndex(of: "inner") == 13)
        #expect(codec.slotIndex(of: "more") == nil)
    }

    @Test func `each item type has its stored form`() throws {
        let sheet = try AnswerSheet(
            answers: [
                "truth": true, "whole": -5, "real": 0.25, "line": "abc", "day": "1970-01-03",
                "clock": "00:01:01",
                "moment": "1970-01-01T00:00:01.5Z", "rate": 4, "place": "field", "seen": ["deer"], "inner": 1,
                "deep": "x",
            ], reasons: ["note": "refused"], of: Samples.everyType)

        let stored = codec.encode(sheet)

        #expect(stored.slots == [1, 0, 0, 0, -995, 0, 0, 0, 4, 1, 0, 1, 0, 0, -998])
        #expect(stored.numbers == [-5, 0.25, 2, 61, 1500])
        #expect(stored.texts == ["line": "abc"])
    }

    @Test func `a blank repeating choice has its reason in every slot and a blank number is null`() throws {
        let stored = codec.encode(
            try AnswerSheet(answers: ["truth": false], reasons: ["seen": "dont_know"], of: Samples.everyType))

        #expect(
            stored.slots == [
                0, -996, -996, -996, -996, -996, -996, -996, -996, -996, -994, -994, -994, -998, -998,
            ])
        #expect(stored.numbers == [nil, nil, nil, nil, nil])
        #expect(stored.texts.isEmpty)
    }

    @Test func `ten thousand random sheets survive a round trip through storage`() throws {
        var random = QuestionnaireRandom(state: 7)
        let index = QuestionnaireIndex(Samples.everyType)
        for _ in 0..<10_000 {
            let (answers, reasons) = Self.randomAnswers(index, &random)
            let sheet = try AnswerSheet(answers: answers, reasons: reasons, of: index)

            let back = try codec.decode(codec.encode(sheet))

            #expect(back.states == sheet.states)
            #expect(back.json == sheet.json)
            #expect(back.cleared.isEmpty)
        }
    }

    /// Valid answers to a random half of the items.
    static func randomAnswers(
        _ index: QuestionnaireIndex, _ random: inout QuestionnaireRandom
    ) -> (answers: JSONObject, reasons: JSONObject) {
        var answers = JSONObject()
        var reasons = JSONObject()
        for linkId in index.questions.shuffled(using: &random) {
            guard let item = index.item(linkId) else { continue }
            if Bool.random(using: &random) {
                answers[linkId] = value(of: item, &random)
            } else if let code = ["refused", "dont_know", "skipped", nil].randomElement(using: &random),
                let code
            {
                reasons[linkId] = .string(code)
            }
        }
        return (answers, reasons)
    }

    private static func value(of item: Item, _ random: inout QuestionnaireRandom) -> JSON {
        switch item.type {
        case .boolean: .bool(Bool.random(using: &random))
        case .integer: .int(Int.random(in: -5...5, using: &random))
        case .decimal: .double(Double(Int.random(in: 0...10_000, using: &random)) / 100)
        case .string: .string(["ab", "äöü", "🚶🏽", "x y z"].randomElement(using: &random) ?? "ab")
        case .text: .string("line one\nline \(UInt64.random(in: 0 ... .max, using: &random))")
        case .date: .string(LocalDate(days: Int.random(in: -719_162...2_932_896, using: &random)).description)
        case .time: .string(LocalTime(seconds: Int.random(in: 0..<86_400, using: &random))?.description ?? "")
        case .dateTime:
            .string(
                Instant(
                    milliseconds: Int64.random(in: -62_135_596_800_000...253_402_300_799_999, using: &random)
                ).description)
        case .choice where item.repeats:
            ["bird", "deer"].shuffled(using: &random).first.map { [.string($0)] } ?? []
        case .choice: item.answerOption.randomElement(using: &random)?.value.json ?? .null
        case .group, .display, .openChoice, .quantity, .ranking, .location: .null
        }
    }

    @Test func `stored answers that do not fit are rejected, and the fault names the item`() throws {
        let good = codec.encode(
            try AnswerSheet(
                answers: [
                    "truth": true, "whole": 1, "day": "2026-01-01", "line": "abc", "seen": ["bird"],
                    "rate": 1,
                ],
                of: Samples.everyType))
        func fault(_ change: (inout StoredAnswers) -> Void) -> StoredAnswersFault? {
            var stored = good
            change(&stored)
            do {
                _ = try codec.decode(stored)
                return nil
            } catch {
                return error
            }
        }

        #expect(fault { _ in } == nil)
        #expect(fault { $0.slots.removeLast() } == .slotCount(expected: 15, actual: 14))
        #expect(fault { $0.slots = [] } == .slotCount(expected: 15, actual: 0))
        #expect(fault { $0.numbers.append(1) } == .numberCount(expected: 5, actual: 6))
        #expect(fault { $0.slots[0] = 2 } == .slot(linkId: "truth"))
        #expect(fault { $0.slots[8] = 5 } == .slot(linkId: "rate"))
        #expect(fault { $0.slots[8] = -1 } == .slot(linkId: "rate"))
        #expect(fault { $0.slots[10] = 2 } == .slot(linkId: "seen"))
        #expect(fault { $0.slots[10] = 0 } == .slot(linkId: "seen"))
        #expect(fault { $0.slots[10] = -996 } == .slot(linkId: "seen"))
        #expect(fault { $0.slots[1] = 1 } == .slot(linkId: "whole"))
        #expect(fault { $0.slots[3] = 1 } == .slot(linkId: "line"))
        #expect(fault { $0.numbers[0] = nil } == .number(linkId: "whole"))
        #expect(fault { $0.numbers[0] = 0.5 } == .number(linkId: "whole"))
        #expect(fault { $0.numbers[0] = .nan } == .number(linkId: "whole"))
        #expect(fault { $0.numbers[0] = .infinity } == .number(linkId: "whole"))
        #expect(fault { $0.numbers[2] = 2_932_897 } == .number(linkId: "day"))
        #expect(fault { $0.texts = [:] } == .text(linkId: "line"))
    }

    @Test func `an answer that does not fit this version is stored as invalid`() throws {
        let other = Samples.questionnaire([Samples.rating("rate", 0...9), Samples.item("truth", .integer)])
        let sheet = try AnswerSheet(answers: ["rate": 9, "truth": 1], of: other)

        let stored = codec.encode(sheet)

        #expect(stored.slots[0] == -992)
        #expect(stored.slots[8] == -992)
        #expect(stored.slots[1] == -999)
        #expect(try codec.decode(stored).state(of: "rate") == .missing(.invalid))
    }

    @Test func `the thousandth option fits a slot`() throws {
        let questionnaire = Samples.questionnaire([Samples.rating("q", 0...999)])
        let codec = AnswerCodec(questionnaire)

        let sheet = try AnswerSheet(answers: ["q": 999], of: questionnaire)

        #expect(codec.encode(sheet).slots == [999])
        #expect(try codec.decode(codec.encode(sheet)) == sheet)
    }
}
