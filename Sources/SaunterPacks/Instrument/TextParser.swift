import SaunterCore

/// Parses `text.<language>.yaml`, the texts of a questionnaire in one language.
struct TextParser {
    let log: FaultLog
    /// LinkId -> option sets, for all items that use option sets.
    let setsOfItem: [String: [String]]
    /// Name of an option set -> its values as texts.
    let sets: [String: Set<String>]

    /// Returns nil if the title or the texts of the items could not be read.
    func text(_ node: YAMLNode) -> QuestionnaireText? {
        let keys = [
            "title", "description", "items", "option_sets", "options", "scales", "bands", "constraints",
            "media", "help", "anchors", "option_media", "placeholders",
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
            media: fields.optional("media", Self.words) ?? [:],
            help: fields.optional("help", Self.words) ?? [:],
            anchors: fields.optional("anchors", Self.labels) ?? [:],
            optionMedia: fields.optional("option_media", Self.labels) ?? [:],
            placeholders: fields.optional("placeholders", Self.words) ?? [:])
    }

    /// Copies the labels of option sets to the items that use them. A label of the item takes precedence.
    private func options(own: [String: [String: String]], _ fields: Fields) -> [String: [String: String]] {
        let labels = fields.optional("option_sets", Self.labels) ?? [:]
        for (name, table) in labels.sorted(by: { $0.key < $1.key }) {
            let line = fields["option_sets"]?.entry(name)?.line ?? fields.line(of: "option_sets")
            guard let values = sets[name] else {
                log.noteUnknownKey(line, "there is no option set \"\(name)\" in questionnaire.yaml")
                continue
            }
            for value in table.keys.sorted() where !values.contains(value) {
                log.noteUnknownKey(line, "\"\(value)\" is not an option of the set \"\(name)\"")
            }
        }
        let known = sets.map { name, values in
            (name, (labels[name] ?? [:]).filter { values.contains($0.key) })
        }
        let tables = Dictionary(known) { first, _ in first }
        var options = own
        for (linkId, sets) in setsOfItem {
            let labels = sets.reduce(into: [String: String]()) { labels, set in
                labels.merge(tables[set] ?? [:]) { first, _ in first }
            }
            options[linkId] = labels.merging(own[linkId] ?? [:]) { _, own in own }
        }
        return options
    }

    /// Parses name -> text.
    private static func words(_ node: YAMLNode, _ log: FaultLog) -> [String: String]? {
        node.table(log) { $0.text($1) }
    }

    /// Parses name -> value -> label. A label can look like a number, because labels of scale points often do.
    private static func labels(_ node: YAMLNode, _ log: FaultLog) -> [String: [String: String]]? {
        node.table(log) { node, log in node.table(log) { $0.word($1) } }
    }
}

extension YAMLNode {
    /// The entry with this key; nil if there is none or if this is not a mapping.
    func entry(_ key: String) -> YAMLEntry? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key == key }
    }
}
