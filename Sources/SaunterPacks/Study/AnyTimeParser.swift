import SaunterCore

/// Parses one element of `any_time` in `study.yaml`: a questionnaire that participants can answer without an occasion.
enum AnyTimeParser {
    static let keys = [
        "questionnaire", "max_per_day", "settles", "active", "ends_with", "refers_to", "practice",
        "entitlement",
    ]

    /// The values of `active`.
    private enum Active: String, CaseIterable {
        case one
    }

    /// Parses the code of a questionnaire, or a mapping with rules.
    static func rule(_ node: YAMLNode, _ log: FaultLog) -> AnyTimeRule? {
        if case .scalar = node.content { return node.text(log).map { AnyTimeRule(questionnaire: $0) } }
        guard let fields = Fields(node, of: "any_time", keys: keys, log: log) else { return nil }
        let questionnaire = fields.required("questionnaire") { $0.text($1) }
        let maximum = fields.optional("max_per_day") { $0.integer($1) }
        let fulfilledSchedule = fields.optional("settles") { $0.text($1) }
        let active: Active? = fields.optional("active") { $0.choice($1) }
        let end = fields.optional("ends_with") { $0.text($1) }
        let reference = fields.optional("refers_to", reference)
        let isPractice = fields.optional("practice") { $0.boolean($1) } ?? false
        let entitlement = fields.optional("entitlement") { $0.text($1) }
        return questionnaire.map {
            AnyTimeRule(
                questionnaire: $0, maximumPerDay: maximum, fulfilledSchedule: fulfilledSchedule,
                isActiveOne: active == .one,
                endsWith: end, refersTo: reference, isPractice: isPractice, entitlement: entitlement)
        }
    }

    /// Parses the code of a questionnaire, or `{questionnaire, required}`. A reference is required by default.
    private static func reference(_ node: YAMLNode, _ log: FaultLog) -> AnyTimeRule.Reference? {
        if case .scalar = node.content {
            return node.text(log).map { AnyTimeRule.Reference(questionnaire: $0) }
        }
        let keys = ["questionnaire", "required"]
        guard let fields = Fields(node, of: "refers_to", keys: keys, log: log) else { return nil }
        let isRequired = fields.optional("required") { $0.boolean($1) } ?? true
        return fields.required("questionnaire") { $0.text($1) }.map {
            AnyTimeRule.Reference(questionnaire: $0, isRequired: isRequired)
        }
    }
}
