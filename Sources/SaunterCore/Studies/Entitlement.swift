/// Access to parts of a study that some participants have, for example because they bought it.
package struct Entitlement: Sendable, Hashable {
    /// Unique in the study.
    package var code: String
    /// The ways to buy it, in the order of the pack. May be empty: the study team then gives the entitlement.
    package var plans: [Plan]

    /// Creates an entitlement; by default one that is not sold.
    package init(code: String, plans: [Plan] = []) {
        self.code = code
        self.plans = plans
    }
}

/// A way to buy an entitlement. Its price is in the store only.
package struct Plan: Sendable, Hashable {
    /// Unique among all plans of the study.
    package var code: String
    /// The id of the product in the app store; nil if the plan is not sold there.
    package var appStoreProduct: String?

    /// Creates a plan; by default one that is not sold in the app store.
    package init(code: String, appStoreProduct: String? = nil) {
        self.code = code
        self.appStoreProduct = appStoreProduct
    }
}

/// The texts about a plan, in one language.
package struct PlanText: Sendable, Hashable {
    /// The name of the plan.
    package var title: String
    /// What the plan contains. Plain text.
    package var text: String
    /// How long a payment lasts, such as "per month".
    package var period: String

    /// Creates the texts.
    package init(title: String, text: String, period: String) {
        self.title = title
        self.text = text
        self.period = period
    }
}

/// How an account received an entitlement.
package enum EntitlementSource: String, Sendable, Hashable, CaseIterable {
    /// A purchase in the app store.
    case appStore = "app_store"
    /// A gift of the study team.
    case gift
}

/// Whether an entitlement applies at an instant.
package enum EntitlementState: String, Sendable, Hashable, CaseIterable {
    /// It applies.
    case active
    /// It has ended, and still applies for some days because a renewal's notice may be late.
    case grace
    /// It does not apply.
    case ended
}

/// One entitlement of an account, with the time for which it applies.
package struct EntitlementGrant: Sendable, Hashable {
    /// The code of the entitlement.
    package var code: String
    /// How the account received it.
    package var source: EntitlementSource
    /// The first instant at which it applies.
    package var validFrom: Instant
    /// When it ends; nil for no end.
    package var validUntil: Instant?
    /// When the store or the study team revoked it; nil if it was not revoked.
    package var revokedAt: Instant?

    /// Creates a grant; by default one that has no end and is not revoked.
    package init(
        code: String, source: EntitlementSource, validFrom: Instant, validUntil: Instant? = nil,
        revokedAt: Instant? = nil
    ) {
        self.code = code
        self.source = source
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.revokedAt = revokedAt
    }

    /// How long a purchase applies after its end.
    package static let graceSeconds = 3 * 86_400

    /// The end, or the revocation if it is earlier; nil for no end.
    package var endsAt: Instant? { [validUntil, revokedAt].compactMap { $0 }.min() }

    /// Whether the entitlement applies. A purchase, also a refunded one, has a grace period after its end. A gift has
    /// none, because nothing renews it.
    package func state(at now: Instant) -> EntitlementState {
        guard now >= validFrom else { return .ended }
        guard let end = endsAt, now >= end else { return .active }
        return source == .appStore && now < end.adding(seconds: Self.graceSeconds) ? .grace : .ended
    }
}

extension [EntitlementGrant] {
    /// The codes that apply at an instant, grace periods included.
    package func codes(at now: Instant) -> Set<String> {
        Set(filter { $0.state(at: now) != .ended }.map(\.code))
    }
}

extension Study {
    /// The entitlement with this code; nil if the study does not have it.
    package func entitlement(_ code: String) -> Entitlement? { entitlements.first { $0.code == code } }

    /// The entitlement and the plan that sell this product of the app store; nil if there is none.
    package func plan(ofAppStoreProduct product: String) -> (entitlement: Entitlement, plan: Plan)? {
        for entitlement in entitlements {
            if let plan = entitlement.plans.first(where: { $0.appStoreProduct == product }) {
                return (entitlement, plan)
            }
        }
        return nil
    }

    /// Whether a questionnaire needs an entitlement that is not in `entitlements`. Its form is then never served.
    package func isLocked(_ questionnaire: String, for entitlements: Set<String>) -> Bool {
        guard let needed = anyTimeRule(of: questionnaire)?.entitlement else { return false }
        return !entitlements.contains(needed)
    }

    /// The codes of the questionnaires that are locked for a participant with these entitlements.
    package func lockedQuestionnaires(for entitlements: Set<String>) -> Set<String> {
        Set(
            anyTime.filter { rule in rule.entitlement.map { !entitlements.contains($0) } ?? false }
                .map(\.questionnaire))
    }
}

extension Study {
    /// The codes of the questionnaires of which a question or an option shows the file.
    /// - Parameter name: see `MediaFile.name`.
    package func questionnaires(showing name: String) -> Set<String> {
        Set(
            brand.questionMedia.filter { $0.value.name == name }.map { key, _ in
                String(key.prefix { $0 != "/" })
            })
    }

    /// Whether everyone may read a file: the study itself or a questionnaire that is never locked shows it.
    /// - Parameter name: see `MediaFile.name`.
    package func isOpen(media name: String) -> Bool {
        [brand.icon, brand.picture].contains { $0?.name == name }
            || questionnaires(showing: name).contains { anyTimeRule(of: $0)?.entitlement == nil }
    }
}

extension ContentItem {
    /// Whether the item needs an entitlement that is not in `entitlements`. It is then listed without its content.
    package func isLocked(for entitlements: Set<String>) -> Bool {
        entitlement.map { !entitlements.contains($0) } ?? false
    }
}
