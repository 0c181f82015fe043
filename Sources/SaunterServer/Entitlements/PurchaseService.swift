import Foundation
import SaunterCore
import SaunterStore

/// Stores purchases that a store signed.
struct PurchaseService: Sendable {
    /// The only store so far.
    static let appStore = EntitlementSource.appStore.rawValue

    let context: ServerContext

    /// - Throws: `not-found` if the operator has not configured the store.
    private func verifier(of provider: String) throws(Problem) -> AppStoreVerifier {
        guard provider == Self.appStore else {
            throw Problem(.notFound, "There is no provider of purchases with this name.")
        }
        guard let verifier = context.appStore else {
            throw Problem(.notFound, "This server accepts no purchases: the app store is not configured.")
        }
        return verifier
    }

    /// Gives an account what it bought.
    /// - Throws: `not-found` for a study that is not sold; `purchase-invalid`; `purchase-taken`.
    func claim(
        _ jws: String, provider: String, study code: String, for account: AccountID, requestID: String,
        now: Instant
    ) async throws -> EntitlementGrant {
        let verifier = try verifier(of: provider)
        guard let study = try await context.catalogue.findLive(code)?.published.study,
            let bundles = verifier.settings.bundles[code]
        else { throw Problem(.notFound, "The app store sells nothing of this study.") }
        let transaction = try await verifier.transaction(jws, now: now)
        guard bundles.contains(transaction.bundle) else {
            throw Problem(.purchaseInvalid, "The purchase belongs to another app.")
        }
        guard let found = study.plan(ofAppStoreProduct: transaction.product) else {
            throw Problem(.purchaseInvalid, "The study does not sell this product.")
        }
        let purchase = Self.purchase(
            transaction, study: code, code: found.entitlement.code, signedAt: transaction.signedAt,
            notice: Purchase.noNotice)
        do {
            return try await context.store.store(
                purchase, claimedBy: account, requestID: requestID, now: now)
        } catch is PurchaseTaken {
            throw Problem(.purchaseTaken)
        }
    }

    /// Stores what a notice of the store says about a purchase. A notice that is not about a purchase changes nothing.
    /// - Throws: `not-found`; `purchase-invalid`.
    func receive(_ jws: String, provider: String, requestID: String, now: Instant) async throws {
        let verifier = try verifier(of: provider)
        let notice = try await verifier.notice(jws, now: now)
        guard let signed = notice.data?.signedTransactionInfo else { return }
        let transaction = try await verifier.transaction(signed, now: now)
        let (study, code) = try await sold(transaction, verifier.settings)
        var purchase = Self.purchase(
            transaction, study: study, code: code, signedAt: notice.signedAt, notice: notice.notificationUUID)
        if notice.isRevocation { purchase.revokedAt = purchase.revokedAt ?? notice.signedAt }
        try await context.store.store(purchase, requestID: requestID, now: now)
    }

    /// The study and the entitlement that a transaction is about. A product that the study no longer sells keeps the
    /// entitlement that was stored with it, so that it can still be renewed and refunded.
    private func sold(
        _ transaction: AppStoreTransaction, _ settings: AppStoreSettings
    ) async throws -> (study: String, code: String) {
        let stored = try await context.store.findPurchase(transaction.original, from: Self.appStore)
        for code in (stored.map { [$0.study] } ?? []) + settings.studies(ofBundle: transaction.bundle) {
            if let study = try await context.catalogue.findLive(code)?.published.study,
                let found = study.plan(ofAppStoreProduct: transaction.product)
            {
                return (code, found.entitlement.code)
            }
            if let stored { return stored }
        }
        throw Problem(.purchaseInvalid, "No study sells this product.")
    }

    private static func purchase(
        _ transaction: AppStoreTransaction, study: String, code: String, signedAt: Instant, notice: UUID
    ) -> Purchase {
        Purchase(
            provider: appStore, originalTransaction: transaction.original, study: study, code: code,
            purchasedAt: transaction.purchasedAt, validUntil: transaction.validUntil,
            revokedAt: transaction.revokedAt, signedAt: signedAt, notice: notice)
    }
}
