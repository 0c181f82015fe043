import SaunterCore
import Testing

@testable import SaunterCohort

@Suite struct SubmissionOutcomesTests {
    private func item(_ kind: String, _ id: String) -> JSON { ["kind": .string(kind), "id": .string(id)] }

    private func result(_ id: String, _ code: String) -> JSON {
        ["id": .string(id), "result": .string(code)]
    }

    @Test func `every stored sheet is acknowledged, but walks are not counted`() {
        let codes = ["accepted", "replayed", "duplicate", "out_of_window"]
        var outcomes = SubmissionOutcomes()

        outcomes.addResults(
            ["items": .array(codes.map { result($0, $0) } + [result("w", "accepted")])],
            of: codes.map { item("answer_sheet", $0) } + [item("walk", "w")])

        #expect(outcomes == SubmissionOutcomes(acknowledged: Set(codes)))
    }

    @Test func `every other result is a rejection with its reason, and so is a missing result`() {
        let problem: JSON = [
            "title": "Invalid", "detail": "One fault.",
            "errors": [["pointer": "/answers/a", "code": "required", "detail": "It needs an answer."]],
        ]
        var outcomes = SubmissionOutcomes()

        outcomes.addResults(
            [
                "items": [
                    ["id": "a", "result": "rejected", "problem": problem], result("b", "retry"),
                    result("c", "postponed"), result("d", "accepted"),
                ]
            ], of: ["a", "b", "c", "d", "e"].map { item("answer_sheet", $0) })

        #expect(outcomes.acknowledged == ["d"])
        #expect(
            outcomes.rejections == [
                "answer_sheet a: rejected: Invalid; One fault.; /answers/a It needs an answer.",
                "answer_sheet b: retry", "answer_sheet c: postponed", "answer_sheet e: no result",
            ])
    }

    @Test func `a rejected single submission is counted like a rejected item of a batch upload`() {
        var outcomes = SubmissionOutcomes()

        outcomes.addRejected("a", ["title": "Invalid", "detail": "One fault."])

        #expect(outcomes == SubmissionOutcomes(rejections: ["answer_sheet a: rejected: Invalid; One fault."]))
    }

    @Test func `a report has the first ten rejections and the total number`() {
        let many = SubmissionOutcomes(rejections: (1...12).map { "reason \($0)" })

        #expect(SubmissionOutcomes(acknowledged: ["a"]).rejectionLines == [])
        #expect(many.reasons == ArraySlice((1...10).map { "reason \($0)" }))
        #expect(
            many.rejectionLines == [
                "The server rejected 12 records of simulated participants:"
            ] + (1...10).map { "  reason \($0)" })
    }

    @Test func `the outcomes of several participants can be added`() {
        var outcomes = SubmissionOutcomes(acknowledged: ["a"], rejections: ["one"])

        outcomes.add(SubmissionOutcomes(acknowledged: ["b"], rejections: ["two"]))

        #expect(outcomes == SubmissionOutcomes(acknowledged: ["a", "b"], rejections: ["one", "two"]))
    }
}
