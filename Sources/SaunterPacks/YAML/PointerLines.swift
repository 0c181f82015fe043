import SaunterCore

/// Finds the file and the line of the part of a definition that a JSON Pointer points to.
struct PointerLines {
    /// Part of the definition -> the file that contains it. The node is nil if the file is not YAML.
    private let roots: [(prefix: [String], file: String, node: YAMLNode?)]

    init(_ roots: [(prefix: [String], file: String, node: YAMLNode?)]) {
        self.roots = roots.sorted { $0.prefix.count > $1.prefix.count }
    }

    /// The path of a pointer through a file.
    struct Trace {
        let file: String
        /// The part of the definition that the file contains; empty for the main file.
        let prefix: [String]
        let root: YAMLNode?
        let steps: [(name: String, node: YAMLNode)]
        /// The steps of the pointer that the file does not contain.
        let rest: [String]
        let line: Int
    }

    /// The fault at the line of its pointer, or at the nearest existing line above it.
    func locate(_ fault: Fault) -> PackFault {
        guard let trace = trace(fault) else {
            return PackFault(file: roots.last?.file ?? "", line: 1, message: fault.detail)
        }
        let missing = trace.rest.isEmpty ? "" : " (\(trace.rest.joined(separator: "/")))"
        return PackFault(file: trace.file, line: trace.line, message: fault.detail + missing)
    }

    /// Returns nil if no file contains the part.
    func trace(_ fault: Fault) -> Trace? {
        let steps = fault.pointer.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst().map { Self.unescape(String(Substring($0))) }
        guard let root = roots.first(where: { steps.starts(with: $0.prefix) }) else { return nil }
        var node = root.node
        var line = root.node?.line ?? 1
        var path: [(name: String, node: YAMLNode)] = []
        var rest = steps.dropFirst(root.prefix.count)
        while let step = rest.first, let (next, nextLine) = node.flatMap({ Self.part(step, of: $0) }) {
            (node, line) = (next, nextLine)
            path.append((step, next))
            rest.removeFirst()
        }
        return Trace(
            file: root.file, prefix: root.prefix, root: root.node, steps: path,
            rest: root.node == nil ? [] : Array(rest), line: line)
    }

    private static func part(_ step: String, of node: YAMLNode) -> (node: YAMLNode, line: Int)? {
        switch node.content {
        case .scalar: return nil
        case .sequence(let elements):
            guard let index = Int(step), elements.indices.contains(index) else { return nil }
            return (elements[index], elements[index].line)
        case .mapping(let entries):
            if let entry = entries.first(where: { normalized($0.key) == normalized(step) }) {
                return (entry.value, entry.line)
            }
            guard entries.count == 1, kinds.contains(entries[0].key) else { return nil }
            return part(step, of: entries[0].value)
        }
    }

    /// Keys that select the kind of a recurrence or an opening. Pointers do not contain these keys.
    private static let kinds: Set = ["every", "weekly", "monthly", "cycle", "random"]

    /// `answerOption`, `answer_option` and `answeroption` are equal.
    private static func normalized(_ name: String) -> String {
        String(name.lowercased().filter { $0 != "_" })
    }

    private static func unescape(_ step: String) -> String {
        step.split(separator: "~1", omittingEmptySubsequences: false).joined(separator: "/")
            .split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
    }
}
