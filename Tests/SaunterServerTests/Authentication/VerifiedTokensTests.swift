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

    @Test func `a token is in the cache until it expires`() {
        let tokens = VerifiedTokens()
        let claims = Self.claims(expiresIn: 600)
        tokens.insert("a.b.c", claims, now: Self.now)

        #expect(tokens.find("a.b.c", now: Self.now.adding(seconds: 599)) == claims)
        #expect(tokens.find("a.b.d", now: Self.now) == nil)
        #expect(tokens.find("a.b.c", now: Self.now.adding(seconds: 600)) == nil)
        #expect(tokens.count == 0)
    }

    @Test func `a token from a time when the clock was ahead is removed after the clock is corrected`() {
        let tokens = VerifiedTokens()
        tokens.insert("a.b.c", Self.claims(expiresIn: 600), now: Self.now)

        #expect(tokens.find("a.b.c", now: Self.now.adding(seconds: -60)) != nil)
        #expect(tokens.find("a.b.c", now: Self.now.adding(seconds: -61)) == nil)
        #expect(tokens.count == 0)
    }

    @Test func `expired tokens are removed first; if there are none, all tokens are removed`() {
        let tokens = VerifiedTokens(maximum: 3)
        tokens.insert("old", Self.claims(expiresIn: 10), now: Self.now)
        tokens.insert("a", Self.claims(expiresIn: 600), now: Self.now)
        tokens.insert("b", Self.claims(expiresIn: 600), now: Self.now)
        let later = Self.now.adding(seconds: 60)

        tokens.insert("c", Self.claims(expiresIn: 600), now: later)
        #expect(tokens.count == 3)
        #expect(tokens.find("a", now: later) != nil)
        #expect(tokens.find("old", now: later) == nil)

        tokens.insert("d", Self.claims(expiresIn: 600), now: later)
        #expect(tokens.count <= 3)
        #expect(tokens.find("d", now: later) != nil)
    }
}
