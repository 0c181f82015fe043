import SaunterCore

/// Says on which line of which file the thing stands that a JSON Pointer into a definition names.
struct PointerLines {
    /// Part of the definition -> the file that it was read from; nil where the file is no YAML.
    private let roots: [(prefix: [String], file: String, node: YAMLNode?)]

    init(_ roots: [(prefix: [String], file: String, node: YAMLNode?)]) {
        self.roots = roots.sorted { $0.prefix.count > $1.prefix.count }
    }

    /// The way that a pointer takes through a file.
    struct Trace {
        let file: String
        /// What the file holds of the definition; empty for the definition's own file.
        let prefix: [String]
        let root: YAMLNode?
        let steps: [(name: String, node: YAMLNode)]
        /// Steps that lead to nothing in the file.
        let rest: [String]
        let line: Int
    }

    /// The fault at its place, or at the nearest thing above it that the file has.
    func place(_ fault: Fault) -> PackFault {
        guard let trace = trace(fault) else {
            return PackFault(file: roots.last?.file ?? "", line: 1, message: fault.detail)
        }
        let lacking = trace.rest.isEmpty ? "" : " (\(trace.rest.joined(separator: "/")))"
        return PackFault(file: trace.file, line: trace.line, message: fault.detail + lacking)
    }

    /// Nil for what stands in none of the files.
    func trace(_ fault: Fault) -> Trace? {
        let steps = fault.pointer.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst().map { Self.unescape(String(Substring($0))) }
        guard let root = roots.first(where: { steps.starts(with: $0.prefix) }) else { return nil }
        var node = root.node
        var line = root.node?.line ?? 1
        var taken: [(name: String, node: YAMLNode)] = []
        var rest = steps.dropFirst(root.prefix.count)
        while let step = rest.first, let (next, nextLine) = node.flatMap({ Self.part(step, of: $0) }) {
            (node, line) = (next, nextLine)
            taken.append((step, next))
            rest.removeFirst()
        }
        return Trace(
            file: root.file, prefix: root.prefix, root: root.node, steps: taken,
            rest: root.node == nil ? [] : Array(rest), line: line)
    }

    private static func part(_ step: String, of node: YAMLNode) -> (node: YAMLNode, line: Int)? {
        switch node.content {
        case .scalar: return nil
        case .sequence(let elements):
            guard let place = Int(step), elements.indices.contains(place) else { return nil }
            return (elements[place], elements[place].line)
        case .mapping(let entries):
            if let entry = entries.first(where: { plain($0.key) == plain(step) }) {
                return (entry.value, entry.line)
            }
            guard entries.count == 1, kinds.contains(entries[0].key) else { return nil }
            return part(step, of: entries[0].value)
        }
    }

    /// Keys that say of which kind a recurrence or an opening is: the definition has what stands below them without them.
    private static let kinds: Set = ["every", "weekly", "monthly", "cycle", "random"]

    /// `answerOption`, `answer_option` and `answeroption` are one.
    private static func plain(_ name: String) -> String {
        String(name.lowercased().filter { $0 != "_" })
    }

    private static func unescape(_ step: String) -> String {
        step.split(separator: "~1", omittingEmptySubsequences: false).joined(separator: "/")
            .split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
    }
}
