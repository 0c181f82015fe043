import Testing

@testable import SaunterCore

@Suite struct AnswerSheetTests {
    private typealias Samples = QuestionnaireSamples

    private func faults(_ answers: JSONObject, _ reasons: JSONObject = [:], _ items: [Item]) -> [String] {
        do {
            _ = try AnswerSheet(answers: answers, reasons: reasons, of: Samples.questionnaire(items))
            return []
        } catch {
            return error.list.map { "\($0.pointer) \($0.code)" }
        }
    }

    @Test func `a sheet has the state of every question, in order`() throws {
        let sheet = try AnswerSheet(
            answers: ["place": "town", "truth": true, "inner": 1],
            reasons: ["whole": "refused", "real": nil],
            of: Samples.everyType)

        #expect(sheet.questionnaire == "sample")
        #expect(sheet.version == "1.0.0")
        #expect(sheet.questions == Samples.everyType.questions.map(\.linkId))
        #expect(Set(sheet.states.keys) == Set(sheet.questions))
        #expect(sheet.state(of: "place") == .answered(.option(.code("town"))))
        #expect(sheet.state(of: "whole") == .missing(.refused))
        #expect(sheet.state(of: "real") == .missing(.skipped))
        #expect(sheet.state(of: "deep") == .missing(.notShown))
        #expect(sheet.state(of: "hint") == .missing(.notInVersion))
        #expect(sheet.cleared.isEmpty)
    }

    @Test func `all faults are reported at once`() {
        let items = [
            Samples.rating("q1", 0...4, required: true), Samples.rating("q2", 0...4, required: true),
            Samples.item("g", .group) { $0.item = [Samples.item("n", .integer)] },
            Samples.item("d", .display),
        ]

        let found = faults(
            ["q1": 9, "g": 1, "d": "x", "n": "y", "q/~3": 1], ["q9": "refused", "n": "later"], items)

        #expect(
            Set(found) == [
                "/answers/g not_a_question", "/answers/d not_a_question", "/answers/q~1~03 unknown_item",
                "/reasons/q9 unknown_item", "/reasons/n unknown_reason", "/answers/q1 not_an_option",
                "/answers/q2 required", "/answers/n wrong_type",
            ])
        #expect(found.count == 8)
    }

    @Test func `pointers begin with the caller's pointer`() {
        let faults = #expect(throws: Faults.self) {
            try AnswerSheet(
                answers: ["x": 1], reasons: ["y": "skipped"], of: Samples.everyType,
                pointer: "/items/3/body/answers",
                reasonsPointer: "/r")
        }

        #expect(faults?.list.map(\.pointer) == ["/items/3/body/answers/x", "/r/y"])
    }

    @Test func `a required item needs an answer only if it is shown`() {
        let items = [
            Samples.item("a", .boolean),
            Samples.item("b", .integer) {
                $0.required = true
                $0.enableWhen = [Samples.when("a", .equal, .boolean(true))]
            },
        ]

        #expect(faults(["a": true], items) == ["/answers/b required"])
        #expect(faults(["a": true, "b": nil], ["b": "refused"], items) == ["/answers/b required"])
        #expect(faults(["a": false], items) == [])
        #expect(faults([:], items) == [])
    }

    private func faults(_ answers: JSONObject, _ items: [Item]) -> [String] { faults(answers, [:], items) }

    @Test func `a reason explains a blank and cannot accompany an answer`() throws {
        let items = ["a", "b", "c", "d", "e"].map { Samples.item($0, .integer) }
        let sheet = try AnswerSheet(
            answers: [:],
            reasons: [
                "a": "refused", "b": "dont_know", "c": "not_applicable", "d": "not_reached", "e": "skipped",
            ],
            of: Samples.questionnaire(items))

        #expect(
            items.map { sheet.state(of: $0.linkId) } == [
                .missing(.refused), .missing(.dontKnow), .missing(.notApplicable), .missing(.notReached),
                .missing(.skipped),
            ])
        #expect(faults(["a": 1], ["a": "refused"], items) == ["/reasons/a reason_for_answered"])
        #expect(faults([:], ["a": "not_shown"], items) == ["/reasons/a item_is_shown"])
        for code in ["redacted", "withdrawn", "invalid", "not_in_version", "", "Refused"] {
            #expect(faults([:], ["a": .string(code)], items) == ["/reasons/a unknown_reason"])
        }
        #expect(faults([:], ["a": 1], items) == ["/reasons/a unknown_reason"])
    }

    @Test func `an item that is answered twice is rejected, even if the JSON reader accepted it`() {
        let twice = JSONObject([.init(name: "a", value: 1), .init(name: "a", value: 2)])

        #expect(faults(twice, [Samples.item("a", .integer)]) == ["/answers/a duplicate_member"])
    }

    @Test func `a hundred thousand unknown items cause a thousand faults`() {
        let answers = JSONObject((0..<100_000).map { .init(name: "x\($0)", value: 1) })

        #expect(faults(answers, [Samples.item("a", .integer)]).count == 1000)
    }

    @Test func `read-only and hidden items receive their initial value`() throws {
        let items = [
            Samples.item("fixed", .integer) { ($0.readOnly, $0.initial) = (true, .integer(3)) },
            Samples.item("quiet", .string) { ($0.hidden, $0.initial) = (true, .text("abc")) },
            Samples.item("unseen", .string) { $0.hidden = true },
            Samples.item("open", .integer) { $0.initial = .integer(1) },
        ]
        let sheet = try AnswerSheet(answers: ["quiet": "from the client"], of: Samples.questionnaire(items))

        #expect(sheet.state(of: "fixed") == .answered(.integer(3)))
        #expect(sheet.state(of: "quiet") == .answered(.text("from the client")))
        #expect(sheet.state(of: "unseen") == .missing(.notShown))
        #expect(sheet.state(of: "open") == .missing(.skipped))
        #expect(faults(["fixed": 3], items) == [])
        #expect(faults(["fixed": 4], items) == ["/answers/fixed read_only"])
    }

    @Test func `the JSON of a sheet can be submitted again and produces the same sheet`() throws {
        let sheet = try AnswerSheet(
            answers: [
                "truth": true, "whole": -5, "real": 0.25, "line": "abc", "note": "x", "day": "2026-01-31",
                "clock": "06:30:01",
                "moment": "2026-11-21T08:00:00Z", "rate": 0, "place": "wood", "seen": ["deer", "bird"],
                "inner": 2,
            ], reasons: ["deep": "dont_know"], of: Samples.everyType)

        let again = try AnswerSheet(answers: sheet.json, reasons: sheet.reasons, of: Samples.everyType)

        #expect(again == sheet)
        #expect(sheet.json["seen"] == ["bird", "deer"])
        #expect(sheet.json["clock"] == "06:30:01")
        #expect(sheet.reasons == ["deep": "dont_know"])
    }

    @Test func `reasons of items that are not shown can be submitted again`() throws {
        let sheet = try AnswerSheet(answers: ["truth": false], of: Samples.everyType)

        #expect(sheet.reasons["inner"] == "not_shown")
        #expect(try AnswerSheet(answers: sheet.json, reasons: sheet.reasons, of: Samples.everyType) == sheet)
    }
}
