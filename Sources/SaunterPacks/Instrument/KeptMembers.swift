import SaunterCore

/// What an instrument's `questionnaire.yaml` holds under keys that begin with `x-`: members of other formats, kept so that
/// an export gives them back. Nothing else reads them.
package struct KeptMembers: Sendable, Hashable {
    /// Of the questionnaire, by key.
    package private(set) var root: [String: JSON] = [:]
    /// linkId -> key -> what is kept of an item.
    package private(set) var items: [String: [String: JSON]] = [:]

    /// Nothing is kept.
    package init() {}

    /// Of a version whose files have been read without faults; what is no such file holds nothing.
    package init(_ files: PackFiles, code: String, version: String) {
        guard let folder = PackPath.instrument(code, version),
            let text = files[folder + PackPath.questionnaire],
            let node = YAMLReader.read(text, log: FaultLog(file: folder + PackPath.questionnaire))
        else { return }
        root = Self.kept(node)
        note(node["item"])
    }

    private mutating func note(_ items: YAMLNode?) {
        guard case .sequence(let nodes)? = items?.content else { return }
        for node in nodes {
            if let linkId = node["linkId"]?.scalar?.text { self.items[linkId] = Self.kept(node) }
            note(node["item"])
        }
    }

    private static func kept(_ node: YAMLNode) -> [String: JSON] {
        guard case .mapping(let entries) = node.content else { return [:] }
        return Dictionary(
            entries.filter { $0.key.hasPrefix("x-") }.map { ($0.key, $0.value.json) },
            uniquingKeysWith: { first, _ in first })
    }
}

extension YAMLNode {
    /// The same value as JSON; numbers keep their digits.
    var json: JSON {
        switch content {
        case .sequence(let nodes): return .array(nodes.map(\.json))
        case .mapping(let entries):
            return .object(JSONObject(entries.map { .init(name: $0.key, value: $0.value.json) }))
        case .scalar(let scalar):
            switch scalar.kind {
            case .nothing: return .null
            case .boolean: return .bool(scalar.boolean == true)
            case .text: return .string(scalar.text)
            case .integer, .decimal: return (try? JSONReader.read(scalar.text)) ?? .string(scalar.text)
            }
        }
    }
}
