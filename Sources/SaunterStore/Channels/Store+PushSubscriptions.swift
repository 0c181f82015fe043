import Postgres
import SaunterCore

extension Store {
    /// The maximum number of devices of one account.
    package static let maximumPushSubscriptions = 10

    /// Registers a device. It replaces the device with the same id, and a device with the same endpoint, also in
    /// another account.
    /// - Parameter endpoint: the URL of the push service, which identifies the device.
    /// - Returns: whether the id is new; nil if the account already has the maximum number of devices.
    /// - Throws: `ConcurrentErasure`.
    package func register(_ subscription: StoredPushSubscription, endpoint: String) async throws -> Bool? {
        let lookup = secrets.lookup(endpoint: endpoint)
        let sealed = try secrets.seal(
            subscription.content.text, Self.column(subscription.id), of: subscription.account)
        return try await clerk.writeRetrying(idempotent: true) { transaction -> Bool? in
            let account = try await transaction.query(
                Statements.accounts["lock_account"], ["account_id": .id(subscription.account)])
            guard !account.isEmpty else { throw ConcurrentErasure() }
            let stored = try await transaction.query(
                Statements.pushSubscriptions["upsert_push_subscription"],
                [
                    "account_id": .id(subscription.account), "subscription_id": .id(subscription.id),
                    "endpoint_lookup": .bytes(lookup), "content_sealed": .bytes(sealed),
                    "now": .instant(subscription.registeredAt),
                    "maximum": .int(Self.maximumPushSubscriptions),
                ])
            guard let row = try stored.oneOrNone() else { return nil }
            _ = try await transaction.pipeline([
                (
                    Statements.pushSubscriptions["delete_push_endpoint"],
                    [
                        "endpoint_lookup": .bytes(lookup), "account_id": .id(subscription.account),
                        "subscription_id": .id(subscription.id),
                    ]
                ),
                Self.resetFailuresCall(of: subscription.account, on: .push),
            ])
            return try row.get("is_new")
        }
    }

    /// The devices of an account, the first registered first.
    package func listPushSubscriptions(_ account: AccountID) async throws -> [StoredPushSubscription] {
        try await identity.query(
            Statements.pushSubscriptions["list_push_subscriptions"], ["account_id": .id(account)]
        )
        .map(subscription)
    }

    /// The devices of the participant of an enrolment, the first registered first.
    package func listPushSubscriptions(of enrolment: EnrolmentID) async throws -> [StoredPushSubscription] {
        try await clerk.query(
            Statements.pushSubscriptions["list_push_subscriptions_of_enrolment"],
            ["enrolment_id": .id(enrolment)]
        ).map(subscription)
    }

    /// Deletes a device.
    /// - Parameter registeredAt: deletes it only if it was registered at this instant; nil deletes it in any case.
    /// - Returns: false if there is no such device.
    @discardableResult
    package func deletePushSubscription(
        _ id: PushSubscriptionID, of account: AccountID, registeredAt: Instant? = nil
    ) async throws -> Bool {
        try await !identity.query(
            Statements.pushSubscriptions["delete_push_subscription"],
            ["account_id": .id(account), "subscription_id": .id(id), "registered_at": .instant(registeredAt)]
        ).isEmpty
    }

    /// Moves the devices of an account that ends to another account, as far as that account may have more.
    func movePushSubscriptions(
        from source: AccountID, to target: AccountID, in transaction: Transaction
    ) async throws {
        let rows = try await transaction.query(
            Statements.pushSubscriptions["list_push_subscriptions"], ["account_id": .id(source)])
        for subscription in try rows.map(subscription) {
            _ = try await transaction.query(
                Statements.pushSubscriptions["move_push_subscription"],
                [
                    "from_account": .id(source), "to_account": .id(target),
                    "subscription_id": .id(subscription.id),
                    "content_sealed": .bytes(
                        try secrets.seal(
                            subscription.content.text, Self.column(subscription.id), of: target)),
                    "maximum": .int(Self.maximumPushSubscriptions),
                ])
        }
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
