import SaunterCore

/// Parses the steps of a transform: `pomp`, or a mapping with one step.
enum TransformParser {
    private static let steps = [
        "multiply", "divide", "add", "clamp", "wrap", "round", "bins", "lookup", "norm",
    ]

    /// Parses one step.
    static func step(_ node: YAMLNode, _ log: FaultLog) -> ScoreTransform? {
        if node.scalar?.text == "pomp" { return .pomp }
        guard case .mapping = node.content else {
            return node.expected("pomp or a mapping with one of \(steps.joined(separator: ", "))", log)
        }
        guard let fields = Fields(node, of: "a step", keys: steps + ["form"], log: log) else { return nil }
        let named = steps.filter { fields[$0] != nil }
        guard named.count == 1, let name = named.first, fields["form"] == nil || name == "norm" else {
            log.note(
                node.line, "a step is exactly one of \(steps.joined(separator: ", ")); only norm has form")
            return nil
        }
        switch name {
        case "multiply": return fields.required(name) { $0.number($1) }.map { .multiply($0) }
        case "divide": return fields.required(name) { $0.number($1) }.map { .divide($0) }
        case "add": return fields.required(name) { $0.number($1) }.map { .add($0) }
        case "wrap": return fields.required(name) { $0.number($1) }.map { .wrap($0) }
        case "round": return fields.required(name, ScoringParser.rounding).map { .round($0) }
        case "bins": return fields.required(name) { $0.list($1, of: bin) }.map { .bins($0) }
        case "lookup": return fields.required(name) { $0.text($1) }.map { .lookup(table: $0) }
        case "clamp": return fields.required(name, clamp)
        default:
            let form: NormForm? = fields.required("form") { $0.choice($1) }
            let table = fields.required(name) { $0.text($1) }
            guard let table, let form else { return nil }
            return .norm(table: table, form: form)
        }
    }

    private static func clamp(_ node: YAMLNode, _ log: FaultLog) -> ScoreTransform? {
        Fields(node, of: "clamp", keys: ["from", "up_to"], log: log).map { fields in
            .clamp(
                least: fields.optional("from") { $0.number($1) },
                greatest: fields.optional("up_to") { $0.number($1) })
        }
    }

    /// Parses `{from: 1, up_to: 2, value: 1}`. `value: keep` leaves the number unchanged.
    private static func bin(_ node: YAMLNode, _ log: FaultLog) -> ScoreBin? {
        let keys = ScoreConditionParser.ends + ["value"]
        guard let fields = Fields(node, of: "a bin", keys: keys, log: log) else { return nil }
        let range = ScoreConditionParser.range(fields)
        guard let value = fields.required("value", { node, _ in node }) else { return nil }
        if value.scalar?.text == "keep" { return ScoreBin(range, value: nil) }
        return value.number(log).map { ScoreBin(range, value: $0) }
    }
}
