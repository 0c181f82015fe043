/// The fields of a mapping with known keys. Unknown keys are reported with a suggestion. Keys that begin with `x-`
/// belong to other formats and are ignored; see `PreservedMembers`.
struct Fields {
    /// Unknown keys are only reported among the first 1,000 keys. No valid mapping has so many.
    private static let maximumKeys = 1000

    let line: Int
    let log: FaultLog
    private let values: [String: YAMLNode]
    private let lines: [String: Int]

    /// Returns nil, with a fault, if the node is not a mapping.
    /// - Parameter what: completes "is not a key of …".
    init?(_ node: YAMLNode, of what: String, keys: [String], log: FaultLog) {
        guard case .mapping(let entries) = node.content else {
            log.note(node.line, "\(what) must be a mapping, not \(node.kind)")
            return nil
        }
        for entry in entries.prefix(Self.maximumKeys)
        where !keys.contains(entry.key) && !entry.key.hasPrefix("x-") {
            let hint = suggestion(for: entry.key, among: keys)
            log.noteUnknownKey(entry.line, "\"\(entry.key)\" is not a key of \(what)\(hint)")
        }
        line = node.line
        self.log = log
        values = Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
        lines = Dictionary(entries.map { ($0.key, $0.line) }) { first, _ in first }
    }

    subscript(key: String) -> YAMLNode? { values[key] }

    /// The line of the key, or of the mapping if the key is missing.
    func line(of key: String) -> Int { lines[key] ?? line }

    /// Parses a required value. Reports a fault if it is missing.
    func required<Value>(_ key: String, _ read: (YAMLNode, FaultLog) -> Value?) -> Value? {
        guard let node = values[key] else {
            log.note(line, "\"\(key)\" is missing")
            return nil
        }
        return read(node, log)
    }

    /// Parses an optional value. Nil if it is missing, or if it could not be parsed; then the log contains a fault.
    func optional<Value>(_ key: String, _ read: (YAMLNode, FaultLog) -> Value?) -> Value? {
        values[key].flatMap { read($0, log) }
    }
}
