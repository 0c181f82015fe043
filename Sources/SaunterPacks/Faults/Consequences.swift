import SaunterCore

/// Tells which faults of meaning may only follow from what could not be read, so that all others are named beside the
/// faults of form. It rather keeps back a fault too many: once the form is mended it is found.
struct Consequences {
    /// Before the linkId of an item that stands in for one that could not be read.
    static let standIn = "\u{1}"

    /// Steps of pointers below which a part names others.
    private static let referring: Set<String> = [
        "enableWhen", "enableWhenExpression", "answerOption", "constraint", "schedules", "covariates",
        "any_time",
    ]

    private let lines: PointerLines
    /// File -> lines on which something could not be read.
    private let holes: [String: Set<Int>]
    /// What stands on these lines of the first file was not read in full.
    private var brokenLines: Set<Int> = []
    /// Names of what was not read in full.
    private(set) var brokenNames: Set<String>

    init(_ lines: PointerLines, holes: [String: Set<Int>], names: Set<String> = []) {
        self.lines = lines
        self.holes = holes
        brokenNames = names
    }

    /// Notes the items in which something could not be read, those of groups one by one.
    /// - Parameter sharesBroken: whether that holds for a set of options, and so for all items that use one.
    mutating func note(items node: YAMLNode?, of file: String, sharesBroken: Bool) {
        guard case .sequence(let items)? = node?.content else { return }
        for item in items {
            let children = item["item"].map(\.span)
            let own = (holes[file] ?? []).filter {
                item.span.contains($0) && (children?.contains($0) != true || $0 == item.line)
            }
            if case .mapping? = item["answerOption"]?.content, sharesBroken {
                note(item)
            } else if !own.isEmpty {
                note(item)
            }
            note(items: item["item"], of: file, sharesBroken: sharesBroken)
        }
    }

    private mutating func note(_ item: YAMLNode) {
        brokenLines.insert(item.line)
        if let name = item["linkId"]?.scalar?.text { brokenNames.insert(name) }
    }

    /// Whether the fault may come from what could not be read.
    func contains(_ fault: Fault) -> Bool {
        if fault.pointer.contains(Self.standIn) || fault.detail.contains(Self.standIn) { return true }
        guard let trace = lines.trace(fault) else { return true }
        let words = Self.words(fault.detail).union(trace.steps.map(\.name)).union(trace.rest)
        if !words.isDisjoint(with: brokenNames) { return true }
        let holes = holes[trace.file] ?? []
        guard let root = trace.root else { return !holes.isEmpty }
        let last = trace.steps.last?.node ?? root
        // What a mapping lacks, it lacks whatever stands in it.
        let isLacking = if case .mapping = last.content { !trace.rest.isEmpty } else { false }
        if !isLacking, holes.contains(where: { last.span.contains($0) }) { return true }
        var path = trace.steps
        if let name = trace.prefix.last { path.insert((name, root), at: 0) }
        for (place, step) in path.enumerated() {
            let next = path.dropFirst(place + 1).first?.name ?? trace.rest.first
            let isElement = Int(step.name) != nil && trace.prefix.isEmpty
            if isElement, next != "item", brokenLines.contains(step.node.line) { return true }
            guard Self.referring.contains(step.name) else { continue }
            // In a list the element that the pointer goes through, else all of it.
            var node = step.node
            if case .sequence = node.content, place + 1 < path.count { node = path[place + 1].node }
            if !Self.words(in: node).isDisjoint(with: brokenNames) { return true }
        }
        return false
    }

    private static func words(_ text: String) -> Set<String> {
        Set(
            text.utf8.split { byte in
                !(97...122).contains(byte) && !(65...90).contains(byte) && !(48...57).contains(byte)
                    && byte != UInt8(ascii: "_") && byte != UInt8(ascii: "-")
            }.map { String(Substring($0)) })
    }

    private static func words(in node: YAMLNode) -> Set<String> {
        switch node.content {
        case .scalar(let scalar): words(scalar.text)
        case .sequence(let nodes): nodes.reduce(into: []) { $0.formUnion(words(in: $1)) }
        case .mapping(let entries): entries.reduce(into: []) { $0.formUnion(words(in: $1.value)) }
        }
    }
}

extension YAMLNode {
    /// The lines from its first to the one on which its last part begins.
    var span: ClosedRange<Int> {
        let last: Int =
            switch content {
            case .scalar: line
            case .sequence(let nodes): nodes.map(\.span.upperBound).max() ?? line
            case .mapping(let entries): entries.map { max($0.line, $0.value.span.upperBound) }.max() ?? line
            }
        return line...max(line, last)
    }
}
