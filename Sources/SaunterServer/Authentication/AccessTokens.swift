import Crypto
import Foundation
import JWTKit
import SaunterCore

/// A key that signs access tokens. The newest signs; the older ones still verify until they retire.
package struct SigningKey: Sendable {
    package let id: String
    /// Raw Ed25519 private key, 32 bytes.
    package let privateKey: [UInt8]
    package let createdAt: Instant
    /// From then on nothing is verified by it.
    package let retiresAt: Instant

    package init(id: String, privateKey: [UInt8], createdAt: Instant, retiresAt: Instant) {
        self.id = id
        self.privateKey = privateKey
        self.createdAt = createdAt
        self.retiresAt = retiresAt
    }

    /// A new key.
    package static func make(id: String, createdAt: Instant, retiresAt: Instant) -> SigningKey {
        let key = Curve25519.Signing.PrivateKey()
        return SigningKey(
            id: id, privateKey: Array(key.rawRepresentation), createdAt: createdAt, retiresAt: retiresAt)
    }
}

/// What an access token says.
package struct AccessClaims: Sendable, Hashable {
    package let account: AccountID
    /// The login on one device; revoking it ends the token before its time.
    package let family: UUID
    package let issuedAt: Instant
    package let expiresAt: Instant
}

/// Makes and checks access tokens: JWTs signed with Ed25519, valid for ten minutes, so that they need no look-up.
///
/// Checking is strict: one algorithm, which the token has no say in; a known key; issuer, audience, type and times. Whatever is wrong, the
/// refusal is the same.
package struct AccessTokens: Sendable {
    /// Seconds that a token is valid.
    package static let lifetimeSeconds = 600
    private static let maximumBytes = 4096
    private static let audience = "saunter"
    private static let type = "at+jwt"
    /// Another server's clock may be this much ahead. Expiry has no leeway.
    static let leewayMilliseconds: Int64 = 60_000

    private struct Key: Sendable {
        let signing: SigningKey
        let collection: JWTKeyCollection
    }

    private let issuer: String
    /// By id.
    private let keys: [String: Key]
    private let newest: Key

    /// `issuer` is the server's public URL. Refuses an empty list and bytes that are no key.
    package init(issuer: String, keys: [SigningKey]) async throws {
        self.issuer = issuer
        var known: [String: Key] = [:]
        for key in keys {
            let secret = try Curve25519.Signing.PrivateKey(rawRepresentation: Data(key.privateKey))
            let collection = await JWTKeyCollection()
                .add(eddsa: EdDSA.PrivateKey(backing: secret), kid: JWKIdentifier(string: key.id))
            known[key.id] = Key(signing: key, collection: collection)
        }
        guard let newest = known.values.max(by: { $0.signing.createdAt < $1.signing.createdAt }) else {
            throw SigningKeyFault()
        }
        self.keys = known
        self.newest = newest
    }

    /// A new token for a login.
    package func issue(account: AccountID, family: UUID, now: Instant) async throws -> String {
        let issued = now.seconds
        let payload = Payload(
            iss: issuer, sub: account.description, aud: Self.audience, fam: family.uuidString.lowercased(),
            iat: issued, exp: issued + Int64(Self.lifetimeSeconds))
        var header = JWTHeader()
        header.typ = Self.type
        return try await newest.collection.sign(
            payload, kid: JWKIdentifier(string: newest.signing.id), header: header)
    }

    /// The claims of a token that is good at this moment. Throws `token-invalid`, always the same.
    package func verify(_ token: String, now: Instant) async throws(Problem) -> AccessClaims {
        guard let key = key(of: token, now: now) else { throw Self.refusal }
        let payload: Payload
        do {
            payload = try await key.collection.verify(token, as: Payload.self)
        } catch {
            throw Self.refusal
        }
        guard let claims = claims(payload, now: now) else { throw Self.refusal }
        return claims
    }

    /// Whether the token looks like one of ours under a key that is not among these: another server may have made one.
    package func mayBeOfUnknownKey(_ token: String) -> Bool {
        guard let id = Self.keyID(of: token) else { return false }
        return keys[id] == nil
    }

    /// The key that the header names, if the header is exactly what `issue` writes: algorithm, type and key id, no more.
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

    /// Nil outside the years that an `Instant` has.
    private static func instant(_ seconds: Int64) -> Instant? {
        (0...253_402_300_799).contains(seconds) ? Instant(milliseconds: seconds * 1000) : nil
    }

    private static var refusal: Problem { Problem(.tokenInvalid, "The access token is not valid.") }

    private struct Payload: JWTPayload {
        let iss: String
        let sub: String
        let aud: String
        let fam: String
        let iat: Int64
        let exp: Int64
        var nbf: Int64?

        /// Times are checked against the injected clock, not by the library against the system's.
        func verify(using algorithm: some JWTAlgorithm) {}
    }
}

/// There is no key to sign with.
package struct SigningKeyFault: Error, Hashable, CustomStringConvertible {
    package var description: String { "there is no key to sign access tokens with" }
}
