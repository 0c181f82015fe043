import SaunterCore

/// The members of `questionnaire.yaml` whose keys begin with `x-`. They come from other formats and are preserved so
/// that an export can write them again. No other code reads them.
package struct PreservedMembers: Sendable, Hashable {
    /// The preserved members of the questionnaire, by key.
    package private(set) var root: [String: JSON] = [:]
    /// LinkId -> key -> preserved member of the item.
    package private(set) var items: [String: [String: JSON]] = [:]

    /// Creates a value without members.
    package init() {}

    /// Reads the members from a version whose files have no faults. If there is no such file, there are no members.
    package init(_ files: PackFiles, code: String, version: String) {
        guard let folder = PackPath.instrument(code, version),
            let text = files[folder + PackPath.questionnaire],
            let node = YAMLReader.read(text, log: FaultLog(file: folder + PackPath.questionnaire))
        else { return }
        root = Self.preserved(node)
        collect(node["item"])
    }

    private mutating func collect(_ items: YAMLNode?) {
        guard case .sequence(let nodes)? = items?.content else { return }
        for node in nodes {
            if let linkId = node["linkId"]?.scalar?.text { self.items[linkId] = Self.preserved(node) }
            collect(node["item"])
        }
    }

    private static func preserved(_ node: YAMLNode) -> [String: JSON] {
        guard case .mapping(let entries) = node.content else { return [:] }
        return Dictionary(
            entries.filter { $0.key.hasPrefix("x-") }.map { ($0.key, $0.value.json) },
            uniquingKeysWith: { first, _ in first })
    }
}

extension YAMLNode {
    /// The same value as JSON. Numbers keep their digits.
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
