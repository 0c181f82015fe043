import HTTPTypes
import SaunterCore
import SaunterReminders
import SaunterStore

/// The devices of a person that take messages by Web Push.
struct PushRoutes: Sendable {
    let context: ServerContext

    var key: Route {
        Route(
            .get, "/v1/push-key", who: .anyone, tag: "Channels",
            summary: "The key by which devices subscribe to this server's pushes",
            description: "It stays the same as long as the server keeps its master key.",
            outcomes: [.json(.ok, "The key.", Self.keySchema)]
        ) { _ in
            .json(.ok, ["public_key": .string(context.pushKey)])
        }
    }

    var put: Route {
        Route(
            .put, "/v1/account/push-subscriptions/{subscription_id}", who: .account, tag: "Channels",
            summary: "Register a device for Web Push",
            description: """
                What the browser's `PushSubscription` says of itself, under an id of the device's own. The same id again replaces what it stood for; an \
                address that another account had registered is this one's from now on. At most \(Store.mostPushSubscriptions) devices. Messages come by \
                push where an enrolment's `reminder.channels` say so; they are encrypted, and only the device can read them.
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
                .json(.created, "Registered.", Self.schema),
                .json(.ok, "Registered before, and as given now.", Self.schema),
            ], problems: [.notPermitted]
        ) { call in
            let given: PushSubscription
            do {
                given = try PushSubscription(call.body, rule: context.configuration.outward)
            } catch let faults as Faults {
                throw Problem(.bodyInvalid, faults)
            }
            let stored = StoredPushSubscription(
                account: call.caller.account, id: try call.id("subscription_id"), content: given.json,
                registeredAt: call.now)
            guard
                let isNew = try await context.store.register(stored, address: given.endpoint.text)
            else {
                throw Problem(
                    .notPermitted,
                    "This account has \(Store.mostPushSubscriptions) devices: remove one of them.")
            }
            return .json(isNew ? .created : .ok, try Self.json(stored, context.configuration.outward))
        }
    }

    var list: Route {
        Route(
            .get, "/v1/account/push-subscriptions", who: .account, tag: "Channels",
            summary: "Devices that take pushes",
            description: "Without addresses and keys, which open a way to the device.",
            outcomes: [.json(.ok, "The first registered first.", .page(of: Self.schema))]
        ) { call in
            let found = try await context.store.listPushSubscriptions(call.caller.account)
            let items = try found.map { try Self.json($0, context.configuration.outward) }
            return .json(.ok, ["items": .array(items), "next": nil])
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/account/push-subscriptions/{subscription_id}", who: .account, tag: "Channels",
            summary: "Remove a device",
            parameters: [Self.subscription],
            outcomes: [.empty(.noContent, "Nothing is sent to it any more.")]
        ) { call in
            let id: PushSubscriptionID = try call.id("subscription_id")
            guard try await context.store.deletePushSubscription(id, of: call.caller.account) else {
                throw Problem(.notFound)
            }
            return .noContent
        }
    }

    private static let subscription = PathParameter.uuid("subscription_id", "Made by the device.")

    private static func json(_ stored: StoredPushSubscription, _ rule: OutwardRule) throws -> JSON {
        let origin = stored.content["endpoint"]?.string.flatMap { OutwardURL($0)?.origin }
        return [
            "subscription_id": .id(stored.id), "service": .string(origin ?? ""),
            "registered_at": .instant(stored.registeredAt),
        ]
    }

    static let keySchema = Schema.named(
        "PushKey",
        .object([
            .required("public_key", .string(), "`applicationServerKey`: 65 bytes in base64url (RFC 8292).")
        ]))

    static let bodySchema = Schema.named(
        "PushSubscriptionRequest",
        .object([
            .required(
                "endpoint", .string(minLength: 9, maxLength: OutwardURL.mostBytes),
                "The push service's https address for the device."),
            .optional("expirationTime", .nullable(.number()), "Not looked at."),
            .required(
                "keys",
                .object([
                    .required(
                        "p256dh", .string(minLength: 87, maxLength: 88),
                        "An uncompressed point of P-256 in base64url."),
                    .required("auth", .string(minLength: 22, maxLength: 24), "16 bytes in base64url."),
                ])),
        ]))

    static let schema = Schema.named(
        "PushSubscription",
        .object([
            .required("subscription_id", .id), .required("service", .string(), "Origin of the push service."),
            .required("registered_at", .instant),
        ]))
}
