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

    /// What a participant had at an instant: of each purchase and gift, the period that began last until then. A gap
    /// before a renewal counts as ended.
    package func listEntitlements(
        of enrolment: EnrolmentID, at instant: Instant
    ) async throws -> [EntitlementGrant] {
        try await research.query(
            Statements.entitlements["list_entitlements_at"],
            ["enrolment_id": .id(enrolment), "at": .instant(instant)]
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

    /// How often a notice begins again because its purchase was claimed, or its account was erased, in the meantime.
    private static let noticeAttempts = 4

    /// Stores a state of a purchase unless a newer one is stored, and records it for the enrolment of the account.
    /// - Parameter account: the account that claims the purchase; nil for a notice of the store. A notice about a
    ///   purchase that no account has is kept, so that an older transaction cannot undo it later.
    /// - Returns: the state that is stored now.
    /// - Throws: `PurchaseTaken`; `ConcurrentErasure`.
    @discardableResult
    package func store(
        _ purchase: Purchase, claimedBy account: AccountID? = nil, requestID: String? = nil, now: Instant
    ) async throws -> EntitlementGrant {
        let lookup = secrets.lookup(purchase: purchase.originalTransaction, from: purchase.provider)
        if let account {
            guard
                let grant = try await store(
                    purchase, lookup, of: account, isClaim: true, requestID, now: now)
            else { throw ConcurrentErasure() }
            return grant
        }
        for _ in 0..<Self.noticeAttempts {
            let found = try await identity.query(
                Statements.entitlements["find_purchase"], ["original_lookup": .bytes(lookup)]
            ).oneOrNone()
            let owner: AccountID? = try found?.idOptional("account_id")
            if let grant = try await store(
                purchase, lookup, of: owner, isClaim: false, requestID, now: now)
            {
                return grant
            }
        }
        throw ConcurrentErasure()
    }

    /// - Parameter account: the account that claims the purchase, or to which it belonged when the caller looked. Its
    ///   changes run one after the other, so that an enrolment that is made at the same time has the new state.
    /// - Returns: nil if the account does not exist, or if a notice is about a purchase of another account by now. Then
    ///   nothing is changed.
    private func store(
        _ purchase: Purchase, _ lookup: [UInt8], of account: AccountID?, isClaim: Bool, _ requestID: String?,
        now: Instant
    ) async throws -> EntitlementGrant? {
        try await clerk.writeRetrying(idempotent: true) { transaction -> EntitlementGrant? in
            if let account {
                guard try await Self.lockForEntitlements(account, in: transaction) else { return nil }
            }
            let made = try await transaction.query(
                Statements.entitlements["insert_purchase"],
                Self.arguments(of: purchase, lookup, isClaim ? account : nil, now)
                    + ["entitlement_id": .uuid(UUID())])
            if !made.isEmpty {
                try await recordPurchase(
                    purchase, of: isClaim ? account : nil, requestID, now: now, in: transaction)
                return purchase.grant
            }
            let found = try await transaction.query(
                Statements.entitlements["lock_purchase"], ["original_lookup": .bytes(lookup)])
            guard let row = found.first else { throw ConcurrentErasure() }
            let owner: AccountID? = try row.idOptional("account_id")
            guard isClaim || owner == account else { return nil }
            let stored = try Self.stored(purchase, row)
            if isClaim, let owner, owner != account || stored.study != purchase.study {
                throw PurchaseTaken()
            }
            let isClaimed = isClaim && owner == nil
            let isNewer = purchase.isNewer(than: stored)
            let storedFrom = try row.instant("valid_from")
            let validFrom = min(storedFrom, purchase.purchasedAt)
            var next = isNewer ? purchase : stored
            if isClaimed, next.study != purchase.study {
                next.study = purchase.study
                next.code = purchase.code
            }
            if isClaimed || isNewer || validFrom != storedFrom {
                _ = try await transaction.query(
                    Statements.entitlements["update_purchase"],
                    Self.arguments(of: next, lookup, account, now)
                        + ["valid_from": .instant(validFrom)])
                try await recordPurchase(next, of: account, requestID, now: now, in: transaction)
            }
            if account != nil, purchase.purchasedAt < next.purchasedAt {
                _ = try await transaction.query(
                    Statements.entitlements["record_earlier_period"],
                    [
                        "original_lookup": .bytes(lookup), "valid_from": .instant(purchase.purchasedAt),
                        "code": .text(purchase.code), "valid_until": .instant(purchase.validUntil),
                        "revoked_at": .instant(purchase.revokedAt), "now": .instant(now),
                    ])
            }
            var grant = next.grant
            grant.validFrom = validFrom
            return grant
        }
    }

    /// The stored state of the same purchase.
    private static func stored(_ purchase: Purchase, _ row: Row) throws -> Purchase {
        Purchase(
            provider: purchase.provider, originalTransaction: purchase.originalTransaction,
            study: try row.get("study"), code: try row.get("code"),
            purchasedAt: try row.instant("purchased_at"), validUntil: try row.instantOptional("valid_until"),
            revokedAt: try row.instantOptional("revoked_at"), signedAt: try row.instant("signed_at"),
            notice: try row.get("notice"))
    }

    /// Locks an account and keeps its enrolments, in the order of all transactions: account, enrolment, entitlement.
    /// - Returns: whether the account exists.
    private static func lockForEntitlements(
        _ account: AccountID, in transaction: Transaction
    ) async throws -> Bool {
        let locked = try await transaction.query(
            Statements.accounts["lock_account"], ["account_id": .id(account)])
        guard !locked.isEmpty else { return false }
        _ = try await transaction.query(
            Statements.entitlements["keep_enrolments_of_account"], ["account_id": .id(account)])
        return true
    }

    /// The call that records what an account has now for its enrolments. The account is locked.
    static func recordCall(of account: AccountID, now: Instant) -> (Statement, Arguments) {
        (
            Statements.entitlements["record_entitlements"],
            ["account_id": .id(account), "now": .instant(now)]
        )
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
        _ purchase: Purchase, of account: AccountID?, _ requestID: String?, now: Instant,
        in transaction: Transaction
    ) async throws {
        let entry = AuditEntry(
            actor: .system, action: "purchase_stored", study: purchase.study, requestID: requestID,
            detail: [
                "entitlement": .string(purchase.code), "provider": .string(purchase.provider),
                "revoked": .bool(purchase.revokedAt != nil),
            ])
        let record = account.map { [Self.recordCall(of: $0, now: now)] } ?? []
        _ = try await transaction.pipeline(record + [entry.call(at: now, secrets)])
    }

    /// Moves what an account has to another account, in the transaction that also moves its enrolments. A gift that the
    /// other account has too stays where it is. Both accounts are locked.
    func moveEntitlements(
        from source: AccountID, to target: AccountID, now: Instant, in transaction: Transaction
    ) async throws {
        _ = try await transaction.pipeline([
            (
                Statements.entitlements["move_entitlements"],
                ["from_account": .id(source), "to_account": .id(target)]
            ),
            // The enrolments that moved get what the other account had before.
            Self.recordCall(of: target, now: now),
        ])
    }

    // MARK: - Gifts

    /// Gives a participant an entitlement, or changes the end of a gift, and writes the audit entry.
    /// - Throws: `ConcurrentErasure` if the enrolment was erased.
    package func give(
        _ code: String, to enrolment: EnrolmentID, until: Instant?, why: String, audit: AuditEntry,
        now: Instant
    ) async throws -> EntitlementGrant {
        try await clerk.writeRetrying(idempotent: true) { transaction in
            let account = try await Self.lockAccount(of: enrolment, in: transaction)
            let rows = try await transaction.query(
                Statements.entitlements["upsert_gift"],
                [
                    "entitlement_id": .uuid(UUID()), "enrolment_id": .id(enrolment), "code": .text(code),
                    "valid_until": .instant(until), "why": .text(why), "now": .instant(now),
                ])
            guard let row = rows.first, let account else { throw ConcurrentErasure() }
            _ = try await transaction.pipeline([
                Self.recordCall(of: account, now: now), audit.call(at: now, secrets),
            ])
            return EntitlementGrant(
                code: code, source: .gift, validFrom: try row.instant("valid_from"), validUntil: until)
        }
    }

    /// Ends a gift now, and writes the audit entry.
    /// - Returns: false if the participant has no gift of this entitlement in force. Then nothing is written.
    package func revokeGift(
        _ code: String, of enrolment: EnrolmentID, why: String, audit: AuditEntry, now: Instant
    ) async throws -> Bool {
        try await clerk.writeRetrying(idempotent: true) { transaction in
            let account = try await Self.lockAccount(of: enrolment, in: transaction)
            let rows = try await transaction.query(
                Statements.entitlements["revoke_gift"],
                [
                    "enrolment_id": .id(enrolment), "code": .text(code), "why": .text(why),
                    "now": .instant(now),
                ])
            guard !rows.isEmpty, let account else { return false }
            _ = try await transaction.pipeline([
                Self.recordCall(of: account, now: now), audit.call(at: now, secrets),
            ])
            return true
        }
    }

    /// Locks the account of an enrolment, and keeps its enrolments.
    /// - Returns: nil if the enrolment has no account.
    private static func lockAccount(
        of enrolment: EnrolmentID, in transaction: Transaction
    ) async throws -> AccountID? {
        let found = try await transaction.query(
            Statements.entitlements["lock_account_of_enrolment"], ["enrolment_id": .id(enrolment)])
        guard let account: AccountID = try found.oneOrNone()?.id("account_id") else { return nil }
        _ = try await transaction.query(
            Statements.entitlements["keep_enrolments_of_account"], ["account_id": .id(account)])
        return account
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
