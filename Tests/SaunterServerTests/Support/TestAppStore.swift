import Crypto
import Foundation
import SaunterCore
import SwiftASN1
import X509

@testable import SaunterServer

/// An app store of the tests: it makes its own root, and signs transactions and notices in the published format.
struct TestAppStore: Sendable {
    static let shared = TestAppStore()
    static let study = "paid-practices"
    static let bundle = "org.example.calm"
    private static let validFrom = Instant("2026-01-01T00:00:00Z")!
    private static let validUntil = Instant("2028-01-01T00:00:00Z")!

    /// A key with its certificate and those above it, the own one first.
    struct Signer: Sendable {
        fileprivate let key: P256.Signing.PrivateKey
        fileprivate let chain: [Certificate]
    }

    private let rootKey = P256.Signing.PrivateKey()
    private let root: Certificate
    /// Signs as the store does.
    let signer: Signer

    init() {
        root = Self.certificate("Root", rootKey.publicKey, by: rootKey, named: "Root", isAuthority: true)
        signer = Self.signer(root, rootKey, validUntil: Self.validUntil)
    }

    /// The settings of the server of the tests.
    var settings: AppStoreSettings { settings() }

    func settings(
        requiresMarkers: Bool = false, environment: AppStoreSettings.Environment = .production
    ) -> AppStoreSettings {
        AppStoreSettings(
            roots: [pem], bundles: [Self.study: [Self.bundle]], environment: environment,
            requiresMarkers: requiresMarkers)
    }

    private var pem: String {
        do {
            return try root.serializeAsPEM().pemString
        } catch {
            preconditionFailure("the root of the tests cannot be written: \(error)")
        }
    }

    /// A signer below this root.
    func signer(validUntil: Instant = TestAppStore.validUntil, hasMarkers: Bool = false) -> Signer {
        Self.signer(root, rootKey, validUntil: validUntil, hasMarkers: hasMarkers)
    }

    private static func signer(
        _ root: Certificate, _ rootKey: P256.Signing.PrivateKey, validUntil: Instant, hasMarkers: Bool = false
    ) -> Signer {
        let (middleKey, leafKey) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let middle = certificate(
            "Intermediate", middleKey.publicKey, by: rootKey, named: "Root", isAuthority: true,
            validUntil: validUntil, marker: hasMarkers ? [1, 2, 840, 113_635, 100, 6, 2, 1] : nil)
        let leaf = certificate(
            "Leaf", leafKey.publicKey, by: middleKey, named: "Intermediate", isAuthority: false,
            validUntil: validUntil, marker: hasMarkers ? [1, 2, 840, 113_635, 100, 6, 11, 1] : nil)
        return Signer(key: leafKey, chain: [leaf, middle, root])
    }

    private static func certificate(
        _ name: String, _ key: P256.Signing.PublicKey, by issuerKey: P256.Signing.PrivateKey,
        named issuer: String, isAuthority: Bool, validUntil: Instant = TestAppStore.validUntil,
        marker: ASN1ObjectIdentifier? = nil
    ) -> Certificate {
        do {
            var extensions = try Certificate.Extensions {
                Critical(
                    isAuthority
                        ? BasicConstraints.isCertificateAuthority(maxPathLength: nil)
                        : BasicConstraints.notCertificateAuthority)
            }
            if let marker {
                // ASN.1 NULL, as in the certificates of Apple.
                try extensions.append(Certificate.Extension(oid: marker, critical: false, value: [5, 0]))
            }
            return try Certificate(
                version: .v3, serialNumber: .init(), publicKey: .init(key),
                notValidBefore: date(Self.validFrom), notValidAfter: date(validUntil),
                issuer: DistinguishedName { CommonName(issuer) },
                subject: DistinguishedName { CommonName(name) }, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: extensions, issuerPrivateKey: .init(issuerKey))
        } catch {
            preconditionFailure("a certificate of the tests cannot be made: \(error)")
        }
    }

    private static func date(_ instant: Instant) -> Date {
        Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000)
    }

    // MARK: - Signed texts

    /// A JWS with the chain of the signer.
    func sign(
        _ payload: JSON, by signer: Signer? = nil, algorithm: String = "ES256", certificates: Int = 3
    ) throws -> String {
        let signer = signer ?? self.signer
        let chain = try signer.chain.prefix(certificates).map { certificate -> JSON in
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return .string(Data(serializer.serializedBytes).base64EncodedString())
        }
        let header: JSON = ["alg": .string(algorithm), "x5c": .array(chain)]
        let text = "\(Data(header.text.utf8).base64URL).\(Data(payload.text.utf8).base64URL)"
        let signature = try signer.key.signature(for: Data(text.utf8)).rawRepresentation
        return "\(text).\(signature.base64URL)"
    }

    /// The payload of a transaction of a month, signed now.
    /// - Parameter changes: members that replace others; null removes one.
    static func transaction(_ original: String, _ changes: JSON = [:]) -> JSON {
        let now = ServerFixture.now
        let payload: JSON = [
            "bundleId": .string(bundle), "productId": "calm.premium.month",
            "transactionId": .string(original), "originalTransactionId": .string(original),
            "purchaseDate": milliseconds(now, days: -1), "expiresDate": milliseconds(now, days: 29),
            "environment": "Production", "type": "Auto-Renewable Subscription",
            "signedDate": milliseconds(now, days: 0),
        ]
        let changed = payload.with(changes).object ?? [:]
        return .object(JSONObject(changed.filter { !$0.value.isNull }))
    }

    /// Milliseconds since 1970, as the store writes instants.
    static func milliseconds(_ instant: Instant, days: Double) -> JSON {
        .int(Int(instant.milliseconds) + Int(days * 86_400_000))
    }

    /// The body of a notice about a transaction.
    func notice(
        _ type: String, _ transaction: JSON?, signed days: Double = 0, id: UUID = UUID()
    ) throws -> JSON {
        var data: JSONObject = ["bundleId": .string(Self.bundle), "environment": "Production"]
        if let transaction { data["signedTransactionInfo"] = .string(try sign(transaction)) }
        let payload: JSON = [
            "notificationType": .string(type), "notificationUUID": .string(id.uuidString.lowercased()),
            "version": "2.0", "signedDate": Self.milliseconds(ServerFixture.now, days: days),
            "data": .object(data),
        ]
        return ["signedPayload": .string(try sign(payload))]
    }
}
