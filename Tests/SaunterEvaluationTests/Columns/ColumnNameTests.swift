import Testing

@testable import SaunterEvaluation

@Suite struct ColumnNameTests {
    @Test(arguments: [
        ("q1", true), ("a_1__b", true), (String(repeating: "a", count: 32), true),
        (String(repeating: "a", count: 33), false),
        ("", false), ("1a", false), ("_a", false), ("A", false), ("a-b", false), ("ä", false), ("a\"", false),
    ])
    func `a name has at most 32 lower-case letters, digits and underscores`(name: String, isValid: Bool) {
        #expect(ColumnName.isValid(name) == isValid)
    }

    @Test func `a name that is taken, too long or malformed always gets the same valid replacement`() {
        let long = String(repeating: "long_name_", count: 4)
        for wanted in ["version", long, "Ä b", "9"] {
            let name = ColumnName.free(wanted, taken: ["version"])
            #expect(ColumnName.isValid(name))
            #expect(name != "version")
            #expect(name == ColumnName.free(wanted, taken: ["version", "other"]))
            let second = ColumnName.free(wanted, taken: ["version", name])
            #expect(ColumnName.isValid(second))
            #expect(second != name)
        }
        #expect(ColumnName.free("version", taken: []) == "version")
    }
}
