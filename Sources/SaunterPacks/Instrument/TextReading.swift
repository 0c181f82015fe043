import SaunterCore

/// Reads `text.<language>.yaml`, the words of a questionnaire.
struct TextReading {
    let log: FaultLog
    /// Items that take their options from sets: linkId -> sets.
    let setOfItem: [String: [String]]
    /// The values of each set, as texts.
    let sets: [String: Set<String>]

    func text(_ node: YAMLNode) -> QuestionnaireText? {
        let keys = [
            "title", "description", "items", "option_sets", "options", "scales", "bands", "constraints",
            "media",
        ]
        guard let fields = Fields(node, of: "a text file", keys: keys, log: log) else { return nil }
        let title = fields.required("title") { $0.text($1) }
        let items = fields.required("items", Self.words)
        guard let title, let items else { return nil }
        return QuestionnaireText(
            title: title, description: fields.optional("description") { $0.text($1) }, items: items,
            options: options(own: fields.optional("options", Self.labels) ?? [:], fields),
            scales: fields.optional("scales", Self.words) ?? [:],
            bands: fields.optional("bands", Self.labels) ?? [:],
            constraints: fields.optional("constraints", Self.words) ?? [:],
            media: fields.optional("media", Self.words) ?? [:])
    }

    /// Labels of a set are copied to each item that uses it; a label of the item's own stands before the set's.
    private func options(own: [String: [String: String]], _ fields: Fields) -> [String: [String: String]] {
        let labels = fields.optional("option_sets", Self.labels) ?? [:]
        for (name, table) in labels.sorted(by: { $0.key < $1.key }) {
            let line = fields["option_sets"]?.entry(name)?.line ?? fields.line(of: "option_sets")
            guard let values = sets[name] else {
                log.remark(line, "there is no option set \"\(name)\" in questionnaire.yaml")
                continue
            }
            for value in table.keys.sorted() where !values.contains(value) {
                log.remark(line, "\"\(value)\" is no option of the set \"\(name)\"")
            }
        }
        let known = sets.map { name, values in
            (name, (labels[name] ?? [:]).filter { values.contains($0.key) })
        }
        let tables = Dictionary(known) { first, _ in first }
        var options = own
        for (linkId, sets) in setOfItem {
            let labels = sets.reduce(into: [String: String]()) { labels, set in
                labels.merge(tables[set] ?? [:]) { first, _ in first }
            }
            options[linkId] = labels.merging(own[linkId] ?? [:]) { _, own in own }
        }
        return options
    }

    /// Name -> words.
    private static func words(_ node: YAMLNode, _ log: FaultLog) -> [String: String]? {
        table(node, log) { $0.text($1) }
    }

    /// Name -> value -> label. Labels may look like a number, for those of scale points often do.
    private static func labels(_ node: YAMLNode, _ log: FaultLog) -> [String: [String: String]]? {
        table(node, log) { node, log in table(node, log) { $0.word($1) } }
    }

    private static func table<Value>(
        _ node: YAMLNode, _ log: FaultLog, of read: (YAMLNode, FaultLog) -> Value?
    ) -> [String: Value]? {
        guard let entries = node.entries(log) else { return nil }
        var table: [String: Value] = [:]
        for entry in entries { table[entry.key] = read(entry.value, log) }
        return table
    }
}

extension YAMLNode {
    /// A key of a mapping, with its line.
    func entry(_ key: String) -> YAMLEntry? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key == key }
    }
}
