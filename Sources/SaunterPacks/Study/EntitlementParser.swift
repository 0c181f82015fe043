import SaunterCore

/// Parses one element of `entitlements` in `study.yaml`, and its texts in `text.<language>.yaml`.
enum EntitlementParser {
    /// Parses `{code: premium, plans: [{code: monthly, app_store: ego.premium.month}]}`, or the code alone.
    static func entitlement(_ node: YAMLNode, _ log: FaultLog) -> Entitlement? {
        if case .scalar = node.content { return node.text(log).map { Entitlement(code: $0) } }
        guard let fields = Fields(node, of: "an entitlement", keys: ["code", "plans"], log: log) else {
            return nil
        }
        let code = fields.required("code") { $0.text($1) }
        let plans = fields.optional("plans") { $0.list($1, of: plan) }
        return code.map { Entitlement(code: $0, plans: plans ?? []) }
    }

    private static func plan(_ node: YAMLNode, _ log: FaultLog) -> Plan? {
        guard let fields = Fields(node, of: "a plan", keys: ["code", "app_store"], log: log) else {
            return nil
        }
        let code = fields.required("code") { $0.text($1) }
        let product = fields.optional("app_store") { $0.text($1) }
        return code.map { Plan(code: $0, appStoreProduct: product) }
    }

    /// Parses `premium: {title: Premium}` for each entitlement.
    static func titles(_ node: YAMLNode, _ log: FaultLog) -> [String: String]? {
        node.table(log) { node, log in
            Fields(node, of: "an entitlement's text", keys: ["title"], log: log)?
                .required("title") { $0.text($1) }
        }
    }

    /// Parses `monthly: {title: Premium, text: All practices, period: per month}` for each plan.
    static func planTexts(_ node: YAMLNode, _ log: FaultLog) -> [String: PlanText]? {
        node.table(log) { node, log in
            let keys = ["title", "text", "period"]
            guard let fields = Fields(node, of: "a plan's texts", keys: keys, log: log) else { return nil }
            let title = fields.required("title") { $0.text($1) }
            let text = fields.required("text") { $0.text($1) }
            let period = fields.required("period") { $0.text($1) }
            guard let title, let text, let period else { return nil }
            return PlanText(title: title, text: text, period: period)
        }
    }
}
