import Testing

@testable import SaunterCore

@Suite struct IdentifiersTests {
    @Test func `an id is parsed in any letter case and written in lower case`() throws {
        let id = try #require(SheetID("019A2B3C-4D5E-7F60-8123-456789ABCDEF"))

        #expect(id.description == "019a2b3c-4d5e-7f60-8123-456789abcdef")
        #expect(SheetID(id.description) == id)
    }

    @Test(arguments: [
        "", "019a2b3c4d5e7f608123456789abcdef", "{019a2b3c-4d5e-7f60-8123-456789abcde}",
        "019a2b3c-4d5e-7f60-8123-456789abcdeg",
        "019a2b3c-4d5e-7f60-8123-456789abcdef ", " 19a2b3c-4d5e-7f60-8123-456789abcdef",
        "019a2b3c-4d5e-7f60-8123-456789abcde",
        "019a2b3c+4d5e-7f60-8123-456789abcdef", "019a2b3c-4d5e-7f608-123-456789abcdef",
        "------------------------------------",
        "019a2b3c-4d5e-7f60-8123-456789abcd\u{e9}",
    ])
    func `other forms are rejected`(text: String) {
        #expect(SheetID(text) == nil)
    }

    @Test func `ids have the byte order of the database`() throws {
        let texts = [
            "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-0000000000ff",
            "019a2b3c-4d5e-7f60-8123-456789abcdef",
            "9fffffff-ffff-ffff-ffff-ffffffffffff", "a0000000-0000-0000-0000-000000000000",
        ]
        let ids = try texts.map { try #require(WalkID($0)) }

        #expect(ids.reversed().sorted() == ids)
    }
}
