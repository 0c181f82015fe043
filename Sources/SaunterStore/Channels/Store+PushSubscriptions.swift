import Postgres
import SaunterCore

extension Store {
    /// So many devices of one account.
    package static let mostPushSubscriptions = 10

    /// Registers a device, in place of whatever had its id, and of whoever had the same address before.
    /// - Parameter address: what no two devices share.
    /// - Returns: whether the id is new; nil when the account has as many devices as it may.
    /// - Throws: `ErasedMeanwhile`.
    package func register(_ subscription: StoredPushSubscription, address: String) async throws -> Bool? {
        let lookup = secrets.lookup(endpoint: address)
        let sealed = try secrets.seal(
            subscription.content.text, Self.column(subscription.id), of: subscription.account)
        return try await clerk.writeRetrying(repeatable: true) { transaction -> Bool? in
            let account = try await transaction.query(
                Statements.accounts["lock_account"], [.id(subscription.account)])
            guard !account.isEmpty else { throw ErasedMeanwhile() }
            let stored = try await transaction.query(
                Statements.pushSubscriptions["upsert_push_subscription"],
                [
                    .id(subscription.account), .id(subscription.id), .bytes(lookup), .bytes(sealed),
                    .instant(subscription.registeredAt), .int(Self.mostPushSubscriptions),
                ])
            guard let row = try stored.oneOrNone() else { return nil }
            _ = try await transaction.pipeline([
                (
                    Statements.pushSubscriptions["forget_push_endpoint"],
                    [.bytes(lookup), .id(subscription.account), .id(subscription.id)]
                ),
                Self.forgetFailuresCall(of: subscription.account, by: .push),
            ])
            return try row.get("is_new")
        }
    }

    /// The devices of an account, the first registered first.
    package func listPushSubscriptions(_ account: AccountID) async throws -> [StoredPushSubscription] {
        try await identity.query(Statements.pushSubscriptions["list_push_subscriptions"], [.id(account)])
            .map(subscription)
    }

    /// The devices of the person behind an enrolment.
    package func listPushSubscriptions(of enrolment: EnrolmentID) async throws -> [StoredPushSubscription] {
        try await clerk.query(
            Statements.pushSubscriptions["list_push_subscriptions_of_enrolment"], [.id(enrolment)]
        ).map(subscription)
    }

    /// - Parameter registeredAt: only what was registered then; nil is whatever has the id.
    /// - Returns: false when there is no such device.
    @discardableResult
    package func deletePushSubscription(
        _ id: PushSubscriptionID, of account: AccountID, registeredAt: Instant? = nil
    ) async throws -> Bool {
        try await !identity.query(
            Statements.pushSubscriptions["delete_push_subscription"],
            [.id(account), .id(id), .instant(registeredAt)]
        ).isEmpty
    }

    private func subscription(_ row: Row) throws -> StoredPushSubscription {
        let account: AccountID = try row.id("account_id")
        let id: PushSubscriptionID = try row.id("subscription_id")
        let text = try secrets.open(row.get("content_sealed"), Self.column(id), of: account)
        return StoredPushSubscription(
            account: account, id: id, content: try JSONReader.read(text),
            registeredAt: try row.instant("registered_at"))
    }

    private static func column(_ id: PushSubscriptionID) -> String { "push_subscription/\(id)" }
}
