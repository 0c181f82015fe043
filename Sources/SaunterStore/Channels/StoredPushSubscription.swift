import SaunterCore

package enum PushSubscriptionTag {}
package typealias PushSubscriptionID = ID<PushSubscriptionTag>

/// A device that receives messages by Web Push.
package struct StoredPushSubscription: Sendable, Hashable {
    package var account: AccountID
    /// Created by the device.
    package var id: PushSubscriptionID
    /// The endpoint and keys, as registered.
    package var content: JSON
    package var registeredAt: Instant

    package init(account: AccountID, id: PushSubscriptionID, content: JSON, registeredAt: Instant) {
        self.account = account
        self.id = id
        self.content = content
        self.registeredAt = registeredAt
    }
}
