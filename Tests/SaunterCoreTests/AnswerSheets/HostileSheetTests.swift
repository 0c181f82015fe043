import Testing

@testable import SaunterCore

/// Sheets of random JSON. Each sheet is either rejected with faults, or survives a round trip.
@Suite struct HostileSheetTests {
    private typealias Samples = QuestionnaireSamples

    private static let scalars = [
        "null", "true", "false", "0", "-1", "5", "2.5", "-0.0", "1e2", "1e400", "-9223372036854775808",
        "9223372036854775808",
        "9007199254740993", "0.1234567890123456789", "1e-400", "1e999999999999", #""""#, #"" ""#, #""x""#,
        #""deer""#, #""none""#,
        #""town""#, #""2026-02-28""#, #""2026-02-30""#, #""23:59:59""#, #""2026-11-21T08:00:00Z""#,
        #""9999-12-31T23:59:59-18:00""#,
        #""\u00e9""#, #""e\u0301""#, #""\ud83d\ude00\ud83d\ude00""#, #""\u202e""#, "{}", "[]", #"{"a":[1]}"#,
    ]

    private static func text(_ random: inout QuestionnaireRandom) -> String {
        guard Int.random(in: 0..<5, using: &random) == 0 else {
            return scalars.randomElement(using: &random) ?? "null"
        }
        let count = Int.random(in: 0...5, using: &random)
        return "["
            + (0..<count).map { _ in scalars.randomElement(using: &random) ?? "null" }.joined(separator: ",")
            + "]"
    }

    @Test func `twenty thousand random sheets are rejected with faults or survive a round trip`() throws {
        var random = QuestionnaireRandom(state: 42)
        let index = QuestionnaireIndex(Samples.everyType)
        let codec = AnswerCodec(index)
        let names = index.questions + ["more", "hint", "", "Truth", "truth\u{301}", "a/b~c"]
        var acceptedCount = 0
        for _ in 0..<20_000 {
            var answers = JSONObject()
            var reasons = JSONObject()
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                answers[names.randomElement(using: &random) ?? ""] = try JSONReader.read(Self.text(&random))
                if Int.random(in: 0..<8, using: &random) == 0 {
                    let code =
                        ["refused", "not_shown", "skipped", "else"].randomElement(using: &random) ?? ""
                    reasons[names.randomElement(using: &random) ?? ""] = .string(code)
                }
            }
            do {
                let sheet = try AnswerSheet(answers: answers, reasons: reasons, of: index)
                acceptedCount += 1
                let written = try #require(try JSONReader.read(JSON.object(sheet.json).bytes).object)
                let again = try AnswerSheet(answers: written, reasons: sheet.reasons, of: index)
                #expect(again.states == sheet.states)
                #expect(try codec.decode(codec.encode(sheet)).states == sheet.states)
            } catch let faults as Faults {
                #expect(!faults.list.isEmpty)
                #expect(
                    faults.list.allSatisfy {
                        $0.pointer.hasPrefix("/answers/") || $0.pointer.hasPrefix("/reasons/")
                    })
                #expect(faults.list.allSatisfy { !$0.code.isEmpty && !$0.detail.isEmpty })
            }
        }
        #expect(acceptedCount > 2000)
    }

    @Test func `a fault never quotes the answer`() throws {
        let secret = "s3cret-answer"
        for linkId in QuestionnaireIndex(Samples.everyType).questions {
            for value: JSON in [
                .string(secret), [.string(secret)], .string(String(repeating: secret, count: 2000)),
            ] {
                do {
                    _ = try AnswerSheet(answers: [linkId: value], of: Samples.everyType)
                } catch {
                    #expect(
                        error.list.allSatisfy { !$0.detail.contains(secret) && !$0.pointer.contains(secret) })
                }
            }
        }
    }

    /// Twelve booleans with conditions on earlier ones, compared with a recursive oracle.
    @Test func `visibility agrees with a recursive evaluation of the conditions`() throws {
        var random = QuestionnaireRandom(state: 77)
        for _ in 0..<400 {
            let items = (0..<12).map { number in
                Samples.item("i\(number)", .boolean) { item in
                    guard number > 0 else { return }
                    item.enableBehavior = Bool.random(using: &random) ? .all : .any
                    item.enableWhen = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                        Samples.when(
                            "i\(Int.random(in: 0..<number, using: &random))",
                            [.equal, .notEqual, .exists].randomElement(using: &random) ?? .equal,
                            .boolean(Bool.random(using: &random)))
                    }
                }
            }
            let given = items.map { _ in [true, false, nil].randomElement(using: &random) ?? nil }
            let answers = JSONObject(
                given.enumerated().compactMap { number, value in
                    value.map { JSONObject.Member(name: "i\(number)", value: .bool($0)) }
                })

            let sheet = try AnswerSheet(answers: answers, of: Samples.questionnaire(items))

            let oracle = Oracle(items: items, given: given)
            for number in items.indices {
                let isShown = sheet.state(of: "i\(number)") != .missing(.notShown)
                #expect(isShown == oracle.isShown(number))
            }
        }
    }

    private struct Oracle {
        let items: [Item]
        let given: [Bool?]

        func isShown(_ number: Int) -> Bool {
            let outcomes = items[number].enableWhen.map { condition in
                let asked = Int(condition.question.dropFirst()) ?? 0
                let answer = isShown(asked) ? given[asked] : nil
                let wanted = condition.answer == .boolean(true)
                switch condition.comparison {
                case .exists: return (answer != nil) == wanted
                case .equal: return answer == wanted
                default: return answer != wanted
                }
            }
            if outcomes.isEmpty { return true }
            return items[number].enableBehavior == .all ? !outcomes.contains(false) : outcomes.contains(true)
        }
    }
}
