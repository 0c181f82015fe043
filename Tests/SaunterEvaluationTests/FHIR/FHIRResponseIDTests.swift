import Testing

@testable import SaunterEvaluation

@Suite struct FHIRResponseIDTests {
    @Test func `an id can be parsed to enrolment and sheet`() throws {
        let enrolment = "E00000000-0000-4000-8000-0000000000e1"
        let sheet = "S01234567-89ab-4cde-8f01-23456789abcd"
        let id = FHIRResponseID(enrolment, sheet)
        let read = try #require(FHIRResponseID.read(id.text))

        #expect(id.text.utf8.count == 64)
        #expect(read.enrolment == enrolment && read.sheet == sheet)
    }

    @Test(arguments: ["", "x", String(repeating: "g", count: 64), String(repeating: "A", count: 64)])
    func `another text is not an id`(text: String) {
        #expect(FHIRResponseID.read(text) == nil)
    }
}
