import SaunterCore

/// Parses how a scale treats missing items.
enum MissingRuleParser {
    private enum Remedy: String, CaseIterable {
        case prorate, answered
    }

    private enum NamedImputation: String, CaseIterable {
        case personMean = "person_mean", personMedian = "person_median", midpoint
    }

    /// Parses `complete`, `exclude`, or a mapping with `min_answered` or `min_share`, and with `then` or `impute`.
    static func rule(_ node: YAMLNode, _ log: FaultLog) -> MissingRule? {
        switch node.scalar?.text {
        case "complete": return .complete
        case "exclude": return .exclude
        default: break
        }
        guard case .mapping = node.content else {
            return node.expected("complete, exclude or a mapping with min_answered or min_share", log)
        }
        let keys = ["min_answered", "min_share", "then", "impute"]
        guard let fields = Fields(node, of: "missing", keys: keys, log: log) else { return nil }
        guard let needed = needed(fields), let remedy = remedy(fields) else { return nil }
        // This combination has its own case, because the digests of existing keys depend on it.
        if case .count(let count) = needed, remedy == .prorate { return .prorate(minimumAnswered: count) }
        return .partial(needed: needed, remedy: remedy)
    }

    private static func needed(_ fields: Fields) -> NeededAnswers? {
        guard let share = fields["min_share"] else {
            return fields.required("min_answered") { $0.integer($1) }.map { .count($0) }
        }
        guard fields["min_answered"] == nil else {
            fields.log.note(fields.line, "\"missing\" has min_answered or min_share, not both")
            return nil
        }
        return share.number(fields.log).map { .share($0) }
    }

    private static func remedy(_ fields: Fields) -> MissingRemedy? {
        guard let impute = fields["impute"] else {
            guard fields["then"] != nil else { return .prorate }
            let remedy: Remedy? = fields.optional("then") { $0.choice($1) }
            return remedy.map { $0 == .prorate ? .prorate : .answered }
        }
        guard fields["then"] == nil else {
            fields.log.note(fields.line, "\"missing\" has then or impute, not both")
            return nil
        }
        if case .mapping = impute.content {
            let value = Fields(impute, of: "impute", keys: ["constant"], log: fields.log)?
                .required("constant") { $0.number($1) }
            return value.map { .impute(.constant($0)) }
        }
        let name: NamedImputation? = impute.choice(fields.log)
        switch name {
        case .personMean: return .impute(.personMean)
        case .personMedian: return .impute(.personMedian)
        case .midpoint: return .impute(.midpoint)
        case nil: return nil
        }
    }

    /// Parses `{not_shown: 0, refused: leave_out}`.
    static func blanks(_ node: YAMLNode, _ log: FaultLog) -> [MissingReason: BlankRule]? {
        guard let entries = node.entries(log, atMost: 20) else { return nil }
        var rules: [MissingReason: BlankRule] = [:]
        for entry in entries {
            guard let reason = MissingReason.allCases.first(where: { $0.code == entry.key }) else {
                log.note(entry.line, "\"\(entry.key.prefix(60))\" is not a missing reason")
                continue
            }
            if entry.value.scalar?.text == "leave_out" {
                rules[reason] = .leftOut
            } else if let value = entry.value.scalar?.decimal {
                rules[reason] = .counts(value)
            } else {
                log.note(entry.line, "expected a number or leave_out, found \(entry.value.kind)")
            }
        }
        return rules
    }
}
