import SaunterCore
import Yams

/// Why a value of a YAML text cannot be set.
package struct YAMLEditFault: Error, Hashable, Sendable {
    /// The line of the nearest existing part. The first line is 1.
    package let line: Int
    /// The explanation for people, in English.
    package let message: String
}

/// Sets single values, and lists of them, in a YAML text. All other lines stay as they are, with their comments, order
/// and line ends.
///
/// The library that parses YAML knows where a value begins, but not where it ends. So the editor finds the end in the
/// text, and then parses the changed text: an edit that would change anything else is rejected.
package struct YAMLEditor {
    /// The changed text.
    package private(set) var text: String
    private var root: YAMLNode?
    private let file: String

    /// - Parameter file: the path of the file, for faults.
    /// - Throws: every fault of the syntax. A text without any value is permitted.
    package init(_ text: String, file: String) throws(PackFaults) {
        self.text = text
        self.file = file
        root = try Self.read(text, file)
    }

    /// Sets the value at a JSON Pointer (RFC 6901) whose steps are keys of the file and indexes of its lists. A missing
    /// key of a mapping is added at the end of the mapping, with the mappings above it.
    /// - Parameter value: a string, number, boolean or null, or a list of them. The form of the present value is kept
    ///   if possible. Elements of a list that stay keep their comments.
    /// - Throws: `YAMLEditFault`; then nothing is changed.
    package mutating func set(_ value: JSON, at pointer: String) throws(YAMLEditFault) {
        let scalar = try YAMLScalarText(value)
        guard let steps = Self.steps(of: pointer), !steps.isEmpty else {
            throw YAMLEditFault(
                line: 1, message: "\"\(pointer.prefix(200))\" is not a JSON Pointer to a value of a file")
        }
        let changed = try Self.replacing(text, scalar, at: steps)
        guard YAMLLimits.violation(of: changed) == nil, let new = try? Self.read(changed, file),
            Self.isChanged(from: root, to: new, at: steps[...], scalar)
        else {
            throw YAMLEditFault(
                line: 1, message: "the value at \(pointer) cannot be set here; edit the text of the file")
        }
        (text, root) = (changed, new)
    }

    /// Sets values that the text has already. The text is parsed once for all of them.
    /// - Returns: false if that is not possible, such as for a missing key or for one value twice. Then nothing is
    ///   changed, and `set` sets each value or throws the reason.
    package mutating func setTogether(_ changes: [(value: JSON, pointer: String)]) -> Bool {
        let source = YAMLSource(text)
        guard let root,
            let composed = try? Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
        else { return false }
        var values: [[String]: YAMLScalarText] = [:]
        var replacements: [YAMLSource.Replacement] = []
        for change in changes {
            guard let steps = Self.steps(of: change.pointer), !steps.isEmpty, values[steps] == nil,
                let value = try? YAMLScalarText(change.value), value.elements == nil,
                case .scalar(let scalar, let indent, let isFlow)? = try? Self.target(
                    of: steps, in: composed, source),
                let replacement = try? source.replacement(
                    of: scalar,
                    by: value.written(
                        like: scalar.style, isFlow: isFlow, indent: max(indent, 0) + 2,
                        lineEnd: source.lineEnd), indent: indent)
            else { return false }
            values[steps] = value
            replacements.append(replacement)
        }
        replacements.sort { $0.range.lowerBound < $1.range.lowerBound }
        let isSeparate = zip(replacements, replacements.dropFirst()).allSatisfy {
            $0.range.upperBound <= $1.range.lowerBound
        }
        guard isSeparate else { return false }
        let changed = source.replacing(replacements)
        guard YAMLLimits.violation(of: changed) == nil, let new = try? Self.read(changed, file),
            Self.isChanged(from: root, to: new, at: [], values)
        else { return false }
        (text, self.root) = (changed, new)
        return true
    }

    /// The value at a pointer; nil if there is none, or if it is a list or a mapping.
    package func value(at pointer: String) -> JSON? {
        guard let steps = Self.steps(of: pointer) else { return nil }
        var node = root
        for step in steps { node = node.flatMap { Self.part(step, of: $0) } }
        guard let node, node.scalar != nil else { return nil }
        return node.json
    }

    /// The steps of a pointer without escapes; nil if it is not a pointer.
    package static func steps(of pointer: String) -> [String]? {
        guard pointer.isEmpty || pointer.hasPrefix("/") else { return nil }
        return pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
    }

    /// The pointer with these steps.
    package static func pointer(_ steps: [String]) -> String {
        steps.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }

    /// Nil for a text that contains only comments.
    private static func read(_ text: String, _ file: String) throws(PackFaults) -> YAMLNode? {
        let isBlank = text.split(whereSeparator: \.isNewline).allSatisfy { line in
            line.first { !$0.isWhitespace }.map { $0 == "#" } ?? true
        }
        guard !isBlank else { return nil }
        let log = FaultLog(file: file)
        let root = YAMLReader.read(text, log: log)
        guard log.faults.isEmpty, let root else { throw PackFaults(log.faults) }
        return root
    }

    private static func part(_ step: String, of node: YAMLNode) -> YAMLNode? {
        switch node.content {
        case .scalar: nil
        case .mapping: node[step]
        case .sequence(let elements): index(step, below: elements.count).map { elements[$0] }
        }
    }

    /// The index of an element: digits without a leading zero.
    private static func index(_ step: String, below count: Int) -> Int? {
        guard let index = Int(step), String(index) == step, (0..<count).contains(index) else { return nil }
        return index
    }

    // MARK: - The changed text

    private static func replacing(
        _ text: String, _ value: YAMLScalarText, at steps: [String]
    ) throws(YAMLEditFault) -> String {
        let source = YAMLSource(text)
        let composed: Node?
        do {
            composed = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
        } catch {
            throw YAMLEditFault(line: 1, message: "this cannot be read as YAML")
        }
        guard let composed, composed.scalar?.string != "" else {
            return source.appending(value.nested(below: steps, indent: 0, lineEnd: source.lineEnd))
        }
        if let elements = value.elements, let list = YAMLParts.node(at: steps, in: composed)?.sequence {
            return try replacing(list, by: elements, source)
        }
        switch try target(of: steps, in: composed, source) {
        case .scalar(let scalar, let indent, let isFlow):
            let isNothing = scalar.string.isEmpty && scalar.style == .plain
            guard value.elements == nil || isNothing else {
                throw YAMLEditFault(
                    line: scalar.mark?.line ?? 1, message: "this is a single value, not a list")
            }
            let written = value.written(
                like: scalar.style, isFlow: isFlow, indent: max(indent, 0) + 2, lineEnd: source.lineEnd)
            return source.replacing([try source.replacement(of: scalar, by: written, indent: indent)])
        case .nothing(let scalar, let rest, let indent):
            let written = value.flow(below: rest)
            return source.replacing([try source.replacement(of: scalar, by: written, indent: indent)])
        case .missing(let mapping, let rest, let isFlow):
            return try source.adding(value, below: rest, to: mapping, isFlow: isFlow)
        }
    }

    /// The text with other elements of a list of single values.
    private static func replacing(
        _ list: Node.Sequence, by elements: [JSON], _ source: YAMLSource
    ) throws(YAMLEditFault) -> String {
        let line = list.mark?.line ?? 1
        guard list.allSatisfy({ $0.scalar != nil }) else {
            throw YAMLEditFault(line: line, message: "this list has other elements than single values")
        }
        let unknown = YAMLEditFault(
            line: line, message: "the layout of this list is not known; edit the text of the file")
        guard let parts = YAMLParts(.sequence(list), in: source) else { throw unknown }
        var unused = Array(list.indices)
        var changed: [YAMLParts.Part] = []
        for element in elements {
            let text = try YAMLScalarText(element)
            if let found = unused.firstIndex(where: { text.isContent(of: list[$0]) }) {
                changed.append(.kept(unused.remove(at: found) - list.startIndex))
            } else {
                changed.append(.new(try YAMLBlock.element(element)))
            }
        }
        guard let replacement = parts.replacement(by: changed) else { throw unknown }
        return source.replacing([replacement])
    }

    /// Where a value is, or will be.
    private enum Target {
        case scalar(Node.Scalar, indent: Int, isFlow: Bool)
        /// A key without a value, which becomes a mapping with these keys.
        case nothing(Node.Scalar, rest: [String], indent: Int)
        /// A mapping without the first of these keys.
        case missing(Node.Mapping, rest: [String], isFlow: Bool)
    }

    private static func target(
        of steps: [String], in root: Node, _ source: YAMLSource
    ) throws(YAMLEditFault) -> Target {
        var node = root
        var indent = -1
        var isFlow = false
        for (offset, step) in steps.enumerated() {
            let rest = Array(steps.dropFirst(offset))
            switch node {
            case .mapping(let mapping):
                isFlow = isFlow || source.isFlow(mapping.mark)
                if !isFlow { indent = source.column(of: mapping.mark) }
                guard let entry = mapping.first(where: { $0.key.scalar?.string == step }) else {
                    return .missing(mapping, rest: rest, isFlow: isFlow)
                }
                node = entry.value
            case .sequence(let sequence):
                isFlow = isFlow || source.isFlow(sequence.mark)
                if !isFlow { indent = source.column(of: sequence.mark) }
                guard let index = index(step, below: sequence.count) else {
                    throw YAMLEditFault(
                        line: sequence.mark?.line ?? 1,
                        message: "the list has no element \(step.prefix(60)); the first one is 0")
                }
                node = sequence[index]
            case .scalar(let scalar) where scalar.string.isEmpty && scalar.style == .plain:
                return .nothing(scalar, rest: rest, indent: indent)
            case .scalar(let scalar):
                throw YAMLEditFault(
                    line: scalar.mark?.line ?? 1,
                    message: "there is no \"\(step.prefix(60))\", because this is a single value")
            case .alias(let alias):
                throw YAMLEditFault(
                    line: alias.mark?.line ?? 1, message: "aliases are not used in packs")
            }
        }
        guard case .scalar(let scalar) = node else {
            throw YAMLEditFault(
                line: node.mark?.line ?? 1, message: "this is a list or a mapping, not a single value")
        }
        return .scalar(scalar, indent: indent, isFlow: isFlow)
    }

    // MARK: - The check of the result

    /// Whether the only difference is the value at these steps.
    private static func isChanged(
        from old: YAMLNode?, to new: YAMLNode?, at steps: ArraySlice<String>, _ value: YAMLScalarText
    ) -> Bool {
        guard let new else { return false }
        guard let step = steps.first else { return value.isValue(of: new) }
        let rest = steps.dropFirst()
        guard let old, old.scalar?.kind != .nothing else {
            guard case .mapping(let entries) = new.content, entries.count == 1, entries[0].key == step else {
                return false
            }
            return isChanged(from: nil, to: entries[0].value, at: rest, value)
        }
        switch (old.content, new.content) {
        case (.sequence(let before), .sequence(let after)):
            guard before.count == after.count, let index = index(step, below: before.count) else {
                return false
            }
            return before.indices.allSatisfy {
                $0 == index
                    ? isChanged(from: before[$0], to: after[$0], at: rest, value)
                    : isEqual(before[$0], after[$0])
            }
        case (.mapping(let before), .mapping(let after)):
            let known = before.firstIndex { $0.key == step }
            guard after.count == before.count + (known == nil ? 1 : 0),
                zip(before, after).allSatisfy({ $0.key == $1.key })
            else { return false }
            guard before.indices.allSatisfy({ $0 == known || isEqual(before[$0].value, after[$0].value) })
            else { return false }
            if let known {
                return isChanged(from: before[known].value, to: after[known].value, at: rest, value)
            }
            guard let added = after.last, added.key == step else { return false }
            return isChanged(from: nil, to: added.value, at: rest, value)
        default: return false
        }
    }

    /// Whether the only differences are the values at these steps.
    /// - Parameter steps: where both nodes are.
    private static func isChanged(
        from old: YAMLNode, to new: YAMLNode, at steps: [String], _ values: [[String]: YAMLScalarText]
    ) -> Bool {
        if let value = values[steps] { return value.isValue(of: new) }
        switch (old.content, new.content) {
        case (.sequence(let before), .sequence(let after)):
            return before.count == after.count
                && before.indices.allSatisfy {
                    isChanged(from: before[$0], to: after[$0], at: steps + [String($0)], values)
                }
        case (.mapping(let before), .mapping(let after)):
            return before.count == after.count
                && zip(before, after).allSatisfy {
                    $0.key == $1.key
                        && isChanged(from: $0.value, to: $1.value, at: steps + [$0.key], values)
                }
        default: return isEqual(old, new)
        }
    }

    private static func isEqual(_ left: YAMLNode, _ right: YAMLNode) -> Bool {
        switch (left.content, right.content) {
        case (.scalar(let left), .scalar(let right)): left.text == right.text && left.kind == right.kind
        case (.sequence(let left), .sequence(let right)):
            left.count == right.count && zip(left, right).allSatisfy { isEqual($0, $1) }
        case (.mapping(let left), .mapping(let right)):
            left.count == right.count
                && zip(left, right).allSatisfy { $0.key == $1.key && isEqual($0.value, $1.value) }
        default: false
        }
    }
}
