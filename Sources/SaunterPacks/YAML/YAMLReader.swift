import Yams

/// Parses a YAML text into nodes with line numbers. Packs can come from untrusted authors, so size, depth and number of
/// nodes are limited. Anchors are rejected, because with aliases a short text can expand into more nodes than memory
/// can contain.
struct YAMLReader {
    static let maximumNodes = 200_000
    static let maximumDepth = 32

    private let log: FaultLog
    private var nodes = 0

    private init(_ log: FaultLog) {
        self.log = log
    }

    /// Returns nil, with a fault in the log, if the text is not YAML or exceeds a limit.
    static func read(_ text: String, log: FaultLog) -> YAMLNode? {
        if let violation = YAMLLimits.violation(of: text) {
            log.note(violation.line, violation.message)
            return nil
        }
        do {
            let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
            guard let root = try parser.singleRoot() else {
                log.note(1, "the file is empty")
                return nil
            }
            var reader = YAMLReader(log)
            return reader.node(root, depth: 1)
        } catch let error as YamlError {
            note(error, log)
        } catch {
            log.note(1, "this cannot be read as YAML")
        }
        return nil
    }

    private mutating func node(_ node: Node, depth: Int) -> YAMLNode? {
        let line = node.mark?.line ?? 1
        nodes += 1
        guard nodes <= Self.maximumNodes else {
            if nodes == Self.maximumNodes + 1 {
                log.note(line, "more than \(Self.maximumNodes) values in one file")
            }
            return nil
        }
        guard depth <= Self.maximumDepth else {
            log.note(line, "nested deeper than \(Self.maximumDepth) levels")
            return nil
        }
        switch node {
        case .scalar(let scalar): return read(scalar, line)
        case .sequence(let sequence):
            rejectTag(sequence.tag, line)
            return YAMLNode(
                content: .sequence(sequence.compactMap { self.node($0, depth: depth + 1) }), line: line)
        case .mapping(let mapping):
            rejectTag(mapping.tag, line)
            return YAMLNode(content: .mapping(mapping.compactMap { entry($0, $1, depth) }), line: line)
        case .alias:
            log.note(line, "aliases are not used in packs")
            return nil
        }
    }

    private mutating func entry(_ key: Node, _ value: Node, _ depth: Int) -> YAMLEntry? {
        let line = key.mark?.line ?? 1
        guard let name = key.scalar else {
            log.note(line, "a key must be a single word")
            return nil
        }
        guard let value = node(value, depth: depth + 1) else { return nil }
        return YAMLEntry(key: name.string, line: line, value: value)
    }

    private func read(_ scalar: Node.Scalar, _ line: Int) -> YAMLNode? {
        if scalar.style == .plain { rejectTag(scalar.tag, line) }
        guard !scalar.string.unicodeScalars.contains(where: { $0.value == 0 }) else {
            log.note(line, "the character U+0000 cannot be stored")
            return nil
        }
        let value = YAMLScalar(text: scalar.string, isPlain: scalar.style == .plain || scalar.style == .any)
        return YAMLNode(content: .scalar(value), line: line)
    }

    private func rejectTag(_ tag: Tag, _ line: Int) {
        guard !tag.description.isEmpty else { return }
        log.note(line, "tags (words that begin with \"!\") are not used in packs")
    }

    private static func note(_ error: YamlError, _ log: FaultLog) {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let before = context.map { $0.text + " of line \($0.mark.line): " } ?? ""
            log.note(mark.line, before + problem)
        case .reader(let problem, let offset, _, let text):
            log.note(offset.map { Self.line(ofCharacter: $0, in: text) } ?? 1, problem)
        case .duplicatedKeysInMapping(let names, let context):
            let names = names.map { "\"\($0)\"" }.joined(separator: ", ")
            log.note(context.mark.line, "\(names): given more than once in one mapping")
        default: log.note(1, "this cannot be read as YAML")
        }
    }

    private static func line(ofCharacter offset: Int, in text: String) -> Int {
        1 + text.prefix(offset).utf8.count { $0 == UInt8(ascii: "\n") }
    }
}

/// Checks the bytes of a YAML text before the library parses it. The depth needs no check, because the library stops
/// at 1,000 levels.
enum YAMLLimits {
    /// Returns nil if the text is within all limits. The search for anchors ignores quotes, so that quotes cannot hide
    /// an anchor. It therefore also rejects harmless texts in which "&" begins a word.
    static func violation(of text: String) -> (line: Int, message: String)? {
        guard text.utf8.count <= PackFiles.maximumFileBytes else {
            return (1, "larger than \(PackFiles.maximumFileBytes >> 20) MiB")
        }
        guard !text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) else { return (1, "begins with a byte order mark") }
        var line = 1
        var (beforeLast, last) = (UInt8(ascii: "\n"), UInt8(ascii: "\n"))
        for byte in text.utf8 {
            if last == UInt8(ascii: "&"), !isName(beforeLast), isName(byte) {
                return (line, "anchors are not used in packs; put a space after \"&\" or write \"and\"")
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            (beforeLast, last) = (last, byte)
        }
        return nil
    }

    /// Whether the byte can be part of the name of an anchor.
    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
