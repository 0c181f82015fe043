import Yams

/// Adds elements to lists of a YAML text, and replaces single values in them. All other lines stay as they are, with
/// their comments. Each result is read again and compared with the expected values, so an unusual layout causes a fault
/// and never a damaged file.
struct YAMLListEditor {
    /// An element in the two styles of YAML.
    struct Element {
        /// On one line, such as `{code: mood, version: 1.0.0}`.
        let flow: String
        /// The lines after the hyphen of a block list. The lines after the first are relative to it.
        let block: [String]

        init(_ flow: String, block: [String]? = nil) {
            self.flow = flow
            self.block = block ?? [flow]
        }
    }

    /// The path of the file, for faults.
    let file: String
    private(set) var text: String

    init(_ text: String, file: String) {
        self.text = text
        self.file = file
    }

    /// The values of the text.
    /// - Throws: all faults, if the text cannot be read.
    func values() throws(PackFaults) -> YAMLNode { try Self.values(of: text, file: file) }

    private static func values(of text: String, file: String) throws(PackFaults) -> YAMLNode {
        let log = FaultLog(file: file)
        guard let root = YAMLReader.read(text, log: log), !log.hasUnreadableParts else {
            throw PackFaults(log.faults)
        }
        return root
    }

    /// Adds an element at the end of the list under a key of the first level. If the key is missing, it is added at the
    /// end of the file.
    mutating func append(_ element: Element, to key: String) throws(PackFaults) {
        let before = try values()
        let added = try Self.values(of: element.flow, file: file)
        guard case .mapping(let entries) = before.content else { throw fault(before.line, element, key) }
        let layout = YAMLLayout(text)
        var changed: String?
        var expected = entries
        if let index = entries.firstIndex(where: { $0.key == key }) {
            var elements: [YAMLNode] = []
            switch entries[index].value.content {
            case .sequence(let list): elements = list
            case .scalar(let scalar) where scalar.text.isEmpty && scalar.isPlain: break
            default: throw fault(entries[index].line, element, key)
            }
            changed = layout?.appending(element, to: key)
            let list = YAMLNode(content: .sequence(elements + [added]), line: entries[index].line)
            expected[index] = YAMLEntry(key: key, line: entries[index].line, value: list)
        } else {
            changed = layout?.adding(key: key, element)
            expected.append(
                YAMLEntry(key: key, line: 0, value: YAMLNode(content: .sequence([added]), line: 0)))
        }
        let line = entries.first { $0.key == key }?.line ?? 1
        try accept(changed, YAMLNode(content: .mapping(expected), line: 1), fault(line, element, key))
    }

    /// Replaces a single value of an element.
    /// - Parameters:
    ///   - key: the key of the list, on the first level.
    ///   - index: the index of the element, which is a mapping.
    ///   - member: the key in the element.
    mutating func replace(_ member: String, at index: Int, of key: String, by value: String)
        throws(PackFaults)
    {
        let before = try values()
        let line = before[key]?.line ?? 1
        let message = PackFaults([
            PackFault(
                file: file, line: line,
                message: "\"\(member)\" cannot be changed automatically; change it to \(value)")
        ])
        guard case .mapping(var entries) = before.content,
            let listIndex = entries.firstIndex(where: { $0.key == key }),
            case .sequence(var elements) = entries[listIndex].value.content, elements.indices.contains(index),
            case .mapping(var members) = elements[index].content,
            let memberIndex = members.firstIndex(where: { $0.key == member })
        else { throw message }
        let new = try Self.values(of: value, file: file)
        members[memberIndex] = YAMLEntry(key: member, line: 0, value: new)
        elements[index] = YAMLNode(content: .mapping(members), line: 0)
        entries[listIndex] = YAMLEntry(
            key: key, line: 0, value: YAMLNode(content: .sequence(elements), line: 0))
        let changed = YAMLLayout(text)?.replacing(member, at: index, of: key, by: value)
        try accept(changed, YAMLNode(content: .mapping(entries), line: 1), message)
    }

    /// Removes an element of the list under a key of the first level, or puts another one in its place.
    /// - Parameter element: nil to remove it.
    mutating func change(elementAt index: Int, of key: String, to element: Element?) throws(PackFaults) {
        let before = try values()
        let message = PackFaults([
            PackFault(
                file: file, line: before[key]?.line ?? 1,
                message: "\"\(key)\" cannot be changed automatically; change its element \(index + 1)")
        ])
        guard case .mapping(var entries) = before.content,
            let listIndex = entries.firstIndex(where: { $0.key == key }),
            case .sequence(var elements) = entries[listIndex].value.content, elements.indices.contains(index)
        else { throw message }
        if let element {
            elements[index] = try Self.values(of: element.flow, file: file)
        } else {
            elements.remove(at: index)
        }
        entries[listIndex] = YAMLEntry(
            key: key, line: 0, value: YAMLNode(content: .sequence(elements), line: 0))
        let changed = YAMLLayout(text)?.changing(elementAt: index, of: key, to: element)
        try accept(changed, YAMLNode(content: .mapping(entries), line: 1), message)
    }

    private mutating func accept(_ changed: String?, _ expected: YAMLNode, _ fault: PackFaults)
        throws(PackFaults)
    {
        guard let changed, let read = YAMLReader.read(changed, log: FaultLog(file: file)),
            read.hasSameValues(as: expected)
        else { throw fault }
        text = changed
    }

    private func fault(_ line: Int, _ element: Element, _ key: String) -> PackFaults {
        PackFaults([
            PackFault(
                file: file, line: line,
                message: "\"\(key)\" cannot be extended automatically; add the element \(element.flow)")
        ])
    }
}

/// Where the parts of a YAML text are.
private struct YAMLLayout {
    private let scalars: [Unicode.Scalar]
    /// The offset of the first character of each line.
    private let lineStarts: [Int]
    private let root: Node.Mapping
    private let lineEnd: String

    /// Nil if the text is not a mapping in block style.
    init?(_ text: String) {
        guard let parser = try? Parser(yaml: text, resolver: .basic, encoding: .utf8),
            let root = try? parser.singleRoot()?.mapping
        else { return nil }
        self.root = root
        let scalars = Array(text.unicodeScalars)
        // The parser also ends lines at these characters, so its lines would be others.
        let isPlain = !scalars.indices.contains { index in
            switch scalars[index].value {
            case 0x0D: index + 1 == scalars.count || scalars[index + 1] != "\n"
            case 0x85, 0x2028, 0x2029: true
            default: false
            }
        }
        guard isPlain else { return nil }
        self.scalars = scalars
        var starts = [0]
        for (offset, scalar) in scalars.enumerated() where scalar == "\n" { starts.append(offset + 1) }
        lineStarts = starts
        lineEnd = text.utf8.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n"
        // The parser does not report the style of mappings and lists.
        guard let start = root.mark.flatMap(offset), scalars[start] != "{" else { return nil }
    }

    // MARK: Changes

    /// The text with a further element of the list; nil if its layout is not known.
    func appending(_ element: YAMLListEditor.Element, to key: String) -> String? {
        guard let entry = root.first(where: { $0.key.string == key }) else { return nil }
        switch entry.value {
        case .sequence(let list):
            guard let start = list.mark.flatMap(offset) else { return nil }
            if scalars[start] == "[" { return appending(element.flow, toFlowListAt: start) }
            guard let mark = list.mark, scalars[start] == "-" else { return nil }
            let isSpaced = element.block.count > 1 && hasBlankLine(between: list)
            return inserting(
                lines(of: element, indent: mark.column - 1, isSpaced: isSpaced),
                atLine: endOfBlock(from: mark, indent: mark.column - 1))
        case .scalar:
            guard let mark = entry.key.mark else { return nil }
            let lines = lines(of: element, indent: mark.column + 1, isSpaced: false)
            return inserting(lines, atLine: mark.line)
        default: return nil
        }
    }

    /// The text with a new key at its end.
    func adding(key: String, _ element: YAMLListEditor.Element) -> String? {
        let indent = (root.first?.key.mark?.column ?? 1) - 1
        let margin = String(repeating: " ", count: indent)
        let lines =
            element.block.count == 1
            ? [margin + "\(key): [\(element.flow)]"]
            : [margin + "\(key):"] + lines(of: element, indent: indent + 2, isSpaced: false)
        let end = scalars.last == "\n" ? lineStarts.count - 1 : lineStarts.count
        return inserting(lines, atLine: end)
    }

    /// The text with another value of a member of an element; nil if the layout is not known.
    func replacing(_ member: String, at index: Int, of key: String, by value: String) -> String? {
        guard let list = root.first(where: { $0.key.string == key })?.value.sequence, list.count > index,
            let node = list[list.index(list.startIndex, offsetBy: index)].mapping?
                .first(where: { $0.key.string == member })?.value,
            case .scalar(let scalar) = node, var start = scalar.mark.flatMap(offset)
        else { return nil }
        if scalar.style == .singleQuoted || scalar.style == .doubleQuoted { start += 1 }
        let old = Array(scalar.string.unicodeScalars)
        guard start + old.count <= scalars.count, Array(scalars[start..<start + old.count]) == old else {
            return nil
        }
        return text(scalars[..<start]) + value + text(scalars[(start + old.count)...])
    }

    /// The text with another element, or without it; nil if the layout is not known.
    func changing(elementAt index: Int, of key: String, to element: YAMLListEditor.Element?) -> String? {
        guard let list = root.first(where: { $0.key.string == key })?.value.sequence, list.count > index,
            let mark = list.mark, let start = offset(of: mark)
        else { return nil }
        let marks = list.compactMap(\.mark)
        guard marks.count == list.count else { return nil }
        switch scalars[start] {
        case "[": return changingFlow(index, marks.compactMap(offset), to: element?.flow)
        case "-": return changingBlock(index, marks, list: mark, to: element)
        default: return nil
        }
    }

    private func changingFlow(_ index: Int, _ starts: [Int], to element: String?) -> String? {
        guard starts.indices.contains(index), let end = endOfFlowElement(from: starts[index]) else {
            return nil
        }
        if let element { return text(scalars[..<starts[index]]) + element + text(scalars[end...]) }
        if index + 1 < starts.count {
            return text(scalars[..<starts[index]]) + text(scalars[starts[index + 1]...])
        }
        let before = index > 0 ? endOfFlowElement(from: starts[index - 1]) : starts[index]
        return before.map { text(scalars[..<$0]) + text(scalars[end...]) }
    }

    private func changingBlock(
        _ index: Int, _ marks: [Mark], list: Mark, to element: YAMLListEditor.Element?
    ) -> String? {
        let indent = list.column - 1
        guard let first = hyphenLine(of: marks[index], list: list) else { return nil }
        var end = endOfBlock(from: list, indent: indent)
        if index + 1 < marks.count {
            guard let next = hyphenLine(of: marks[index + 1], list: list) else { return nil }
            end = next
            while end > first + 1, isBlankOrComment(end - 1, indent: indent) { end -= 1 }
        }
        var new: [String] = []
        if let element {
            new = lines(of: element, indent: indent, isSpaced: false)
        } else if marks.count == 1 {
            // A key without a value would not be a list.
            new = [String(repeating: " ", count: max(indent, 2)) + "[]"]
        }
        let rest = end < lineStarts.count ? text(scalars[lineStarts[end]...]) : ""
        return text(scalars[..<lineStarts[first]]) + new.map { $0 + lineEnd }.joined() + rest
    }

    /// The index of the line with the hyphen of an element.
    private func hyphenLine(of mark: Mark, list: Mark) -> Int? {
        var index = mark.line - 1
        while index >= list.line - 1 {
            let line = self.line(index)
            if line.prefix(while: { $0 == " " }).count == list.column - 1,
                line.dropFirst(list.column - 1).first == "-"
            {
                return index
            }
            index -= 1
        }
        return nil
    }

    // MARK: Block style

    private func lines(of element: YAMLListEditor.Element, indent: Int, isSpaced: Bool) -> [String] {
        let margin = String(repeating: " ", count: indent)
        return (isSpaced ? [""] : [])
            + element.block.enumerated().map { margin + ($0.offset == 0 ? "- " : "  ") + $0.element }
    }

    /// The index of the line before which the next element belongs: after the last line of the list, and before the
    /// blank lines and comments that belong to the next key.
    private func endOfBlock(from mark: Mark, indent: Int) -> Int {
        let next = root.compactMap { $0.key.mark?.line }.filter { $0 > mark.line }.min()
        var line = next.map { $0 - 1 } ?? lineStarts.count
        while line > mark.line, isBlankOrComment(line - 1, indent: indent) { line -= 1 }
        return line
    }

    /// Whether the line is blank, or a comment that is not indented deeper than the hyphens.
    private func isBlankOrComment(_ index: Int, indent: Int) -> Bool {
        let line = self.line(index)
        let content = line.drop { $0 == " " || $0 == "\t" }
        guard let first = content.first, first != "\r" else { return true }
        return first == "#" && line.count - content.count <= indent
    }

    private func hasBlankLine(between list: Node.Sequence) -> Bool {
        guard let first = list.first?.mark?.line, let last = list.last?.mark?.line, first < last else {
            return false
        }
        return (first..<last).contains { index in line(index - 1).allSatisfy { $0 == " " || $0 == "\r" } }
    }

    // MARK: Flow style

    private func appending(_ element: String, toFlowListAt start: Int) -> String? {
        guard scalars[start] == "[", let end = endOfContent(ofFlowListAt: start) else { return nil }
        let separator =
            switch scalars[end - 1] {
            case "[" where end == start + 1: ""
            case ",": " "
            default: ", "
            }
        return text(scalars[..<end]) + separator + element + text(scalars[end...])
    }

    /// The offset after an element of a list in brackets, without the spaces behind it.
    private func endOfFlowElement(from start: Int) -> Int? { endOfFlow(from: start, endsAtComma: true) }

    /// The offset after the last character of a list that is not a space or part of a comment, before its bracket.
    private func endOfContent(ofFlowListAt start: Int) -> Int? {
        endOfFlow(from: start + 1, endsAtComma: false)
    }

    /// The offset after the last character before the bracket that closes the list.
    /// - Parameter endsAtComma: whether a comma of the list is the end, too.
    private func endOfFlow(from start: Int, endsAtComma: Bool) -> Int? {
        var (depth, offset, end) = (0, start, start)
        // In a value without quotes, quotation marks are ordinary characters.
        var isPlain = false
        while offset < scalars.count {
            let scalar = scalars[offset]
            switch scalar {
            case "\"" where !isPlain, "'" where !isPlain:
                guard let close = endOfQuotes(at: offset) else { return nil }
                offset = close
            case "#" where offset > start && Self.isSpace(scalars[offset - 1]):
                while offset < scalars.count, scalars[offset] != "\n" { offset += 1 }
                isPlain = false
                continue
            case "[", "{": (depth, isPlain) = (depth + 1, false)
            case "]", "}":
                if depth == 0 { return end }
                (depth, isPlain) = (depth - 1, false)
            case ",":
                if depth == 0, endsAtComma { return end }
                isPlain = false
            case ":" where offset + 1 < scalars.count && Self.isSpace(scalars[offset + 1]): isPlain = false
            // A value can follow a quoted key without a space.
            case ":" where !isPlain: break
            default: if !Self.isSpace(scalar) { isPlain = true }
            }
            offset += 1
            if !Self.isSpace(scalar) { end = offset }
        }
        return nil
    }

    /// The offset of the closing quotation mark.
    private func endOfQuotes(at start: Int) -> Int? {
        let quote = scalars[start]
        var offset = start + 1
        while offset < scalars.count {
            if quote == "\"", scalars[offset] == "\\" {
                offset += 1
            } else if scalars[offset] == quote {
                guard quote == "'", offset + 1 < scalars.count, scalars[offset + 1] == quote else {
                    return offset
                }
                offset += 1
            }
            offset += 1
        }
        return nil
    }

    // MARK: Text

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
    }

    private func offset(of mark: Mark) -> Int? {
        guard (1...lineStarts.count).contains(mark.line) else { return nil }
        let offset = lineStarts[mark.line - 1] + mark.column - 1
        return scalars.indices.contains(offset) ? offset : nil
    }

    /// The characters of a line without its end.
    /// - Parameter index: 0 for the first line.
    private func line(_ index: Int) -> ArraySlice<Unicode.Scalar> {
        scalars[lineStarts[index]...].prefix { $0 != "\n" }
    }

    private func inserting(_ lines: [String], atLine index: Int) -> String {
        let offset = index < lineStarts.count ? lineStarts[index] : scalars.count
        let before = text(scalars[..<offset])
        let isOpen = offset > 0 && scalars[offset - 1] != "\n"
        return before + (isOpen ? lineEnd : "") + lines.map { $0 + lineEnd }.joined()
            + text(scalars[offset...])
    }

    private func text(_ part: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: part)
        return String(text)
    }
}

extension YAMLNode {
    /// Whether both have the same values. Lines and the order of keys can differ.
    fileprivate func hasSameValues(as other: YAMLNode) -> Bool {
        switch (content, other.content) {
        case (.scalar(let one), .scalar(let two)): return one.text == two.text && one.kind == two.kind
        case (.sequence(let one), .sequence(let two)):
            return one.count == two.count && zip(one, two).allSatisfy { $0.hasSameValues(as: $1) }
        case (.mapping(let one), .mapping(let two)):
            let values = Dictionary(two.map { ($0.key, $0.value) }) { first, _ in first }
            return one.count == two.count
                && one.allSatisfy { entry in
                    values[entry.key].map { entry.value.hasSameValues(as: $0) } == true
                }
        default: return false
        }
    }
}
