import SaunterCore
import Testing

@testable import SaunterCohort

@Suite struct HandedInTests {
    private func item(_ kind: String, _ id: String) -> JSON { ["kind": .string(kind), "id": .string(id)] }

    private func result(_ id: String, _ word: String) -> JSON {
        ["id": .string(id), "result": .string(word)]
    }

    @Test func `what is stored is acknowledged, walks apart`() {
        let words = ["accepted", "replayed", "duplicate", "out_of_window"]
        var handedIn = HandedIn()

        handedIn.note(
            ["items": .array(words.map { result($0, $0) } + [result("w", "accepted")])],
            to: words.map { item("answer_sheet", $0) } + [item("walk", "w")])

        #expect(handedIn == HandedIn(acknowledged: Set(words)))
    }

    @Test func `whatever else the server says is a rejection with its reason, and so is silence`() {
        let problem: JSON = [
            "title": "Invalid", "detail": "One fault.",
            "errors": [["pointer": "/answers/a", "code": "required", "detail": "It needs an answer."]],
        ]
        var handedIn = HandedIn()

        handedIn.note(
            [
                "items": [
                    ["id": "a", "result": "rejected", "problem": problem], result("b", "retry"),
                    result("c", "postponed"), result("d", "accepted"),
                ]
            ], to: ["a", "b", "c", "d", "e"].map { item("answer_sheet", $0) })

        #expect(handedIn.acknowledged == ["d"])
        #expect(
            handedIn.rejections == [
                "answer_sheet a: rejected: Invalid; One fault.; /answers/a It needs an answer.",
                "answer_sheet b: retry", "answer_sheet c: postponed", "answer_sheet e: no result",
            ])
    }

    @Test func `a sheet that was not taken at once is a rejection as one of an outbox is`() {
        var handedIn = HandedIn()

        handedIn.note(rejected: "a", ["title": "Invalid", "detail": "One fault."])

        #expect(handedIn == HandedIn(rejections: ["answer_sheet a: rejected: Invalid; One fault."]))
    }

    @Test func `of many rejections the first ten are told, with the number of all`() {
        let many = HandedIn(rejections: (1...12).map { "reason \($0)" })

        #expect(HandedIn(acknowledged: ["a"]).rejectionLines == [])
        #expect(many.reasons == ArraySlice((1...10).map { "reason \($0)" }))
        #expect(
            many.rejectionLines == [
                "The server rejected 12 of what made-up people handed in:"
            ] + (1...10).map { "  reason \($0)" })
    }

    @Test func `those of several people are told together`() {
        var handedIn = HandedIn(acknowledged: ["a"], rejections: ["one"])

        handedIn.add(HandedIn(acknowledged: ["b"], rejections: ["two"]))

        #expect(handedIn == HandedIn(acknowledged: ["a", "b"], rejections: ["one", "two"]))
    }
}
