import SaunterCore
import Testing

@Suite struct AccountPolicyTests {
    @Test(arguments: [
        ([30], 30 as Int?), ([30, 400], 400), ([400, 30], 400), ([30, nil], nil), ([nil], nil),
        ([], AccountPolicy.daysWithoutStudy),
    ])
    func `an unused account is kept for the longest time of its studies`(days: [Int?], expected: Int?) {
        let policies = days.map {
            AccountPolicy(kinds: [.anonymous, .registered], anonymousKeptDays: $0)
        }

        #expect(AccountPolicy.daysWithoutUse(policies) == expected)
    }

    @Test(arguments: [
        ("Hello {{name}}, 2 due", "Hello, 2 due"), ("Good morning, {{ name }}!", "Good morning!"),
        ("{{name}}, how are you?", "how are you?"), ("{{name}}", ""), ("Study {{study}}.", "Study ."),
    ])
    func `the name of a participant who states none is left out with its comma`(
        template: String, expected: String
    ) {
        #expect(TextTemplate.fill(template, ["name": "", "study": ""]) == expected)
    }
}
