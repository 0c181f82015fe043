import SaunterCore

/// Marks ids of push subscriptions.
package enum PushSubscriptionTag {}
/// The UUID that a device generates for its push subscription.
package typealias PushSubscriptionID = ID<PushSubscriptionTag>

/// A device that receives messages by Web Push.
package struct StoredPushSubscription: Sendable, Hashable {
    /// The only account whose messages the device gets.
    package var account: AccountID
    /// Created by the device.
    package var id: PushSubscriptionID
    /// The endpoint and keys, as registered.
    package var content: JSON
    /// When the device was last registered, by the server's clock.
    package var registeredAt: Instant

    /// Creates a subscription that is not stored yet.
    package init(account: AccountID, id: PushSubscriptionID, content: JSON, registeredAt: Instant) {
        self.account = account
        self.id = id
        self.content = content
        self.registeredAt = registeredAt
    }
}
