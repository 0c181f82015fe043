import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes about what participants can buy or be given: plans, purchases, own entitlements and gifts.
struct EntitlementRoutes: Sendable {
    let context: ServerContext

    private static let entitlement = PathParameter.text(
        "code", "The code of an entitlement of the study.", example: "premium")
    private static let jws = Schema.string(minLength: 1, maxLength: 32_768)
    private static let reasonMember = Schema.Member.required(
        "reason", .string(minLength: 1, maxLength: 1000),
        "The reason for the record. The participant can read it in the export of own data.")

    // MARK: - Plans

    var plans: Route {
        Route(
            .get, "/v1/studies/{study}/plans", who: .anyone, tag: "Entitlements",
            summary: "List how to buy the entitlements of a study",
            description: """
                The list is empty if the study sells nothing. Prices are in the store only. The texts are in the first \
                language of Accept-Language that the study offers.
                """,
            parameters: [.study],
            outcomes: [
                .json(
                    .ok, "The plans in their order.", .page(of: EntitlementResponse.planSchema),
                    headers: [Outcome.entityTag])
            ]
        ) { call in
            guard let study = try await context.catalogue.findLive(call.text("study"))?.published.study else {
                throw Problem(.notFound)
            }
            let language = context.language(
                call.headers[.acceptLanguage], of: study.languages, fallback: study.languages[0])
            let body: JSON = [
                "items": .array(EntitlementResponse.plans(of: study, language: language)), "next": nil,
            ]
            return .json(.ok, body, headers: [.vary: "Accept-Language"], entityTag: EntityTag(of: body))
        }
    }

    // MARK: - Own entitlements

    var own: Route {
        Route(
            .get, "/v1/enrolments/{id}/entitlements", who: .participant, tag: "Entitlements",
            summary: "List the participant's entitlements",
            description: "Ended and revoked entitlements are in the list.",
            parameters: [.enrolment],
            outcomes: [
                .json(.ok, "The entitlements by their codes.", .page(of: EntitlementResponse.schema))
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let study = try await context.study(of: enrolment).study
            let grants = try await context.store.listEntitlements(of: enrolment.id)
            return .json(
                .ok,
                [
                    "items": .array(
                        grants.map {
                            .object(
                                EntitlementResponse.json(
                                    $0, in: study, language: enrolment.language, at: call.now))
                        }), "next": nil,
                ])
        }
    }

    // MARK: - Purchases

    var purchase: Route {
        Route(
            .post, "/v1/account/purchases", who: .account, tag: "Entitlements",
            summary: "Send a purchase to get its entitlement",
            description: """
                `signed_transaction` is the JWS of a transaction in the format of the App Store Server API. The server \
                checks the chain of certificates and the signature without calling the store. The same purchase can be \
                sent again, also after it was renewed. A purchase belongs to one account and one study. The response is \
                404 if the server is not configured for purchases of the study. An account can send 30 purchases per \
                hour.
                """,
            body: .json(
                .named(
                    "PurchaseRequest",
                    .object([
                        .required("provider", .string(values: [PurchaseService.appStore]), "The store."),
                        .required(
                            "study", .string(minLength: 1, maxLength: 64), "The code of the study."),
                        .required("signed_transaction", Self.jws, "The transaction that the store signed."),
                    ])), limit: 64 * 1024,
                example: [
                    "provider": "app_store", "study": "mindful-walking",
                    "signed_transaction": "eyJhbGciOiJFUzI1NiIsIng1YyI6Wy…",
                ]),
            outcomes: [
                .json(.ok, "The purchase is stored.", EntitlementResponse.purchaseSchema)
            ], problems: [.notFound, .purchaseTaken, .purchaseInvalid]
        ) { call in
            try await context.accounts.purchaseThrottle.admit(.account(call.caller.account), now: call.now)
            let grant = try await PurchaseService(context: context).claim(
                call.body["signed_transaction"]?.string ?? "", provider: call.body["provider"]?.string ?? "",
                study: call.body["study"]?.string ?? "", for: call.caller.account, requestID: call.requestID,
                now: call.now)
            return .json(.ok, EntitlementResponse.purchase(grant, at: call.now))
        }
    }

    var notice: Route {
        Route(
            .post, "/v1/purchase-notifications/{provider}", who: .anyone, tag: "Entitlements",
            summary: "Receive a notice of a store about a purchase",
            description: """
                For stores only, as the address for version 2 of the App Store Server Notifications. The notice and the \
                transaction in it must be signed by the store. The same notice can arrive several times, and in any \
                order: the newest state of the newest transaction counts.
                """,
            parameters: [.text("provider", "The store.", example: "app_store")],
            body: .json(
                .named(
                    "PurchaseNotice",
                    .object(
                        [.required("signedPayload", Self.jws, "The notice that the store signed.")],
                        additional: .any)),
                limit: 64 * 1024, example: ["signedPayload": "eyJhbGciOiJFUzI1NiIsIng1YyI6Wy…"]),
            outcomes: [.empty(.noContent, "The notice is stored, or is not about a purchase.")],
            problems: [.purchaseInvalid]
        ) { call in
            try await context.accounts.noticeThrottle.admit(.address(call.remoteAddress), now: call.now)
            try await PurchaseService(context: context).receive(
                call.body["signedPayload"]?.string ?? "", provider: call.text("provider"),
                requestID: call.requestID, now: call.now)
            return .noContent
        }
    }

    // MARK: - The study team

    var ofParticipant: Route {
        Route(
            .get, "/v1/studies/{study}/participants/{participant}/entitlements", who: .researcher,
            tag: "Entitlements", summary: "List the entitlements of a participant",
            description: "The list states the source and the dates, and nothing about a payment.",
            parameters: [.study, ArmRoutes.participant],
            outcomes: [
                .json(.ok, "The entitlements by their codes.", .page(of: EntitlementResponse.staffSchema))
            ], problems: [.notFound]
        ) { call in
            let enrolment = try await context.fetchParticipant(call)
            let study = try await context.study(of: enrolment).study
            let owned = try await context.store.listOwnedEntitlements(of: enrolment)
            let language = context.language(
                call.headers[.acceptLanguage], of: study.languages, fallback: study.languages[0])
            return .json(
                .ok,
                [
                    "items": .array(
                        owned.map {
                            var item = EntitlementResponse.json(
                                $0.grant, in: study, language: language, at: call.now)
                            item["reason"] = .optional($0.why, JSON.string)
                            return .object(item)
                        }), "next": nil,
                ])
        }
    }

    var give: Route {
        Route(
            .put, "/v1/studies/{study}/participants/{participant}/entitlements/{code}", who: .coordinator,
            tag: "Entitlements", summary: "Give a participant an entitlement",
            description: """
                Also changes the end and the reason of a gift. A gift has no grace period. The server writes an audit \
                entry. In a browser session the password must have been entered within 10 minutes \
                (`POST /v1/session/confirmation`).
                """,
            parameters: [.study, ArmRoutes.participant, Self.entitlement],
            body: .json(
                .named(
                    "EntitlementGift",
                    .object([
                        .required(
                            "valid_until", .nullable(.instant),
                            "When the gift ends, an instant in the future; null for a gift without an end."),
                        Self.reasonMember,
                    ])),
                example: ["valid_until": "2027-02-28T23:59:59.000Z", "reason": "Prize of the autumn draw."]),
            outcomes: [.json(.ok, "The gift is stored.", EntitlementResponse.purchaseSchema)],
            problems: [.notFound]
        ) { call in
            try call.caller.requireConfirmedPassword(at: call.now)
            let (enrolment, code) = try await gift(call)
            let reason = try Self.reason(call)
            let until = call.body["valid_until"]?.string.flatMap { Instant($0) }
            if let until, until <= call.now {
                throw Fault(
                    pointer: "/valid_until", code: "out_of_range", detail: "The end must be in the future.")
            }
            let grant = try await context.store.give(
                code, to: enrolment.id, until: until, why: reason,
                audit: audit("entitlement_given", code, enrolment, call), now: call.now)
            return .json(.ok, EntitlementResponse.purchase(grant, at: call.now))
        }
    }

    var revoke: Route {
        Route(
            .delete, "/v1/studies/{study}/participants/{participant}/entitlements/{code}", who: .coordinator,
            tag: "Entitlements", summary: "End a gift now",
            description: """
                Purchases are not affected. The server writes an audit entry. In a browser session the password must \
                have been entered within 10 minutes (`POST /v1/session/confirmation`).
                """,
            parameters: [.study, ArmRoutes.participant, Self.entitlement],
            body: .json(
                .named("EntitlementRevocation", .object([Self.reasonMember])),
                example: ["reason": "Given to the wrong participant."]),
            outcomes: [.empty(.noContent, "The gift has ended.")], problems: [.notFound]
        ) { call in
            try call.caller.requireConfirmedPassword(at: call.now)
            let (enrolment, code) = try await gift(call)
            let reason = try Self.reason(call)
            let isRevoked = try await context.store.revokeGift(
                code, of: enrolment.id, why: reason,
                audit: audit("entitlement_revoked", code, enrolment, call), now: call.now)
            guard isRevoked else {
                throw Problem(.notFound, "The participant has no gift of this entitlement.")
            }
            return .noContent
        }
    }

    /// The participant and the entitlement in the path.
    /// - Throws: `not-found` if the study does not have the entitlement.
    private func gift(_ call: Call<Identity>) async throws -> (enrolment: Enrolment, code: String) {
        let enrolment = try await context.fetchParticipant(call)
        let code = try call.text("code")
        guard try await context.study(of: enrolment).study.entitlement(code) != nil else {
            throw Problem(.notFound, "The study has no entitlement with this code.")
        }
        return (enrolment, code)
    }

    private static func reason(_ call: Call<Identity>) throws(Fault) -> String {
        guard let reason = call.body["reason"]?.string, reason.contains(where: { !$0.isWhitespace }) else {
            throw Fault(pointer: "/reason", code: "required", detail: "The reason must not be blank.")
        }
        return reason
    }

    private func audit(
        _ action: String, _ code: String, _ enrolment: Enrolment, _ call: Call<Identity>
    ) -> AuditEntry {
        AuditEntry(
            actor: .account(call.caller.account), action: action, study: enrolment.study,
            enrolment: enrolment.id, requestID: call.requestID,
            detail: [
                "entitlement": .string(code), "valid_until": call.body["valid_until"] ?? .null,
            ])
    }
}
