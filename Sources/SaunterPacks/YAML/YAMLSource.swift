import Yams

/// A YAML text as characters, in which the positions of the parser can be found.
struct YAMLSource {
    let scalars: [Unicode.Scalar]
    /// The index of the first character of each line. The parser counts the same line breaks.
    let lineStarts: [Int]
    /// CR LF if the first line ends with it, otherwise LF.
    let lineEnd: String

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        var starts = [0]
        for (index, scalar) in scalars.enumerated() where Self.isBreak(scalar) {
            if scalar == "\r", index + 1 < scalars.count, scalars[index + 1] == "\n" { continue }
            starts.append(index + 1)
        }
        lineStarts = starts
        lineEnd =
            starts.count > 1 && scalars[..<starts[1]].suffix(2).elementsEqual("\r\n".unicodeScalars)
            ? "\r\n" : "\n"
    }

    /// The column of a position, from 0.
    func column(of mark: Mark?) -> Int { (mark?.column ?? 1) - 1 }

    /// Whether a mapping or list begins with a bracket.
    func isFlow(_ mark: Mark?) -> Bool {
        guard let start = index(of: mark), start < scalars.count else { return false }
        return scalars[start] == "{" || scalars[start] == "["
    }

    /// A part of the text, and what replaces it.
    struct Replacement {
        let range: Range<Int>
        let text: String
    }

    /// The text with other parts.
    /// - Parameter replacements: in the order of the text, without overlaps.
    func replacing(_ replacements: [Replacement]) -> String {
        var result = ""
        var position = 0
        for replacement in replacements {
            result += text(scalars[position..<replacement.range.lowerBound]) + replacement.text
            position = replacement.range.upperBound
        }
        return result + text(scalars[position...])
    }

    /// The part of the text with a scalar, and another value for it.
    /// - Parameters:
    ///   - new: the value in YAML.
    ///   - indent: the column of the mapping or list that contains the scalar; -1 for the root.
    func replacement(
        of scalar: Node.Scalar, by new: String, indent: Int
    ) throws(YAMLEditFault) -> Replacement {
        guard let start = index(of: scalar.mark), let end = end(of: scalar, from: start, indent: indent)
        else {
            throw YAMLEditFault(
                line: scalar.mark?.line ?? 1, message: "the end of this value cannot be found")
        }
        var new = new
        if start == end {
            if start > 0, ":-".unicodeScalars.contains(scalars[start - 1]) { new = " " + new }
            if start < scalars.count, scalars[start] == "#" { new += " " }
        }
        // What is behind a value on its line stays where it is, if both are on one line. It can be another value.
        let isBlock = scalar.style == .literal || scalar.style == .folded
        guard isBlock || new.contains(self.lineEnd) else { return Replacement(range: start..<end, text: new) }
        // A comment behind a value, or behind the first line of a block. A new block keeps it behind its first line.
        let lineEnd = endOfLine(from: start)
        let comment = isBlock ? (start..<lineEnd).first { scalars[$0] == " " } ?? lineEnd : end
        let restEnd = isBlock ? lineEnd : endOfLine(from: end)
        let rest = text(scalars[comment..<restEnd])
        let lines = new.split(separator: self.lineEnd, maxSplits: 1, omittingEmptySubsequences: false)
        let body = lines.count > 1 ? self.lineEnd + lines[1] : ""
        return Replacement(range: start..<max(end, restEnd), text: lines[0] + rest + body)
    }

    /// The text with another key at the end of a mapping.
    /// - Parameter steps: the key, and the keys of further mappings below it.
    func adding(
        _ value: YAMLScalarText, below steps: [String], to mapping: Node.Mapping, isFlow: Bool
    ) throws(YAMLEditFault) -> String {
        let fault = YAMLEditFault(
            line: mapping.mark?.line ?? 1, message: "the end of this mapping cannot be found")
        guard let start = index(of: mapping.mark), let step = steps.first else { throw fault }
        let indent = column(of: mapping.mark)
        guard isFlow else {
            guard let last = Array(mapping).last, let end = end(of: last.value, indent: indent) else {
                throw fault
            }
            let line = value.nested(below: steps, indent: indent, lineEnd: lineEnd)
            let insertion = lineStarts.first { $0 >= max(end, 1) && $0 > start } ?? scalars.count
            let before = text(scalars[..<insertion])
            let isEnded = scalars[..<insertion].last.map(Self.isBreak) ?? true
            let new = String(repeating: " ", count: indent) + line + (isEnded ? lineEnd : "")
            return before + (isEnded ? "" : lineEnd) + new + text(scalars[insertion...])
        }
        let entry = value.entry(step, Array(steps.dropFirst()))
        guard let last = Array(mapping).last else {
            return text(scalars[...start]) + entry + text(scalars[(start + 1)...])
        }
        guard let end = end(of: last.value, indent: indent) else { throw fault }
        return text(scalars[..<end]) + ", " + entry + text(scalars[end...])
    }

    /// The text with lines at its end.
    func appending(_ lines: String) -> String {
        let isEnded = scalars.last.map(Self.isBreak) ?? true
        return text(scalars[...]) + (isEnded ? "" : lineEnd) + lines + lineEnd
    }

    // MARK: - Ends

    /// The index of the character at a position.
    func index(of mark: Mark?) -> Int? {
        guard let mark, lineStarts.indices.contains(mark.line - 1) else { return nil }
        let index = lineStarts[mark.line - 1] + mark.column - 1
        return index <= scalars.count ? index : nil
    }

    /// The index behind a node.
    func end(of node: Node, indent: Int) -> Int? {
        switch node {
        case .alias: return nil
        case .scalar(let scalar):
            return index(of: scalar.mark).flatMap { end(of: scalar, from: $0, indent: indent) }
        case .mapping(let mapping):
            let inner = isFlow(mapping.mark) ? indent : column(of: mapping.mark)
            let last = Array(mapping).last.map { end(of: $0.value, indent: inner) }
            return isFlow(mapping.mark) ? closing("}", of: mapping.mark, after: last) : last ?? nil
        case .sequence(let sequence):
            let inner = isFlow(sequence.mark) ? indent : column(of: sequence.mark)
            let last = sequence.last.map { end(of: $0, indent: inner) }
            return isFlow(sequence.mark) ? closing("]", of: sequence.mark, after: last) : last ?? nil
        }
    }

    /// The index behind the bracket that closes a flow collection.
    /// - Parameter last: the end of the last element; nil if it has none.
    private func closing(_ bracket: Unicode.Scalar, of mark: Mark?, after last: Int??) -> Int? {
        var position: Int
        if let last {
            guard let last else { return nil }
            position = last
        } else {
            guard let start = index(of: mark) else { return nil }
            position = start + 1
        }
        while position < scalars.count {
            let scalar = scalars[position]
            if scalar == bracket { return position + 1 }
            if scalar == "#" {
                position = scalars[position...].firstIndex(where: Self.isBreak) ?? scalars.count
            } else if scalar == "," || scalar == " " || scalar == "\t" || Self.isBreak(scalar) {
                position += 1
            } else {
                return nil
            }
        }
        return nil
    }

    private func end(of scalar: Node.Scalar, from start: Int, indent: Int) -> Int? {
        switch scalar.style {
        case .singleQuoted: endOfQuoted("'", from: start)
        case .doubleQuoted: endOfQuoted("\"", from: start)
        case .literal, .folded: endOfBlock(from: start, indent: indent)
        case .plain, .any: endOfPlain(scalar.string, from: start)
        }
    }

    private func endOfQuoted(_ quote: Unicode.Scalar, from start: Int) -> Int? {
        guard start < scalars.count, scalars[start] == quote else { return nil }
        var position = start + 1
        while position < scalars.count {
            if quote == "\"", scalars[position] == "\\" {
                position += 2
            } else if scalars[position] == quote {
                guard quote == "'", position + 1 < scalars.count, scalars[position + 1] == quote else {
                    return position + 1
                }
                position += 2
            } else {
                position += 1
            }
        }
        return nil
    }

    /// The end of the last line with content that is indented more than its parent, without its line break.
    private func endOfBlock(from start: Int, indent: Int) -> Int? {
        guard start < scalars.count, "|>".unicodeScalars.contains(scalars[start]) else { return nil }
        guard let first = lineStarts.firstIndex(where: { $0 > start }) else { return endOfLine(from: start) }
        var end = endOfLine(from: start)
        var contentIndent: Int?
        for lineStart in lineStarts[first...] {
            let lineEnd = endOfLine(from: lineStart)
            let spaces = scalars[lineStart..<lineEnd].prefix { $0 == " " }.count
            guard spaces < lineEnd - lineStart else { continue }
            if spaces < contentIndent ?? (indent + 1) { break }
            contentIndent = contentIndent ?? spaces
            end = lineEnd
        }
        return end
    }

    /// Follows the characters of the value. A line break in the text is a space in the value, and more of them are one
    /// break less.
    private func endOfPlain(_ value: String, from start: Int) -> Int? {
        var position = start
        var rest = value.unicodeScalars[...]
        while let next = rest.first {
            guard position < scalars.count else { return nil }
            let blanks = scalars[position...].prefix {
                $0 == " " || $0 == "\t" || Self.isBreak($0)
            }
            let breaks = blanks.indices.count {
                Self.isBreak(blanks[$0])
                    && !(blanks[$0] == "\r" && blanks.dropFirst($0 - position + 1).first == "\n")
            }
            if breaks > 0 {
                let folded = breaks == 1 ? " " : String(repeating: "\n", count: breaks - 1)
                guard rest.starts(with: folded.unicodeScalars) else { return nil }
                rest = rest.dropFirst(folded.unicodeScalars.count)
                position += blanks.count
            } else {
                guard scalars[position] == next else { return nil }
                rest = rest.dropFirst()
                position += 1
            }
        }
        return position
    }

    func endOfLine(from index: Int) -> Int {
        scalars[index...].firstIndex(where: Self.isBreak) ?? scalars.count
    }

    func text(_ part: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: part)
        return String(text)
    }

    /// The line breaks of YAML 1.1.
    static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}
