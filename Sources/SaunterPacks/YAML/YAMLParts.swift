import SaunterCore
import Yams

/// The elements of a list, or the entries of a mapping, in a YAML text. Each has its comments: those on the lines
/// directly above it, and those behind it.
struct YAMLParts {
    enum Part {
        /// The part that has this index now, with its comments.
        case kept(Int)
        case new(YAMLListEditor.Element)
    }

    private let source: YAMLSource
    /// What is replaced: everything in brackets, or the lines of all parts.
    private let range: Range<Int>
    /// For brackets, one line for each part.
    private let blocks: [[String]]
    private let brackets: (open: String, close: String)
    private let isFlow: Bool
    private let column: Int

    /// Nil if the layout is not known, such as for brackets with comments or several lines.
    init?(_ node: Node, in source: YAMLSource) {
        column = source.column(of: node.mark)
        isFlow = source.isFlow(node.mark)
        self.source = source
        let nodes: [(first: Node, last: Node)]
        switch node {
        case .sequence(let list):
            nodes = list.map { (first: $0, last: $0) }
            brackets = ("[", "]")
        case .mapping(let mapping):
            nodes = mapping.map { (first: $0.key, last: $0.value) }
            brackets = ("{", "}")
        case .scalar, .alias: return nil
        }
        guard let start = source.index(of: node.mark), start < source.scalars.count,
            let end = source.end(of: node, indent: column), start < end
        else { return nil }
        if isFlow {
            range = start..<end
            guard !source.scalars[range].contains(where: { $0 == "#" || YAMLSource.isBreak($0) }) else {
                return nil
            }
            var texts: [[String]] = []
            for part in nodes {
                guard let first = source.index(of: part.first.mark),
                    let last = source.end(of: part.last, indent: column), first < last
                else { return nil }
                texts.append([source.text(source.scalars[first..<last])])
            }
            blocks = texts
        } else {
            let isList = node.sequence != nil
            var firsts: [Int] = []
            for part in nodes {
                guard let line = part.first.mark?.line,
                    let first = Self.firstLine(
                        of: line - 1, above: firsts.last ?? -1, hyphenAt: isList ? column : nil, source)
                else { return nil }
                firsts.append(first)
            }
            guard let lines = Self.lines(firsts, end: end, column, source) else { return nil }
            range =
                source.start(ofLine: lines[0].lowerBound)..<source.start(ofLine: lines.last?.upperBound ?? 0)
            blocks = lines.map { $0.map { source.text(source.line($0)) } }
        }
    }

    /// The first line of a part: with its hyphen, or with its key.
    /// - Parameter above: the first line of the part before.
    private static func firstLine(
        of line: Int, above: Int, hyphenAt column: Int?, _ source: YAMLSource
    ) -> Int? {
        guard let column else { return line > above ? line : nil }
        return (0...line).reversed().prefix { $0 > above }.first { index in
            let line = source.line(index)
            return line.prefix { $0 == " " }.count == column && line.dropFirst(column).first == "-"
        }
    }

    /// The lines of each part, with the comments above it. Comments at the beginning of the file belong to the file.
    private static func lines(
        _ firsts: [Int], end: Int, _ column: Int, _ source: YAMLSource
    ) -> [Range<Int>]? {
        guard let first = firsts.first, let last = firsts.last else { return nil }
        var begin = first
        while begin > 0, source.comment(inLine: begin - 1) != nil { begin -= 1 }
        var starts = [begin == 0 ? first : begin]
        for (before, next) in zip(firsts, firsts.dropFirst()) {
            var start = next
            while start > before + 1,
                source.isBlank(start - 1) || source.comment(inLine: start - 1).map({ $0 <= column }) ?? false
            {
                start -= 1
            }
            starts.append(start)
        }
        var stop = last + 1
        while stop < source.lineStarts.count, source.lineStarts[stop] < end { stop += 1 }
        while stop < source.lineStarts.count, source.comment(inLine: stop).map({ $0 > column }) ?? false {
            stop += 1
        }
        return zip(starts, starts.dropFirst() + [stop]).map { $0..<$1 }
    }

    /// The text with other parts; nil if it does not have one that is kept.
    func replacement(by parts: [Part]) -> YAMLSource.Replacement? {
        let isKnown = parts.allSatisfy { part in
            if case .kept(let index) = part { blocks.indices.contains(index) } else { true }
        }
        guard isKnown else { return nil }
        if isFlow || parts.isEmpty {
            let texts = parts.map { part in
                switch part {
                case .kept(let index): blocks[index][0]
                case .new(let element): element.flow
                }
            }
            let flow = brackets.open + texts.joined(separator: ", ") + brackets.close
            let margin = String(repeating: " ", count: column + 2)
            return YAMLSource.Replacement(range: range, text: isFlow ? flow : margin + flow + source.lineEnd)
        }
        let isSpaced = blocks.count > 1 && blocks.dropFirst().allSatisfy { Self.isBlank($0[0]) }
        let margin = String(repeating: " ", count: column)
        var lines: [String] = []
        for part in parts {
            var block: [String]
            switch part {
            case .kept(let index): block = blocks[index]
            case .new(let element):
                block = element.block.enumerated().map {
                    margin + ($0.offset == 0 ? "- " : "  ") + $0.element
                }
            }
            if lines.isEmpty {
                block = Array(block.drop(while: Self.isBlank))
            } else if isSpaced, !Self.isBlank(block[0]) {
                lines.append("")
            }
            lines += block
        }
        return YAMLSource.Replacement(
            range: range, text: lines.map { $0 + source.lineEnd }.joined())
    }

    private static func isBlank(_ line: String) -> Bool { line.allSatisfy(\.isWhitespace) }

    /// The list or mapping at these steps.
    static func node(at steps: [String], in root: Node) -> Node? {
        var node: Node? = root
        for step in steps {
            switch node {
            case .mapping(let mapping): node = mapping.first { $0.key.scalar?.string == step }?.value
            case .sequence(let list):
                node = Int(step).flatMap { list.indices.contains($0) ? list[$0] : nil }
            case .scalar, .alias, nil: return nil
            }
        }
        return node
    }
}

extension YAMLSource {
    /// The characters of a line without its end.
    /// - Parameter index: 0 for the first line.
    func line(_ index: Int) -> ArraySlice<Unicode.Scalar> {
        scalars[lineStarts[index]..<endOfLine(from: lineStarts[index])]
    }

    /// The end of the text for the line after the last one.
    func start(ofLine index: Int) -> Int { index < lineStarts.count ? lineStarts[index] : scalars.count }

    func isBlank(_ index: Int) -> Bool { line(index).allSatisfy { $0 == " " || $0 == "\t" } }

    /// The indentation of a comment; nil if the line is none.
    func comment(inLine index: Int) -> Int? {
        let line = line(index)
        let content = line.drop { $0 == " " || $0 == "\t" }
        return content.first == "#" ? line.count - content.count : nil
    }
}
