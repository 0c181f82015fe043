import Foundation
import Postgres
import SaunterCore

/// What a store signed about one purchase.
package struct Purchase: Sendable, Hashable {
    /// The store, such as `app_store`.
    package var provider: String
    /// The id of the first transaction of the purchase. Renewals keep it.
    package var originalTransaction: String
    /// The study in which the product is sold.
    package var study: String
    /// The entitlement that the product gives.
    package var code: String
    /// When the transaction was made. A renewal is a later transaction.
    package var purchasedAt: Instant
    /// When the paid time ends; nil for no end.
    package var validUntil: Instant?
    /// When the store refunded or revoked the transaction; nil if it did not.
    package var revokedAt: Instant?
    /// When the store signed this state.
    package var signedAt: Instant
    /// The id of the store's notice. For a transaction that a client sent, an id that is before all others.
    package var notice: UUID

    /// Creates a state of a purchase.
    package init(
        provider: String, originalTransaction: String, study: String, code: String, purchasedAt: Instant,
        validUntil: Instant?, revokedAt: Instant?, signedAt: Instant, notice: UUID
    ) {
        self.provider = provider
        self.originalTransaction = originalTransaction
        self.study = study
        self.code = code
        self.purchasedAt = purchasedAt
        self.validUntil = validUntil
        self.revokedAt = revokedAt
        self.signedAt = signedAt
        self.notice = notice
    }

    /// The notice of a transaction that a client sent.
    package static let noNotice = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// Whether this state replaces the other one. The order is total, so that the stored state does not depend on the
    /// order in which states arrive, or on how often: first the time of the transaction, then that of the signature,
    /// then the id of the notice.
    package func isNewer(than other: Purchase) -> Bool {
        if purchasedAt != other.purchasedAt { return purchasedAt > other.purchasedAt }
        if signedAt != other.signedAt { return signedAt > other.signedAt }
        return other.notice.uuidString < notice.uuidString
    }
}

/// The purchase belongs to another account, or to another study.
package struct PurchaseTaken: Error {}

/// One entitlement with what its owner and the study team may read about it.
package struct OwnedEntitlement: Sendable, Hashable {
    /// The code of the study.
    package var study: String
    /// The code, the source and the times.
    package var grant: EntitlementGrant
    /// The reason of the newest change of a gift; nil for a purchase.
    package var why: String?
}

extension Store {
    /// What the account of an enrolment has in its study, ended and revoked entitlements included.
    package func listEntitlements(of enrolment: EnrolmentID) async throws -> [EntitlementGrant] {
        try await identity.query(
            Statements.entitlements["list_entitlements"], ["enrolment_id": .id(enrolment)]
        ).map(Self.grant)
    }

    /// All entitlements of an account, for its own data.
    package func listEntitlements(of account: AccountID) async throws -> [OwnedEntitlement] {
        try await identity.query(
            Statements.entitlements["list_entitlements_of_account"], ["account_id": .id(account)]
        ).map { row in
            OwnedEntitlement(
                study: try row.get("study"), grant: try Self.grant(row), why: try row.getOptional("why"))
        }
    }

    /// As `listEntitlements(of:)`, with the reasons of gifts, for the study team.
    package func listOwnedEntitlements(of enrolment: Enrolment) async throws -> [OwnedEntitlement] {
        try await identity.query(
            Statements.entitlements["list_entitlements"], ["enrolment_id": .id(enrolment.id)]
        ).map { row in
            OwnedEntitlement(
                study: enrolment.study, grant: try Self.grant(row), why: try row.getOptional("why"))
        }
    }

    private static func grant(_ row: Row) throws -> EntitlementGrant {
        EntitlementGrant(
            code: try row.get("code"), source: try row.value("source"),
            validFrom: try row.instant("valid_from"), validUntil: try row.instantOptional("valid_until"),
            revokedAt: try row.instantOptional("revoked_at"))
    }

    // MARK: - Purchases

    /// The study and the entitlement of a stored purchase; nil if the purchase is not stored.
    package func findPurchase(
        _ original: String, from provider: String
    ) async throws -> (study: String, code: String)? {
        try await identity.query(
            Statements.entitlements["find_purchase"],
            ["original_lookup": .bytes(secrets.lookup(purchase: original, from: provider))]
        ).oneOrNone().map { (try $0.get("study"), try $0.get("code")) }
    }

    /// Stores a state of a purchase unless a newer one is stored.
    /// - Parameter account: the account that claims the purchase; nil for a notice of the store. A notice about a
    ///   purchase that no account has is kept, so that an older transaction cannot undo it later.
    /// - Returns: the state that is stored now.
    /// - Throws: `PurchaseTaken`; `ConcurrentErasure`.
    @discardableResult
    package func store(
        _ purchase: Purchase, claimedBy account: AccountID? = nil, requestID: String? = nil, now: Instant
    ) async throws -> EntitlementGrant {
        let lookup = secrets.lookup(purchase: purchase.originalTransaction, from: purchase.provider)
        return try await identity.writeRetrying(idempotent: true) { transaction in
            if let account {
                let locked = try await transaction.query(
                    Statements.accounts["lock_account"], ["account_id": .id(account)])
                guard !locked.isEmpty else { throw ConcurrentErasure() }
            }
            let made = try await transaction.query(
                Statements.entitlements["insert_purchase"],
                Self.arguments(of: purchase, lookup, account, now) + ["entitlement_id": .uuid(UUID())])
            if !made.isEmpty {
                try await recordPurchase(purchase, requestID, now: now, in: transaction)
                return purchase.grant
            }
            let found = try await transaction.query(
                Statements.entitlements["lock_purchase"], ["original_lookup": .bytes(lookup)])
            guard let row = found.first else { throw ConcurrentErasure() }
            let owner: AccountID? = try row.idOptional("account_id")
            var stored = purchase
            stored.study = try row.get("study")
            stored.code = try row.get("code")
            stored.purchasedAt = try row.instant("purchased_at")
            stored.validUntil = try row.instantOptional("valid_until")
            stored.revokedAt = try row.instantOptional("revoked_at")
            stored.signedAt = try row.instant("signed_at")
            stored.notice = try row.get("notice")
            if let account, let owner, owner != account || stored.study != purchase.study {
                throw PurchaseTaken()
            }
            let isClaim = account != nil && owner == nil
            let isNewer = purchase.isNewer(than: stored)
            let storedFrom = try row.instant("valid_from")
            let validFrom = min(storedFrom, purchase.purchasedAt)
            if isClaim || isNewer || validFrom != storedFrom {
                var next = isNewer ? purchase : stored
                if isClaim, next.study != purchase.study {
                    next.study = purchase.study
                    next.code = purchase.code
                }
                _ = try await transaction.query(
                    Statements.entitlements["update_purchase"],
                    Self.arguments(of: next, lookup, owner ?? account, now)
                        + ["valid_from": .instant(validFrom)])
                try await recordPurchase(next, requestID, now: now, in: transaction)
                stored = next
            }
            var grant = stored.grant
            grant.validFrom = validFrom
            return grant
        }
    }

    private static func arguments(
        of purchase: Purchase, _ lookup: [UInt8], _ account: AccountID?, _ now: Instant
    ) -> Arguments {
        [
            "original_lookup": .bytes(lookup), "account_id": .id(account), "study": .text(purchase.study),
            "code": .text(purchase.code), "valid_until": .instant(purchase.validUntil),
            "revoked_at": .instant(purchase.revokedAt), "purchased_at": .instant(purchase.purchasedAt),
            "signed_at": .instant(purchase.signedAt), "notice": .uuid(purchase.notice), "now": .instant(now),
        ]
    }

    /// The audit names neither the transaction nor the account, because an account with a study would lead to a
    /// participant whose enrolment is erased.
    private func recordPurchase(
        _ purchase: Purchase, _ requestID: String?, now: Instant, in transaction: Transaction
    ) async throws {
        let entry = AuditEntry(
            actor: .system, action: "purchase_stored", study: purchase.study, requestID: requestID,
            detail: [
                "entitlement": .string(purchase.code), "provider": .string(purchase.provider),
                "revoked": .bool(purchase.revokedAt != nil),
            ])
        let (statement, parameters) = entry.call(at: now, secrets)
        _ = try await transaction.query(statement, parameters)
    }

    /// Moves what an account has to another account, in the transaction that also moves its enrolments. A gift that the
    /// other account has too stays where it is.
    func moveEntitlements(
        from source: AccountID, to target: AccountID, in transaction: Transaction
    ) async throws {
        _ = try await transaction.query(
            Statements.entitlements["move_entitlements"],
            ["from_account": .id(source), "to_account": .id(target)])
    }

    // MARK: - Gifts

    /// Gives a participant an entitlement, or changes the end of a gift, and writes the audit entry.
    /// - Throws: `ConcurrentErasure` if the enrolment was erased.
    package func give(
        _ code: String, to enrolment: EnrolmentID, until: Instant?, why: String, audit: AuditEntry,
        now: Instant
    ) async throws -> EntitlementGrant {
        try await identity.writeRetrying(idempotent: true) { transaction in
            let rows = try await transaction.query(
                Statements.entitlements["upsert_gift"],
                [
                    "entitlement_id": .uuid(UUID()), "enrolment_id": .id(enrolment), "code": .text(code),
                    "valid_until": .instant(until), "why": .text(why), "now": .instant(now),
                ])
            guard let row = rows.first else { throw ConcurrentErasure() }
            _ = try await transaction.pipeline([audit.call(at: now, secrets)])
            return EntitlementGrant(
                code: code, source: .gift, validFrom: try row.instant("valid_from"), validUntil: until)
        }
    }

    /// Ends a gift now, and writes the audit entry.
    /// - Returns: false if the participant has no gift of this entitlement in force. Then nothing is written.
    package func revokeGift(
        _ code: String, of enrolment: EnrolmentID, why: String, audit: AuditEntry, now: Instant
    ) async throws -> Bool {
        try await identity.writeRetrying(idempotent: true) { transaction in
            let rows = try await transaction.query(
                Statements.entitlements["revoke_gift"],
                [
                    "enrolment_id": .id(enrolment), "code": .text(code), "why": .text(why),
                    "now": .instant(now),
                ])
            guard !rows.isEmpty else { return false }
            _ = try await transaction.pipeline([audit.call(at: now, secrets)])
            return true
        }
    }
}

extension Purchase {
    /// The entitlement as its owner reads it.
    fileprivate var grant: EntitlementGrant {
        EntitlementGrant(
            code: code, source: .appStore, validFrom: purchasedAt, validUntil: validUntil,
            revokedAt: revokedAt)
    }
}
