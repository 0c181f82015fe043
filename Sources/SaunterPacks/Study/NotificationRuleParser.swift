import SaunterCore

/// Parses one element of `notices` in `study.yaml`: a rule for notifications, which do not belong to an occasion.
enum NotificationRuleParser {
    static let keys = ["code", "when", "first_after", "repeat_every", "at_most", "until"]

    static func rule(_ node: YAMLNode, _ log: FaultLog) -> NotificationRule? {
        guard let fields = Fields(node, of: "a notice", keys: keys, log: log) else { return nil }
        let code = fields.required("code") { $0.text($1) }
        let when = fields.required("when", trigger)
        let first = fields.required("first_after") { $0.duration($1) }
        let again = fields.optional("repeat_every") { $0.duration($1) }
        let maximum = fields.optional("at_most") { $0.integer($1) }
        let until = fields.optional("until") { $0.text($1) }
        guard let code, let when, let first else { return nil }
        return NotificationRule(
            code: code, trigger: when, firstAfter: first, repeatEvery: again ?? NotificationRule.lifetime,
            maximumMessages: maximum ?? 1, until: until)
    }

    /// Parses `inactive` or `{event: code}`.
    private static func trigger(_ node: YAMLNode, _ log: FaultLog) -> NotificationRule.Trigger? {
        if node.scalar?.text == "inactive" { return .inactivity }
        return node.only(["event"], or: "inactive", log)?.value.text(log).map { .event($0) }
    }
}
