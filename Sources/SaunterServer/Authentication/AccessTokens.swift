import Crypto
import Foundation
import JWTKit
import SaunterCore

/// A key that signs access tokens. The newest key signs; older keys only verify, until they retire.
package struct SigningKey: Sendable {
    /// The `kid` in the header of its tokens.
    package let id: String
    /// The raw Ed25519 private key, 32 bytes.
    package var privateKey: [UInt8] { secret.revealed }
    private let secret: Secret<[UInt8]>
    /// The key with the latest instant signs.
    package let createdAt: Instant
    /// From this instant on, the key verifies no token.
    package let retiresAt: Instant

    /// Creates a key from its 32 raw bytes. Logs and descriptions do not show the bytes.
    package init(id: String, privateKey: [UInt8], createdAt: Instant, retiresAt: Instant) {
        self.id = id
        secret = Secret(privateKey)
        self.createdAt = createdAt
        self.retiresAt = retiresAt
    }

    /// A new random key.
    package static func make(id: String, createdAt: Instant, retiresAt: Instant) -> SigningKey {
        let key = Curve25519.Signing.PrivateKey()
        return SigningKey(
            id: id, privateKey: Array(key.rawRepresentation), createdAt: createdAt, retiresAt: retiresAt)
    }
}

/// The content of an access token.
package struct AccessClaims: Sendable, Hashable {
    /// The account that logged in.
    package let account: AccountID
    /// The login on one device. If it is revoked, the token is invalid before it expires.
    package let family: UUID
    /// By the server's clock.
    package let issuedAt: Instant
    /// From this instant on, the token is invalid.
    package let expiresAt: Instant
}

/// Issues and verifies access tokens: JWTs with an Ed25519 signature that are valid for ten minutes. Verifying one
/// needs no database query.
///
/// The check is strict. There is one algorithm, which the token cannot choose. The key must be known; issuer, audience,
/// type and times must be correct. The error is the same for each fault.
package struct AccessTokens: Sendable {
    /// The lifetime of a token in seconds.
    package static let lifetimeSeconds = 600
    private static let maximumBytes = 4096
    private static let audience = "saunter"
    private static let type = "at+jwt"
    /// The clock of another server may be this much ahead. The expiry has no leeway.
    static let leewayMilliseconds: Int64 = 60_000

    private struct Key: Sendable {
        let signing: SigningKey
        let collection: Secret<JWTKeyCollection>
    }

    private let issuer: String
    /// The keys by their id.
    private let keys: [String: Key]
    private let newest: Key

    /// - Parameter issuer: the public URL of the server.
    /// - Throws: `SigningKeyFault` for an empty list; an error of the library for bytes that are not a key.
    package init(issuer: String, keys: [SigningKey]) async throws {
        self.issuer = issuer
        var known: [String: Key] = [:]
        for key in keys {
            let secret = try Curve25519.Signing.PrivateKey(rawRepresentation: Data(key.privateKey))
            let collection = await JWTKeyCollection()
                .add(eddsa: EdDSA.PrivateKey(backing: secret), kid: JWKIdentifier(string: key.id))
            known[key.id] = Key(signing: key, collection: Secret(collection))
        }
        guard let newest = known.values.max(by: { $0.signing.createdAt < $1.signing.createdAt }) else {
            throw SigningKeyFault()
        }
        self.keys = known
        self.newest = newest
    }

    /// Issues a token for a login.
    package func issue(account: AccountID, family: UUID, now: Instant) async throws -> String {
        let issued = now.seconds
        let payload = Payload(
            iss: issuer, sub: account.description, aud: Self.audience, fam: family.uuidString.lowercased(),
            iat: issued, exp: issued + Int64(Self.lifetimeSeconds))
        var header = JWTHeader()
        header.typ = Self.type
        return try await newest.collection.revealed.sign(
            payload, kid: JWKIdentifier(string: newest.signing.id), header: header)
    }

    /// Verifies a token.
    /// - Throws: `token-invalid`, with the same text for each fault.
    package func verify(_ token: String, now: Instant) async throws(Problem) -> AccessClaims {
        guard let key = key(of: token, now: now) else { throw Self.invalid }
        let payload: Payload
        do {
            payload = try await key.collection.revealed.verify(token, as: Payload.self)
        } catch {
            throw Self.invalid
        }
        guard let claims = claims(payload, now: now) else { throw Self.invalid }
        return claims
    }

    /// Whether the token has the correct format, but a key that is not in `keys`. Another server may have created that
    /// key recently.
    package func mayHaveNewKey(_ token: String) -> Bool {
        guard let id = Self.keyID(of: token) else { return false }
        return keys[id] == nil
    }

    /// The key in the header of the token, if it has not retired. The header must contain exactly the algorithm, type
    /// and key id.
    private func key(of token: String, now: Instant) -> Key? {
        guard let id = Self.keyID(of: token), let key = keys[id], key.signing.retiresAt > now else {
            return nil
        }
        return key
    }

    private static func keyID(of token: String) -> String? {
        guard token.utf8.count <= maximumBytes else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty && Data(base64URL: String($0)) != nil }),
            let data = Data(base64URL: String(parts[0])),
            let header = (try? JSONReader.read(Array(data)))?.object
        else { return nil }
        guard Set(header.names) == ["alg", "typ", "kid"], header["alg"]?.string == "EdDSA",
            header["typ"]?.string == type
        else { return nil }
        return header["kid"]?.string
    }

    private func claims(_ payload: Payload, now: Instant) -> AccessClaims? {
        guard payload.iss == issuer, payload.aud == Self.audience, let account = AccountID(payload.sub),
            payload.fam.utf8.count == 36, let family = UUID(uuidString: payload.fam),
            let issuedAt = Self.instant(payload.iat), let expiresAt = Self.instant(payload.exp)
        else { return nil }
        if let notBefore = payload.nbf {
            guard let start = Self.instant(notBefore), start <= now else { return nil }
        }
        guard now < expiresAt, issuedAt.milliseconds(since: now) <= Self.leewayMilliseconds,
            expiresAt.milliseconds(since: issuedAt) <= Int64(Self.lifetimeSeconds) * 1000
        else { return nil }
        return AccessClaims(account: account, family: family, issuedAt: issuedAt, expiresAt: expiresAt)
    }

    /// Nil outside the range of `Instant`.
    private static func instant(_ seconds: Int64) -> Instant? {
        (0...253_402_300_799).contains(seconds) ? Instant(milliseconds: seconds * 1000) : nil
    }

    private static var invalid: Problem { Problem(.tokenInvalid, "The access token is not valid.") }

    private struct Payload: JWTPayload {
        let iss: String
        let sub: String
        let aud: String
        let fam: String
        let iat: Int64
        let exp: Int64
        var nbf: Int64?

        /// Does nothing: `claims` checks the times with the clock of the server, which tests replace.
        func verify(using algorithm: some JWTAlgorithm) {}
    }
}

/// There is no key that can sign access tokens.
package struct SigningKeyFault: Error, Hashable, CustomStringConvertible {
    /// One line for the operator.
    package var description: String { "there is no key to sign access tokens with" }
}
