/// A mapping of a pack whose keys are known beforehand. Reports keys that are not, with the name they may have meant.
/// Keys that begin with `x-` are other formats' own and are passed over; see `KeptMembers`.
struct Fields {
    /// Far more than any mapping of a pack has; what stands after them is not looked at one by one.
    private static let maximumKeys = 1000

    let line: Int
    let log: FaultLog
    private let values: [String: YAMLNode]
    private let lines: [String: Int]

    /// Nil, and a fault, when the node is no mapping. `what` completes "is not a key of …".
    init?(_ node: YAMLNode, of what: String, keys: [String], log: FaultLog) {
        guard case .mapping(let entries) = node.content else {
            log.note(node.line, "\(what) must be a mapping, not \(node.kind)")
            return nil
        }
        for entry in entries.prefix(Self.maximumKeys)
        where !keys.contains(entry.key) && !entry.key.hasPrefix("x-") {
            let hint = nearestName(to: entry.key, among: keys).map { "; did you mean \"\($0)\"?" } ?? ""
            log.remark(entry.line, "\"\(entry.key)\" is not a key of \(what)\(hint)")
        }
        line = node.line
        self.log = log
        values = Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
        lines = Dictionary(entries.map { ($0.key, $0.line) }) { first, _ in first }
    }

    subscript(key: String) -> YAMLNode? { values[key] }

    /// Where the key stands, or the mapping if it does not.
    func line(of key: String) -> Int { lines[key] ?? line }

    /// A value that must be there.
    func required<Value>(_ key: String, _ read: (YAMLNode, FaultLog) -> Value?) -> Value? {
        guard let node = values[key] else {
            log.note(line, "\"\(key)\" is missing")
            return nil
        }
        return read(node, log)
    }

    /// Nil when there is none, or when it could not be read: then the log says so.
    func optional<Value>(_ key: String, _ read: (YAMLNode, FaultLog) -> Value?) -> Value? {
        values[key].flatMap { read($0, log) }
    }
}
