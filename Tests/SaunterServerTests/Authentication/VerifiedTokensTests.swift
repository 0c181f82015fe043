import Foundation
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct VerifiedTokensTests {
    private static let now = Instant(milliseconds: 1_795_000_000_000)

    private static func claims(expiresIn seconds: Int) -> AccessClaims {
        AccessClaims(
            account: AccountID(UUID()), family: UUID(), issuedAt: now, expiresAt: now.adding(seconds: seconds)
        )
    }

    @Test func `a token is known until it expires, and no other is`() {
        let tokens = VerifiedTokens()
        let claims = Self.claims(expiresIn: 600)
        tokens.keep("a.b.c", claims, now: Self.now)

        #expect(tokens.find("a.b.c", now: Self.now.adding(seconds: 599)) == claims)
        #expect(tokens.find("a.b.d", now: Self.now) == nil)
        #expect(tokens.find("a.b.c", now: Self.now.adding(seconds: 600)) == nil)
        #expect(tokens.count == 0)
    }

    @Test func `a token from a time when the clock was years ahead is not known once it is right`() {
        let tokens = VerifiedTokens()
        tokens.keep("a.b.c", Self.claims(expiresIn: 600), now: Self.now)

        #expect(tokens.find("a.b.c", now: Self.now.adding(seconds: -60)) != nil)
        #expect(tokens.find("a.b.c", now: Self.now.adding(seconds: -61)) == nil)
        #expect(tokens.count == 0)
    }

    @Test func `what has expired makes room, and without such there is room all the same`() {
        let tokens = VerifiedTokens(maximum: 3)
        tokens.keep("old", Self.claims(expiresIn: 10), now: Self.now)
        tokens.keep("a", Self.claims(expiresIn: 600), now: Self.now)
        tokens.keep("b", Self.claims(expiresIn: 600), now: Self.now)
        let later = Self.now.adding(seconds: 60)

        tokens.keep("c", Self.claims(expiresIn: 600), now: later)
        #expect(tokens.count == 3)
        #expect(tokens.find("a", now: later) != nil)
        #expect(tokens.find("old", now: later) == nil)

        tokens.keep("d", Self.claims(expiresIn: 600), now: later)
        #expect(tokens.count <= 3)
        #expect(tokens.find("d", now: later) != nil)
    }
}
