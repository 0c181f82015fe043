import Testing

@testable import SaunterStore

@Suite struct PasswordHashTests {
    /// From Debian's `argon2` program: `echo -n password | argon2 somesalt -id -t 2 -k 19456 -p 1 -e`.
    private static let foreign = PasswordHash(
        stored: "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$PL01amPyeUuxG7H0vIr5X+qHkZvWnHmGBGXFYvh8z2E")

    @Test func `a password matches its own hash and no other`() throws {
        let hash = try PasswordHash.make("correct horse battery staple")

        #expect(hash.matches("correct horse battery staple"))
        #expect(!hash.matches("correct horse battery stapl"))
        #expect(!hash.matches(""))
    }

    @Test func `composed and decomposed characters make the same password`() throws {
        let composed = "Spazierg\u{E4}nge am Morgen"
        let decomposed = "Spazierga\u{308}nge am Morgen"

        #expect(try PasswordHash.make(composed).matches(decomposed))
        #expect(try PasswordHash.make(decomposed).matches(composed))
        #expect(try !PasswordHash.make(composed).matches("Spaziergange am Morgen"))
    }

    @Test func `the text contains OWASP's parameters and a random salt`() throws {
        let first = try PasswordHash.make("same")
        let second = try PasswordHash.make("same")

        #expect(first.text.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(first.text != second.text)
        #expect(!first.needsRehash)
    }

    @Test func `a hash made by another program is valid`() {
        #expect(Self.foreign.matches("password"))
        #expect(!Self.foreign.matches("Password"))
    }

    @Test(arguments: [
        "$argon2id$v=19$m=4096,t=3,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$argon2i$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "",
        "nonsense",
    ])
    func `a hash with other parameters needs a new hash`(_ text: String) {
        #expect(PasswordHash(stored: text).needsRehash)
    }

    @Test(arguments: [
        "", "nonsense", "$argon2id$v=19$m=4294967295,t=2,p=1$c29tZXNhbHQ$AAAAAAAA",
        "$argon2id$v=19$m=19456,t=4000000,p=1$c29tZXNhbHQ$AAAAAAAA", "$argon2id$v=19$m=19456,t=2,p=1$$",
        "$argon2id$v=19$m=-1,t=2,p=1$c29tZXNhbHQ$AAAAAAAA",
    ])
    func `a damaged or hostile hash matches no password`(_ text: String) {
        #expect(!PasswordHash(stored: text).matches("password"))
    }

    @Test func `a password above the limit is not hashed`() {
        let long = String(repeating: "a", count: PasswordHash.maximumPasswordBytes + 1)

        #expect(throws: PasswordHashFault.self) { try PasswordHash.make(long) }
    }

    @Test func `a password with U+0000 is not truncated there`() throws {
        let hash = try PasswordHash.make("abc\0def")

        #expect(!hash.matches("abc"))
        #expect(hash.matches("abc\0def"))
    }
}
