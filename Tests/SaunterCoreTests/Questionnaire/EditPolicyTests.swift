import Testing

@testable import SaunterCore

@Suite struct EditPolicyTests {
    private typealias Samples = QuestionnaireSamples

    @Test(arguments: [
        (EditPolicy(), "{}"),
        (EditPolicy(correctWithin: .within(seconds: 60)), #"{"correct_within_s":60}"#),
        (EditPolicy(correctWithin: .always), #"{"correct_always":true}"#),
        (
            EditPolicy(correctWithin: .within(seconds: 60), deleteWithin: .always, deletion: .purge),
            #"{"correct_within_s":60,"delete_always":true,"deletion":"purge"}"#
        ),
        (EditPolicy(deleteWithin: .within(seconds: 1)), #"{"delete_within_s":1}"#),
    ])
    func `a limit is a number of seconds, or always, or absent`(policy: EditPolicy, json: String) {
        #expect(policy.json.text == json)
    }

    @Test func `each part of the policy changes the digest, and the default does not`() {
        let base = Samples.questionnaire([Samples.item("a", .integer)])
        func digest(_ policy: EditPolicy) -> String {
            var changed = base
            changed.edit = policy
            return changed.digest
        }

        #expect(digest(EditPolicy()) == base.digest)
        let digests = [
            EditPolicy(), EditPolicy(correctWithin: .always), EditPolicy(deleteWithin: .always),
            EditPolicy(deleteWithin: .always, deletion: .purge),
            EditPolicy(correctWithin: .within(seconds: 1)),
        ].map(digest)
        #expect(Set(digests).count == digests.count)
    }

    @Test func `a questionnaire with a change in its scoring key cannot purge sheets`() {
        func faults(_ deletion: EditPolicy.Deletion, hasChange: Bool) -> [String] {
            var questionnaire = Samples.ratings(2, 0...4) { scale in
                if hasChange {
                    scale.change = ChangeRule(
                        standardDeviation: 2, reliability: 0.8, source: "x", direction: .higherIsBetter)
                }
            }
            questionnaire.edit = EditPolicy(deleteWithin: .always, deletion: deletion)
            return questionnaire.faults().map { "\($0.pointer) \($0.code)" }
        }

        #expect(faults(.purge, hasChange: true).contains("/edit/deletion purge_with_change"))
        #expect(!faults(.keep, hasChange: true).contains("/edit/deletion purge_with_change"))
        #expect(faults(.purge, hasChange: false) == [])
    }
}
