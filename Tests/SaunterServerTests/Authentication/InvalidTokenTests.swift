import Crypto
import Foundation
import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Access tokens that a real route rejects. `AccessTokensTests` tests the same rules without a server.
@Suite struct InvalidTokenTests {
    @Test(arguments: InvalidToken.all)
    func `only a valid access token is accepted`(_ invalid: InvalidToken) async throws {
        try await ServerFixture.withCaller { caller async throws in
            let login = try await caller.server.makeLogin()
            let token = try invalid.make(login)

            let rejected = try await caller.client.send(.get, "/v1/account", token: token)
            let accepted = try await caller.client.send(.get, "/v1/account", token: login.accessToken)

            rejected.expectProblem(401, "token-invalid")
            #expect(rejected.headers[.wwwAuthenticate] == "Bearer realm=\"saunter\"")
            #expect(accepted.status == 200)
        }
    }

    @Test(arguments: [[], ["Basic YTpi"], ["{token}"], ["Bearer {token}", "Bearer {token}"]])
    func `a token must be in one Authorization header with the scheme Bearer`(
        _ values: [String]
    ) async throws {
        try await ServerFixture.withCaller { caller async throws in
            let login = try await caller.server.makeLogin()
            var headers = HTTPFields()
            for value in values {
                let text = value.replacing("{token}", with: login.accessToken)
                headers.append(HTTPField(name: .authorization, value: text))
            }

            let answer = try await caller.client.send(.get, "/v1/account", headers: headers)

            answer.expectProblem(401, "token-invalid")
        }
    }

    @Test func `a token in the address is not accepted`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let login = try await caller.server.makeLogin()

            let answer = try await caller.get("/v1/account?access_token=\(login.accessToken)")

            answer.expectProblem(401, "token-invalid")
        }
    }
}

/// A token that is made from a valid login.
struct InvalidToken: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (TokenPair) throws -> String

    private init(_ title: String, _ make: @escaping @Sendable (TokenPair) throws -> String) {
        testDescription = title
        self.make = make
    }

    static let all = malformed + unsigned + forged + changed

    private static let malformed = [
        InvalidToken("nothing") { _ in "" },
        InvalidToken("a word") { _ in "none" },
        InvalidToken("two parts") { Parts($0).text(signature: nil) },
        InvalidToken("four parts") { $0.accessToken + ".x" },
        InvalidToken("a truncated token") { String($0.accessToken.dropLast(2)) },
        InvalidToken("an encoded line feed") { $0.accessToken + "%0a" },
        InvalidToken("3 KB") { _ in String(repeating: "ab.", count: 1000) },
        InvalidToken("200 KB") { _ in String(repeating: "a.", count: 100_000) },
        InvalidToken("a refresh token") { $0.refreshToken },
    ]

    private static let unsigned = [
        InvalidToken("no signature") { Parts($0).text(signature: "") },
        InvalidToken("the algorithm none") { Parts($0, header: ["alg": "none"]).text(signature: "") },
        InvalidToken("the algorithm none with a signature") { Parts($0, header: ["alg": "none"]).text() },
    ]

    private static let forged = [
        InvalidToken("HS256 with a public key as secret") {
            let key = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----"
            return Parts($0, header: ["alg": "HS256"]).hashed(key)
        },
        InvalidToken("HS256 with any secret") {
            Parts($0, header: ["alg": "HS256"]).hashed(String(repeating: "x", count: 32))
        },
        InvalidToken("another key with a known id") { try Parts($0).signed() },
        InvalidToken("another key with an unknown id") { try Parts($0, header: ["kid": "other"]).signed() },
        InvalidToken("a key id that is a path") {
            try Parts($0, header: ["kid": "../../dev/null"]).signed()
        },
        InvalidToken("a key id that is SQL") { try Parts($0, header: ["kid": "' or 1=1 --"]).signed() },
        InvalidToken("a key in the token") {
            try Parts($0, header: ["jwk": ["kty": "OKP", "crv": "Ed25519", "x": "AA"]]).signed()
        },
        InvalidToken("a key at another address") {
            try Parts($0, header: ["jku": "http://127.0.0.1/keys"]).signed()
        },
        InvalidToken("an expired token of another key") { try Parts($0, claims: ["exp": 1]).signed() },
    ]

    private static let changed = [
        InvalidToken("an earlier expiry") { Parts($0, claims: ["exp": 1]).text() },
        InvalidToken("an expiry in billions of years") {
            Parts($0, claims: ["exp": 1_152_921_504_606_846_976]).text()
        },
        InvalidToken("another account") {
            Parts($0, claims: ["sub": "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40"]).text()
        },
    ]
}

/// The parts of an access token with changed members.
private struct Parts {
    private let input: String
    private let signature: String

    init(_ login: TokenPair, header: JSON = [:], claims: JSON = [:]) {
        let parts = login.accessToken.split(separator: ".").map(String.init)
        input = Self.changed(parts[0], header) + "." + Self.changed(parts[1], claims)
        signature = parts[2]
    }

    private static func changed(_ part: String, _ changes: JSON) -> String {
        guard changes != [:], let data = Data(base64URL: part),
            let value = try? JSONReader.read(Array(data))
        else { return part }
        return Data(value.with(changes).bytes).base64URL
    }

    /// The token with the signature of the original token.
    func text() -> String { text(signature: signature) }

    /// - Parameter signature: nil for a token without a third part.
    func text(signature: String?) -> String { signature.map { input + "." + $0 } ?? input }

    /// The token with the signature of a new key.
    func signed() throws -> String {
        text(signature: try Curve25519.Signing.PrivateKey().signature(for: Data(input.utf8)).base64URL)
    }

    /// The token with a message authentication code.
    func hashed(_ secret: String) -> String {
        let key = SymmetricKey(data: Data(secret.utf8))
        let code = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: key)
        return text(signature: Data(code).base64URL)
    }
}
