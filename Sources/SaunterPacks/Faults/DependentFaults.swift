import SaunterCore

/// Recognises faults that possibly only exist because another part of the definition could not be read. All other
/// faults are reported together with the unreadable parts. In doubt a fault is suppressed: the next check finds it
/// when the unreadable part is corrected.
struct DependentFaults {
    /// Keys whose values refer to other parts of the definition by name.
    private static let referringKeys: Set<String> = [
        "enableWhen", "enableWhenExpression", "answerOption", "constraint", "schedules", "covariates",
        "any_time", "settings", "features", "entitlements", "variables",
    ]

    private let lines: PointerLines
    /// File -> lines on which something could not be read.
    private let unreadableLines: [String: Set<Int>]
    /// The first lines of the items that could not be read completely.
    private var unreadableItemLines: Set<Int> = []
    /// The linkIds and questionnaire codes of the parts that could not be read completely.
    private(set) var unreadableNames: Set<String>

    /// - Parameters:
    ///   - unreadableLines: file -> lines on which something could not be read.
    ///   - names: the codes of the questionnaires that could not be read.
    init(_ lines: PointerLines, unreadableLines: [String: Set<Int>], names: Set<String> = []) {
        self.lines = lines
        self.unreadableLines = unreadableLines
        unreadableNames = names
    }

    /// Adds the items that could not be read completely. An unreadable child does not make its group unreadable.
    /// - Parameter hasUnreadableSet: whether an option set could not be read. Then all items that use a set count as
    ///   unreadable.
    mutating func addUnreadableItems(in node: YAMLNode?, of file: String, hasUnreadableSet: Bool) {
        guard case .sequence(let items)? = node?.content else { return }
        for item in items {
            let children = item["item"].map(\.span)
            let own = (unreadableLines[file] ?? []).filter {
                item.span.contains($0) && (children?.contains($0) != true || $0 == item.line)
            }
            if case .mapping? = item["answerOption"]?.content, hasUnreadableSet {
                addUnreadable(item)
            } else if !own.isEmpty {
                addUnreadable(item)
            }
            addUnreadableItems(in: item["item"], of: file, hasUnreadableSet: hasUnreadableSet)
        }
    }

    private mutating func addUnreadable(_ item: YAMLNode) {
        unreadableItemLines.insert(item.line)
        if let name = item["linkId"]?.scalar?.text { unreadableNames.insert(name) }
    }

    /// Whether the fault possibly only exists because something could not be read.
    func contains(_ fault: Fault) -> Bool {
        guard let trace = lines.trace(fault) else { return true }
        let names = Set(fault.names).union(trace.steps.map(\.name)).union(trace.rest)
        if !names.isDisjoint(with: unreadableNames) || names.contains(where: Placeholder.isName) {
            return true
        }
        let unreadableLines = unreadableLines[trace.file] ?? []
        guard let root = trace.root else { return !unreadableLines.isEmpty }
        let last = trace.steps.last?.node ?? root
        // If a mapping does not have the member, an unreadable line of the mapping is not the cause of the fault.
        let isMissing = if case .mapping = last.content { !trace.rest.isEmpty } else { false }
        if !isMissing, unreadableLines.contains(where: { last.span.contains($0) }) { return true }
        return refersToUnreadable(trace, root)
    }

    /// Whether the pointer leads through an unreadable item, or through a part that names one.
    private func refersToUnreadable(_ trace: PointerLines.Trace, _ root: YAMLNode) -> Bool {
        var path = trace.steps
        if let name = trace.prefix.last { path.insert((name, root), at: 0) }
        for (index, step) in path.enumerated() {
            let next = path.dropFirst(index + 1).first?.name ?? trace.rest.first
            let isElement = Int(step.name) != nil && trace.prefix.isEmpty
            if isElement, next != "item", unreadableItemLines.contains(step.node.line) { return true }
            guard Self.referringKeys.contains(step.name) else { continue }
            // In a list only the element on the path counts.
            var node = step.node
            if case .sequence = node.content, index + 1 < path.count { node = path[index + 1].node }
            if !Self.words(in: node).isDisjoint(with: unreadableNames) { return true }
        }
        return false
    }

    /// The words of all values in a part of the pack. A word consists of letters, digits, `_` and `-`.
    private static func words(in node: YAMLNode) -> Set<String> {
        switch node.content {
        case .scalar(let scalar):
            Set(
                scalar.text.utf8.split { byte in
                    !(97...122).contains(byte) && !(65...90).contains(byte) && !(48...57).contains(byte)
                        && byte != UInt8(ascii: "_") && byte != UInt8(ascii: "-")
                }.map { String(Substring($0)) })
        case .sequence(let nodes): nodes.reduce(into: []) { $0.formUnion(words(in: $1)) }
        case .mapping(let entries): entries.reduce(into: []) { $0.formUnion(words(in: $1.value)) }
        }
    }
}
