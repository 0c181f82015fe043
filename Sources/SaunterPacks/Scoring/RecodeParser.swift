import SaunterCore

/// Parses tables that assign numbers to items and answers.
enum RecodeParser {
    /// Parses `[{items: [q1, q2], to: {never: 0, often: 4}}]` into item -> answer -> number.
    static func recode(_ node: YAMLNode, _ log: FaultLog) -> [String: [String: Double]]? {
        guard let parts = node.list(log) else { return nil }
        var recode: [String: [String: Double]] = [:]
        for part in parts {
            guard let fields = Fields(part, of: "recode", keys: ["items", "to"], log: log) else { continue }
            let items = fields.required("items") { $0.list($1, of: { $0.text($1) }) }
            guard let table = fields.required("to", numbers), let items else { continue }
            for item in items where recode.updateValue(table, forKey: item) != nil {
                log.note(part.line, "\"\(item.prefix(60))\" is recoded twice")
            }
        }
        return recode
    }

    /// Parses name -> number.
    static func numbers(_ node: YAMLNode, _ log: FaultLog) -> [String: Double]? {
        node.table(log) { $0.number($1) }
    }
}
