import Foundation
import JWTKit
import SaunterCore
import SwiftASN1
import X509

/// Verifies what the app store signs, without calling the store: transactions and notices in the format of the App
/// Store Server API. Each is a JWS with the algorithm ES256, whose header has the certificates of the signer in `x5c`:
/// leaf, intermediate, root.
package struct AppStoreVerifier: Sendable {
    /// Certificates in a chain: leaf, intermediate, root.
    static let chainLength = 3
    /// The clock of the store may be this much ahead.
    private static let leewaySeconds = 300

    /// The settings from which it was created.
    package let settings: AppStoreSettings
    private let verifier: X5CVerifier

    /// - Throws: an error of the library for a root that is no certificate.
    package init(_ settings: AppStoreSettings) throws {
        self.settings = settings
        verifier = try Self.verifier(settings.roots)
    }

    /// - Throws: an error of the library for an empty list, and for a text that is no certificate.
    static func verifier(_ roots: [String]) throws -> X5CVerifier {
        try X5CVerifier(rootCertificates: roots)
    }

    /// A transaction of one of the configured apps, in the configured environment.
    /// - Throws: `purchase-invalid`.
    func transaction(_ jws: String, now: Instant) async throws(Problem) -> AppStoreTransaction {
        let transaction: AppStoreTransaction = try await verified(jws, now: now)
        guard transaction.environment == settings.environment.rawValue else {
            throw Problem(.purchaseInvalid, "The purchase was made in another environment of the store.")
        }
        guard !settings.studies(ofBundle: transaction.bundle).isEmpty else {
            throw Problem(.purchaseInvalid, "The purchase belongs to another app.")
        }
        guard transaction.isEndless || transaction.validUntil != nil else {
            throw Problem(.purchaseInvalid, "A product of this type gives no entitlement.")
        }
        return transaction
    }

    /// A notice about one of the configured apps.
    /// - Throws: `purchase-invalid`.
    func notice(_ jws: String, now: Instant) async throws(Problem) -> AppStoreNotice {
        try await verified(jws, now: now)
    }

    /// The payload, after its chain and its signature were verified. The certificates must have been valid when the
    /// payload was signed.
    private func verified<Payload: AppStorePayload>(
        _ jws: String, now: Instant
    ) async throws(Problem) -> Payload {
        guard Self.hasExpectedHeader(jws) else { throw Self.forged }
        let payload: Payload
        do {
            let markers = settings.requiresMarkers
            payload = try await verifier.verifyJWS(
                Array(jws.utf8), as: Payload.self, jsonDecoder: JSONDecoder(),
                policy: { AppStoreChainPolicy(requiresMarkers: markers) })
        } catch {
            // The library's text describes the attack and helps no honest client.
            throw Self.forged
        }
        guard payload.signedAt <= now.adding(seconds: Self.leewaySeconds) else { throw Self.forged }
        return payload
    }

    private static let forged = Problem(.purchaseInvalid, "The signature is not one of the store.")

    /// The store uses one algorithm, and sends its whole chain. The library would accept any algorithm of the leaf.
    private static func hasExpectedHeader(_ jws: String) -> Bool {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let data = Data(base64URL: String(parts[0])),
            let header = try? JSONReader.read(Array(data))
        else { return false }
        return header["alg"]?.string == "ES256" && header["x5c"]?.array?.count == chainLength
            && header["crit"] == nil
    }
}

/// The chain has a leaf, an intermediate and a root, and if required the marker extensions of Apple.
private struct AppStoreChainPolicy: VerifierPolicy {
    /// Certificate of a signer of the store's transactions.
    private static let leaf: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
    /// Certificate of Apple's authority for developers.
    private static let intermediate: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]

    let requiresMarkers: Bool

    var verifyingCriticalExtensions: [ASN1ObjectIdentifier] {
        requiresMarkers ? [Self.leaf, Self.intermediate] : []
    }

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        guard chain.count == AppStoreVerifier.chainLength else {
            return .failsToMeetPolicy(reason: "the chain has \(chain.count) certificates")
        }
        guard requiresMarkers else { return .meetsPolicy }
        guard chain[0].extensions.contains(where: { $0.oid == Self.leaf }),
            chain[1].extensions.contains(where: { $0.oid == Self.intermediate })
        else { return .failsToMeetPolicy(reason: "a certificate has no marker extension") }
        return .meetsPolicy
    }
}

/// Something that the store signed.
protocol AppStorePayload: ValidationTimePayload {
    /// When it was signed.
    var signedAt: Instant { get }
}

extension AppStorePayload {
    var signedDate: Date { Date(timeIntervalSince1970: Double(signedAt.milliseconds) / 1000) }

    /// The verifier has checked the algorithm. There are no further claims to check.
    func verify(using _: some JWTAlgorithm) {}
}

/// The payload of a signed transaction, as far as the server uses it.
struct AppStoreTransaction: AppStorePayload {
    /// The id of the app.
    let bundle: String
    let product: String
    /// The first transaction of a subscription; otherwise the transaction itself.
    let original: String
    let environment: String
    private let type: String
    private let purchaseDate: Int64
    private let expiresDate: Int64?
    private let revocationDate: Int64?
    private let signedMilliseconds: Int64

    private enum CodingKeys: String, CodingKey {
        case bundle = "bundleId"
        case product = "productId"
        case original = "originalTransactionId"
        case environment, type, purchaseDate, expiresDate, revocationDate
        case signedMilliseconds = "signedDate"
    }

    var signedAt: Instant { Instant(milliseconds: signedMilliseconds) }
    var purchasedAt: Instant { Instant(milliseconds: purchaseDate) }
    var validUntil: Instant? { expiresDate.map { Instant(milliseconds: $0) } }
    var revokedAt: Instant? { revocationDate.map { Instant(milliseconds: $0) } }
    /// Whether the product is bought once and for all.
    var isEndless: Bool { type == "Non-Consumable" }
}

/// The payload of a notice, as far as the server uses it.
struct AppStoreNotice: AppStorePayload {
    struct Content: Codable {
        let signedTransactionInfo: String?
    }

    /// `REFUND`, `DID_RENEW`, `TEST` and others.
    let notificationType: String
    let notificationUUID: UUID
    /// Nil for a notice about many purchases.
    let data: Content?
    private let signedMilliseconds: Int64

    private enum CodingKeys: String, CodingKey {
        case notificationType, notificationUUID, data
        case signedMilliseconds = "signedDate"
    }

    var signedAt: Instant { Instant(milliseconds: signedMilliseconds) }

    /// Whether the store took the purchase back.
    var isRevocation: Bool { ["REFUND", "REVOKE"].contains(notificationType) }
}
