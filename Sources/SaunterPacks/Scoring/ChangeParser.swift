import SaunterCore

/// Parses the rules for scores over time.
enum ChangeParser {
    /// Parses `{sd: 6.2, reliability: 0.85, source: "…", direction: lower_is_better}`.
    static func change(_ node: YAMLNode, _ log: FaultLog) -> ChangeRule? {
        let keys = ["sd", "reliability", "source", "baseline", "direction", "important"]
        guard let fields = Fields(node, of: "change", keys: keys, log: log) else { return nil }
        let deviation = fields.required("sd") { $0.number($1) }
        let reliability = fields.required("reliability") { $0.number($1) }
        let source = fields.required("source") { $0.text($1) }
        let direction: ChangeRule.Direction? = fields.required("direction") { $0.choice($1) }
        let baseline: ChangeRule.Baseline? = fields.optional("baseline") { $0.choice($1) }
        guard let deviation, let reliability, let source, let direction else { return nil }
        return ChangeRule(
            standardDeviation: deviation, reliability: reliability, source: source,
            baseline: baseline ?? .first, direction: direction,
            important: fields.optional("important") { $0.number($1) })
    }

    /// Parses `{id: week, days: 7, minimum: 3}`.
    static func window(_ node: YAMLNode, _ log: FaultLog) -> WindowRule? {
        guard let fields = Fields(node, of: "a window", keys: ["id", "days", "minimum"], log: log) else {
            return nil
        }
        let days = fields.optional("days") { $0.integer($1) }
        let minimum = fields.optional("minimum") { $0.integer($1) }
        return fields.required("id") { $0.text($1) }.map {
            WindowRule(id: $0, days: days, minimum: minimum ?? 1)
        }
    }
}
