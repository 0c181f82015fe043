import SaunterCore

/// Parses the ranges and conditions of a scoring key.
enum ScoreConditionParser {
    /// The keys of the ends of a range.
    static let ends = ["from", "above", "below", "up_to"]

    /// Parses a mapping that has only the ends of a range.
    static func range(_ node: YAMLNode, _ what: String, _ log: FaultLog) -> ScoreRange? {
        Fields(node, of: what, keys: ends, log: log).map(range)
    }

    /// Parses the ends of a range among other keys.
    static func range(_ fields: Fields) -> ScoreRange {
        ScoreRange(
            from: fields.optional("from") { $0.number($1) },
            above: fields.optional("above") { $0.number($1) },
            below: fields.optional("below") { $0.number($1) },
            upTo: fields.optional("up_to") { $0.number($1) })
    }

    /// Parses a list of conditions.
    static func list(_ node: YAMLNode, _ log: FaultLog) -> [ScoreCondition]? {
        node.list(log, atMost: 50, of: condition)
    }

    /// Parses `{of: sex, is: female}` or `{of: age, from: 18, below: 65}`. After `is`, an unquoted number is a number
    /// and everything else is a code.
    private static func condition(_ node: YAMLNode, _ log: FaultLog) -> ScoreCondition? {
        guard let fields = Fields(node, of: "a condition", keys: ["of", "is"] + ends, log: log) else {
            return nil
        }
        let range = range(fields)
        guard let name = fields.required("of", { $0.text($1) }) else { return nil }
        guard let code = fields["is"] else { return ScoreCondition(name, .range(range)) }
        guard range.isUnbounded else {
            log.note(node.line, "a condition has `is` or the ends of a range, not both")
            return nil
        }
        if let number = code.scalar?.decimal {
            return ScoreCondition(name, .range(ScoreRange(exactly: number)))
        }
        return code.word(log).map { ScoreCondition(name, .code($0)) }
    }
}
