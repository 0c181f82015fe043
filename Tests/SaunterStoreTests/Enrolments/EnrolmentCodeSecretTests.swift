import Testing

@testable import SaunterStore

@Suite struct EnrolmentCodeSecretTests {
    private static let code = "K7QF-2M9X-HD3E"
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    @Test func `a new code has three groups of four symbols, and is read again`() throws {
        var seen: Set<String> = []
        for _ in 0..<1000 {
            let text = EnrolmentCodeSecret.make().text
            #expect(text.split(separator: "-").map(\.count) == [4, 4, 4])
            #expect(text.allSatisfy { $0 == "-" || Self.alphabet.contains($0) })
            #expect(try #require(EnrolmentCodeSecret(typed: text)).text == text)
            seen.insert(text)
        }
        #expect(seen.count == 1000)
    }

    @Test(arguments: [
        "k7qf-2m9x-hd3e", " K7QF 2M9X\tHD3E\n", "K7QF2M9XHD3E", "k7qf.2m9x_hd3e", "K7QF–2M9X—HD3E",
        "K7-QF2-M9XHD-3E",
    ])
    func `case and separators make no difference`(typed: String) throws {
        #expect(try #require(EnrolmentCodeSecret(typed: typed)).text == Self.code)
    }

    @Test func `letters that look like digits are read as digits`() throws {
        let digits = try #require(Self.codes(beginningWith: "101").first)

        let typed = String(digits.dropFirst(3))
        for confusion in ["IOI", "lol", "LoI", "iO1"] {
            #expect(try #require(EnrolmentCodeSecret(typed: confusion + typed)).normalised == digits)
        }
    }

    @Test(arguments: [
        "", "-", "K7QF-2M9X-HD3", "K7QF-2M9X-HD3EE", "K7QF-2M9X-HD3U", "K7QF+2M9X+HD3E", "ß7QF-2M9X-HD3E",
    ])
    func `a text of another form is no code`(typed: String) {
        #expect(EnrolmentCodeSecret(typed: typed) == nil)
    }

    @Test func `every wrong symbol is detected`() {
        let symbols = Array(Self.code.filter { $0 != "-" })
        for index in symbols.indices {
            for other in Self.alphabet where other != symbols[index] {
                var wrong = symbols
                wrong[index] = other
                #expect(EnrolmentCodeSecret(typed: String(wrong)) == nil)
            }
        }
    }

    @Test func `every swap of two different neighbours is detected`() {
        var swaps = 0
        for _ in 0..<200 {
            let symbols = Array(EnrolmentCodeSecret.make().normalised)
            for index in 1..<symbols.count where symbols[index] != symbols[index - 1] {
                var wrong = symbols
                wrong.swapAt(index, index - 1)
                #expect(EnrolmentCodeSecret(typed: String(wrong)) == nil)
                swaps += 1
            }
        }
        #expect(swaps > 1000)
    }

    @Test func `a code never shows itself in a log`() {
        let code = EnrolmentCodeSecret.make()
        #expect(!"\(code)".contains(code.text) && !String(reflecting: code).contains(code.normalised))
    }

    @Test func `the digest depends on the code and the study`() throws {
        let (first, second) = (EnrolmentCodeSecret.make(), EnrolmentCodeSecret.make())
        let secrets = StoreFixture.secrets

        #expect(secrets.lookup(first, of: "walks") == secrets.lookup(first, of: "walks"))
        #expect(secrets.lookup(first, of: "walks") != secrets.lookup(second, of: "walks"))
        #expect(secrets.lookup(first, of: "walks") != secrets.lookup(first, of: "moods"))
        let other = StoreSecrets(master: Array(repeating: 8, count: 32))
        #expect(secrets.lookup(first, of: "walks") != other.lookup(first, of: "walks"))
    }

    /// Codes whose first symbols are given, with their check symbols.
    private static func codes(beginningWith start: String) -> [String] {
        alphabet.map { start + "QF2M9XHD" + String($0) }.filter { EnrolmentCodeSecret(typed: $0) != nil }
    }
}
