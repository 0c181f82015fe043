import Testing

@testable import SaunterCore

@Suite struct FaultTests {
    @Test(arguments: [
        ("plain", "plain"), ("a/b", "a~1b"), ("a~b", "a~0b"), ("~1", "~01"), ("/~/", "~1~0~1"), ("", ""),
    ])
    func `a pointer step escapes only tilde and slash`(step: String, escaped: String) {
        #expect(Fault.escape(step) == escaped)
    }
}
