import Crypto
import Foundation
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct AccessTokensTests {
    private static let now = Instant("2026-11-21T08:00:00Z")!
    private static let account = AccountID(UUID(uuidString: "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40")!)
    private static let family = UUID(uuidString: "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f41")!
    private static let key = SigningKey.make(id: "k1", createdAt: now, retiresAt: now.adding(seconds: 86_400))
    private static let claims: JSON = [
        "iss": "https://s.example", "sub": .string(account.description), "aud": "saunter",
        "fam": .string(family.uuidString.lowercased()), "iat": .int(Int(now.seconds)),
        "exp": .int(Int(now.seconds) + 600),
    ]
    private static let header: JSON = ["alg": "EdDSA", "typ": "at+jwt", "kid": "k1"]

    private static func tokens(_ keys: [SigningKey] = [key]) async throws -> AccessTokens {
        try await AccessTokens(issuer: "https://s.example", keys: keys)
    }

    /// A token with any header and claims, signed by any key.
    private static func forge(_ header: JSON, _ claims: JSON, by key: SigningKey = key) throws -> String {
        let input = Data(header.bytes).base64URL + "." + Data(claims.bytes).base64URL
        let signer = try Curve25519.Signing.PrivateKey(rawRepresentation: Data(key.privateKey))
        return try input + "." + signer.signature(for: Data(input.utf8)).base64URL
    }

    private static func with(_ changes: [(String, JSON?)], in value: JSON = claims) -> JSON {
        var object = value.object ?? [:]
        for (name, change) in changes { object[name] = change }
        return .object(object)
    }

    private func expectRejection(_ token: String, at moment: Instant = now, _ comment: Comment? = nil)
        async throws
    {
        let tokens = try await Self.tokens()
        let problem = await #expect(throws: Problem.self, comment) {
            try await tokens.verify(token, now: moment)
        }
        #expect(problem?.type == .tokenInvalid)
        #expect(problem?.detail == "The access token is not valid.")
    }

    @Test func `a token is valid for ten minutes and contains its claims`() async throws {
        let tokens = try await Self.tokens()

        let token = try await tokens.issue(account: Self.account, family: Self.family, now: Self.now)
        let claims = try await tokens.verify(token, now: Self.now.adding(seconds: 599))

        #expect(claims.account == Self.account)
        #expect(claims.family == Self.family)
        #expect(claims.expiresAt == Self.now.adding(seconds: 600))
        #expect(token.utf8.count < 600)
        try await expectRejection(token, at: Self.now.adding(seconds: 600))
    }

    @Test func `a token that is built from the same key and claims is valid`() async throws {
        let claims = try await Self.tokens().verify(Self.forge(Self.header, Self.claims), now: Self.now)

        #expect(claims.account == Self.account)
    }

    @Test func `the clock of another server may be one minute ahead`() async throws {
        let tokens = try await Self.tokens()
        let token = try await tokens.issue(
            account: Self.account, family: Self.family, now: Self.now.adding(seconds: 60))

        #expect(try await tokens.verify(token, now: Self.now).account == Self.account)
        try await expectRejection(token, at: Self.now.adding(seconds: -1))
    }

    @Test func `older keys verify until they retire`() async throws {
        let old = SigningKey.make(
            id: "old", createdAt: Self.now.adding(seconds: -60), retiresAt: Self.now.adding(seconds: 300))
        let token = try await Self.tokens([old]).issue(
            account: Self.account, family: Self.family, now: Self.now)
        let both = try await Self.tokens([old, Self.key])

        #expect(try await both.verify(token, now: Self.now.adding(seconds: 299)).account == Self.account)
        await #expect(throws: Problem.self) {
            try await both.verify(token, now: Self.now.adding(seconds: 300))
        }
        let newest = try await both.issue(account: Self.account, family: Self.family, now: Self.now)
        #expect(try await Self.tokens().verify(newest, now: Self.now).account == Self.account)
    }

    @Test func `no other header is accepted, even with a correct signature`() async throws {
        let headers: [JSON] = [
            ["alg": "none", "typ": "at+jwt", "kid": "k1"], ["alg": "HS256", "typ": "at+jwt", "kid": "k1"],
            ["alg": "eddsa", "typ": "at+jwt", "kid": "k1"], ["alg": "EdDSA", "typ": "JWT", "kid": "k1"],
            ["alg": "EdDSA", "typ": "at+jwt"], ["alg": "EdDSA", "typ": "at+jwt", "kid": "k2"],
            ["alg": "EdDSA", "typ": "at+jwt", "kid": "../k1"], ["alg": "EdDSA", "typ": "at+jwt", "kid": 1],
            Self.with([("jwk", ["kty": "OKP"])], in: Self.header),
            Self.with([("crit", ["exp"])], in: Self.header),
            Self.with([("x5u", "https://evil.example")], in: Self.header), [:], "text", nil,
        ]
        for header in headers {
            try await expectRejection(Self.forge(header, Self.claims), "\(header.text)")
        }
    }

    @Test func `no other claims are accepted, even with a correct signature`() async throws {
        let seconds = Int(Self.now.seconds)
        let changes: [(String, JSON?)] = [
            ("iss", "https://other.example"), ("iss", nil), ("aud", "other"), ("aud", nil), ("sub", "1"),
            ("sub", nil),
            ("sub", "{0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40}"), ("fam", nil), ("fam", "x"), ("exp", nil),
            ("exp", .int(seconds)),
            ("exp", .int(seconds - 1)), ("exp", .int(seconds + 601)), ("exp", .int(9_007_199_254_740_991)),
            ("exp", "never"),
            ("exp", -1), ("iat", nil), ("iat", .int(seconds + 61)), ("iat", -9_007_199_254_740_991),
            ("iat", .int(seconds - 86_400)),
            ("nbf", .int(seconds + 1)), ("nbf", "soon"),
        ]
        for change in changes {
            try await expectRejection(Self.forge(Self.header, Self.with([change])), "\(change)")
        }
    }

    @Test func `a signature of another key, a changed and a missing signature are rejected`() async throws {
        let other = SigningKey.make(
            id: "k1", createdAt: Self.now, retiresAt: Self.now.adding(seconds: 86_400))
        let valid = try Self.forge(Self.header, Self.claims)
        let parts = valid.split(separator: ".").map(String.init)
        let raised = Data(Self.with([("sub", "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3fff")]).bytes).base64URL

        let forged = [
            try Self.forge(Self.header, Self.claims, by: other), parts[0] + "." + raised + "." + parts[2],
            parts[0] + "." + parts[1] + ".", parts[0] + "." + parts[1], valid + ".", "." + valid, valid + "=",
            " " + valid,
            valid.replacing(".", with: ".."), String(valid.dropLast(2)),
            parts[0] + "." + parts[1] + "." + String(parts[2].dropLast()) + "!",
            "", ".", "..", "...", "a.b.c", String(repeating: "a", count: 4097),
            valid + String(repeating: "A", count: 4000),
        ]
        for token in forged { try await expectRejection(token, "\(token.prefix(40))") }
    }

    @Test func `an HMAC with the public key is rejected`() async throws {
        let secret = try Curve25519.Signing.PrivateKey(rawRepresentation: Data(Self.key.privateKey))
        let header: JSON = ["alg": "HS256", "typ": "at+jwt", "kid": "k1"]
        let input = Data(header.bytes).base64URL + "." + Data(Self.claims.bytes).base64URL
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(input.utf8), using: SymmetricKey(data: secret.publicKey.rawRepresentation))

        try await expectRejection(input + "." + Data(code).base64URL)
    }

    @Test func `tokens need at least one key`() async {
        await #expect(throws: SigningKeyFault.self) { try await Self.tokens([]) }
    }
}
