import Testing

@testable import SaunterStore

@Suite struct RandomTokenTests {
    @Test func `a token has 43 characters that are valid in URLs and headers`() {
        let token = RandomToken.make()

        #expect(token.text.utf8.count == 43)
        #expect(
            token.text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        #expect(RandomToken.make().text != token.text)
    }

    @Test func `the stored digest is found again from the presented text`() {
        let token = RandomToken.make()

        #expect(token.digest.count == 32)
        #expect(RandomToken.digest(of: token.text) == token.digest)
        #expect(RandomToken.digest(of: token.text + "x") != token.digest)
    }
}
