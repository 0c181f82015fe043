import SaunterCore
import SaunterStore

/// The response bodies about entitlements and plans.
enum EntitlementResponse {
    private static let code = Schema.Member.required("entitlement", .string(), "The code of the entitlement.")
    private static let title = Schema.Member.required(
        "title", .string(), "The name of the entitlement in the language of the response.")
    private static let state = Schema.Member.required(
        "state", .string(values: EntitlementState.allCases.map(\.rawValue)),
        """
        `active`; `grace` for a purchase in the three days after its end, in which it still applies because a renewal \
        may be reported late; otherwise `ended`.
        """)
    private static let until = Schema.Member.required(
        "valid_until", .nullable(.instant), "When it ends or was revoked; null if it has no end.")

    static let planSchema = Schema.named(
        "Plan",
        .object([
            .required("plan", .string(), "The code of the plan."), code,
            .required("title", .string(), "The name of the plan."),
            .required("text", .string(), "What the plan contains."),
            .required("period", .string(), "How long a payment lasts, such as per month."),
            .required(
                "store_product", .nullable(.string()),
                "The id of the product in the app store; null if the plan is not sold there."),
        ]))

    private static let members: [Schema.Member] = [
        code, title, .required("valid_from", .instant, "From when it applies."), until,
        .required(
            "source", .string(values: EntitlementSource.allCases.map(\.rawValue)),
            "`app_store` for a purchase, `gift` for a gift of the study team."), state,
    ]

    static let schema = Schema.named("Entitlement", .object(members))

    static let staffSchema = Schema.named(
        "ParticipantEntitlement",
        .object(
            members + [
                .required(
                    "reason", .nullable(.string()),
                    "The reason of the newest change of a gift; null for a purchase.")
            ]))

    static let purchaseSchema = Schema.named("PurchasedEntitlement", .object([code, until, state]))

    /// The plans of a study in the order of the pack.
    static func plans(of study: Study, language: String) -> [JSON] {
        let texts = study.text[language]?.plans ?? [:]
        return study.entitlements.flatMap { entitlement in
            entitlement.plans.map { plan in
                [
                    "plan": .string(plan.code), "entitlement": .string(entitlement.code),
                    "title": .string(texts[plan.code]?.title ?? plan.code),
                    "text": .string(texts[plan.code]?.text ?? ""),
                    "period": .string(texts[plan.code]?.period ?? ""),
                    "store_product": .optional(plan.appStoreProduct, JSON.string),
                ]
            }
        }
    }

    static func json(
        _ grant: EntitlementGrant, in study: Study, language: String, at now: Instant
    ) -> JSONObject {
        [
            "entitlement": .string(grant.code),
            "title": .string(study.text[language]?.entitlements[grant.code] ?? grant.code),
            "valid_from": .instant(grant.validFrom), "valid_until": .instant(grant.endsAt),
            "source": .string(grant.source.rawValue), "state": .string(grant.state(at: now).rawValue),
        ]
    }

    static func purchase(_ grant: EntitlementGrant, at now: Instant) -> JSON {
        [
            "entitlement": .string(grant.code), "valid_until": .instant(grant.endsAt),
            "state": .string(grant.state(at: now).rawValue),
        ]
    }
}
