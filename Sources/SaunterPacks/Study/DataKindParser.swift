import SaunterCore

/// Parses one element of `data_kinds` in `study.yaml`: a kind of data that needs the participant's own consent.
enum DataKindParser {
    static let keys = ["code", "walk_series", "observations"]

    static func kind(_ node: YAMLNode, _ log: FaultLog) -> DataKind? {
        guard let fields = Fields(node, of: "a data kind", keys: keys, log: log) else { return nil }
        let code = fields.required("code") { $0.text($1) }
        let series: [DataKind.WalkSeries]? = fields.optional("walk_series") { node, log in
            node.list(log) { $0.choice($1) }
        }
        let observations = fields.optional("observations") { $0.list($1, of: observation) }
        return code.map {
            DataKind(code: $0, walkSeries: series ?? [], observations: observations ?? [])
        }
    }

    private static func observation(_ node: YAMLNode, _ log: FaultLog) -> DataKind.Code? {
        guard let fields = Fields(node, of: "an observation", keys: ["system", "code"], log: log) else {
            return nil
        }
        let system = fields.required("system") { $0.text($1) }
        let code = fields.required("code") { $0.text($1) }
        guard let system, let code else { return nil }
        return DataKind.Code(system: system, code: code)
    }
}
