import Testing

@testable import SaunterCore

@Suite struct ReferredEntryTests {
    private static let promise = AnyTimeRule.Reference(questionnaire: "promise")
    private static let kept = AnyTimeRule(questionnaire: "kept", refersTo: promise)
    private static let optional = AnyTimeRule(
        questionnaire: "page", refersTo: AnyTimeRule.Reference(questionnaire: "promise", isRequired: false))

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var rule: AnyTimeRule?
        var isGiven: Bool
        var entry: ReferredEntry?
        var code: String?
    }

    @Test(arguments: [
        Case(testDescription: "no rule, no reference", rule: nil, isGiven: false, entry: nil, code: nil),
        Case(testDescription: "no rule", rule: nil, isGiven: true, entry: nil, code: "wrong_entry"),
        Case(
            testDescription: "a rule without references", rule: "mood", isGiven: true, entry: nil,
            code: "wrong_entry"),
        Case(testDescription: "required", rule: kept, isGiven: false, entry: nil, code: "required"),
        Case(testDescription: "optional", rule: optional, isGiven: false, entry: nil, code: nil),
        Case(testDescription: "unknown", rule: kept, isGiven: true, entry: nil, code: "unknown_entry"),
        Case(
            testDescription: "another questionnaire", rule: kept, isGiven: true,
            entry: ReferredEntry(questionnaire: "mood"), code: "wrong_entry"),
        Case(
            testDescription: "the right questionnaire", rule: optional, isGiven: true,
            entry: ReferredEntry(questionnaire: "promise", isDeleted: true), code: nil),
    ])
    func `a reference is checked against the rule of its questionnaire`(_ given: Case) {
        let fault = AnyTimeRule.referenceFault(of: given.rule, isGiven: given.isGiven, entry: given.entry)

        #expect(fault?.code == given.code)
        #expect(fault == nil || fault?.pointer == "/refers_to")
    }

    @Test func `an entry is ended from the moment of its end on`() throws {
        let end = try at("2026-11-21T12:00:00Z")
        let entry = ReferredEntry(questionnaire: "promise", endedAt: end)

        #expect(!entry.isEnded(at: end.adding(milliseconds: -1)))
        #expect(entry.isEnded(at: end))
        #expect(!ReferredEntry(questionnaire: "promise").isEnded(at: end))
    }

    @Test func `a deleted entry is ended at any time`() throws {
        let entry = ReferredEntry(questionnaire: "promise", isDeleted: true)

        #expect(entry.isEnded(at: .minimum))
    }
}
