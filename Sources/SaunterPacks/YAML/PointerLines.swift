import SaunterCore

/// Says on which line of which file the thing stands that a JSON Pointer into a definition names.
struct PointerLines {
    /// Part of the definition -> the file that it was read from; nil where the file is no YAML.
    private let roots: [(prefix: [String], file: String, node: YAMLNode?)]

    init(_ roots: [(prefix: [String], file: String, node: YAMLNode?)]) {
        self.roots = roots.sorted { $0.prefix.count > $1.prefix.count }
    }

    /// The fault at its place, or at the nearest thing above it that the file has.
    func place(_ fault: Fault) -> PackFault {
        let steps = fault.pointer.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst().map { Self.unescape(String(Substring($0))) }
        guard let root = roots.first(where: { steps.starts(with: $0.prefix) }) else {
            return PackFault(file: roots.last?.file ?? "", line: 1, message: fault.detail)
        }
        let below = steps.dropFirst(root.prefix.count)
        let (line, rest) = root.node.map { Self.line(of: below, in: $0) } ?? (1, [])
        let lacking = rest.isEmpty ? "" : " (\(rest.joined(separator: "/")))"
        return PackFault(file: root.file, line: line, message: fault.detail + lacking)
    }

    /// The line, and the steps that lead to nothing in the file.
    private static func line(
        of steps: ArraySlice<String>, in root: YAMLNode
    ) -> (line: Int, rest: ArraySlice<String>) {
        var node = root
        var line = root.line
        for (index, step) in zip(steps.indices, steps) {
            switch node.content {
            case .scalar: return (line, steps[index...])
            case .sequence(let elements):
                guard let place = Int(step), elements.indices.contains(place) else {
                    return (line, steps[index...])
                }
                node = elements[place]
                line = node.line
            case .mapping(let entries):
                guard let entry = entries.first(where: { plain($0.key) == plain(step) }) else {
                    return (line, steps[index...])
                }
                node = entry.value
                line = entry.line
            }
        }
        return (line, [])
    }

    /// `answerOption`, `answer_option` and `answeroption` are one.
    private static func plain(_ name: String) -> String {
        String(name.lowercased().filter { $0 != "_" })
    }

    private static func unescape(_ step: String) -> String {
        step.split(separator: "~1", omittingEmptySubsequences: false).joined(separator: "/")
            .split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
    }
}
