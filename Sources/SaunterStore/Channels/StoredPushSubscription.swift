import SaunterCore

package enum PushSubscriptionTag {}
package typealias PushSubscriptionID = ID<PushSubscriptionTag>

/// A device of a person that takes messages by Web Push.
package struct StoredPushSubscription: Sendable, Hashable {
    package var account: AccountID
    /// Made by the device.
    package var id: PushSubscriptionID
    /// Address and keys, as they were registered.
    package var content: JSON
    package var registeredAt: Instant

    package init(account: AccountID, id: PushSubscriptionID, content: JSON, registeredAt: Instant) {
        self.account = account
        self.id = id
        self.content = content
        self.registeredAt = registeredAt
    }
}
