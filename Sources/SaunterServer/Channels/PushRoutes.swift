import HTTPTypes
import SaunterCore
import SaunterReminders
import SaunterStore

/// Routes to register the devices of an account for Web Push.
struct PushRoutes: Sendable {
    let context: ServerContext

    var key: Route {
        Route(
            .get, "/v1/push-key", who: .anyone, tag: "Channels",
            summary: "Get the public key for push subscriptions",
            description: """
                Devices subscribe to push messages of this server with this key. It stays the same as long as the \
                server keeps its master key.
                """,
            outcomes: [.json(.ok, "The public key.", Self.keySchema)]
        ) { _ in
            .json(.ok, ["public_key": .string(context.pushKey)])
        }
    }

    var put: Route {
        Route(
            .put, "/v1/account/push-subscriptions/{subscription_id}", who: .account, tag: "Channels",
            summary: "Register a device for Web Push",
            description: """
                The body is the JSON form of the browser's `PushSubscription`. The device generates the id. A request \
                with the same id replaces the registration. If another account had registered the same endpoint, the \
                endpoint now belongs to this account. An account can have at most \(Store.maximumPushSubscriptions) \
                devices. The server sends push messages for an enrolment if its `reminder.channels` contain `push`. \
                Push messages are encrypted, and only the device can read them.
                """,
            parameters: [Self.subscription],
            body: .json(
                Self.bodySchema,
                example: [
                    "endpoint": "https://push.example.net/v2/9f3c0a6e",
                    "keys": [
                        "p256dh":
                            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
                        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
                    ],
                ]),
            outcomes: [
                .json(.created, "The device is registered.", Self.schema),
                .json(.ok, "The registration of the device is replaced.", Self.schema),
            ], problems: [.notPermitted]
        ) { call in
            let given = try PushSubscription(call.body, policy: context.configuration.outboundPolicy)
            let stored = StoredPushSubscription(
                account: call.caller.account, id: try call.id("subscription_id"), content: given.json,
                registeredAt: call.now)
            guard
                let isNew = try await context.store.register(stored, endpoint: given.endpoint.text)
            else {
                throw Problem(
                    .notPermitted,
                    "An account can have at most \(Store.maximumPushSubscriptions) devices. Remove one of them first."
                )
            }
            return .json(isNew ? .created : .ok, try Self.json(stored, context.configuration.outboundPolicy))
        }
    }

    var list: Route {
        Route(
            .get, "/v1/account/push-subscriptions", who: .account, tag: "Channels",
            summary: "List the devices that are registered for Web Push",
            description: """
                The response omits endpoints and keys, because they allow their owner to send messages to the device.
                """,
            outcomes: [.json(.ok, "Devices, in the order of their registration.", .page(of: Self.schema))]
        ) { call in
            let found = try await context.store.listPushSubscriptions(call.caller.account)
            let items = try found.map { try Self.json($0, context.configuration.outboundPolicy) }
            return .json(.ok, ["items": .array(items), "next": nil])
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/account/push-subscriptions/{subscription_id}", who: .account, tag: "Channels",
            summary: "Remove a device from Web Push",
            parameters: [Self.subscription],
            outcomes: [.empty(.noContent, "The device is removed and receives no more messages.")]
        ) { call in
            let id: PushSubscriptionID = try call.id("subscription_id")
            guard try await context.store.deletePushSubscription(id, of: call.caller.account) else {
                throw Problem(.notFound)
            }
            return .noContent
        }
    }

    private static let subscription = PathParameter.uuid(
        "subscription_id", "The UUID that the device generates.")

    private static func json(_ stored: StoredPushSubscription, _ policy: OutboundPolicy) throws -> JSON {
        let origin = stored.content["endpoint"]?.string.flatMap { OutboundURL($0)?.origin }
        return [
            "subscription_id": .id(stored.id), "service": .string(origin ?? ""),
            "registered_at": .instant(stored.registeredAt),
        ]
    }

    static let keySchema = Schema.named(
        "PushKey",
        .object([
            .required(
                "public_key", .string(), "The `applicationServerKey`: 65 bytes in base64url (RFC 8292).")
        ]))

    static let bodySchema = Schema.named(
        "PushSubscriptionRequest",
        .object([
            .required(
                "endpoint", .string(minLength: 9, maxLength: OutboundURL.maximumBytes),
                "The https URL of the push service for the device."),
            .optional("expirationTime", .nullable(.number()), "The server ignores this value."),
            .required(
                "keys",
                .object([
                    .required(
                        "p256dh", .string(minLength: 87, maxLength: 88),
                        "An uncompressed point of P-256 in base64url."),
                    .required("auth", .string(minLength: 22, maxLength: 24), "16 bytes in base64url."),
                ]), "The keys of the browser's subscription, with which messages are encrypted."),
        ]))

    static let schema = Schema.named(
        "PushSubscription",
        .object([
            .required("subscription_id", .id, "The id of the subscription, which the client created."),
            .required("service", .string(), "The origin of the push service."),
            .required("registered_at", .instant, "When the subscription was registered."),
        ]))
}
