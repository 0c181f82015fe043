import SaunterCore
import Yams

/// A single value or a list of them, and the forms in which it can be written in YAML.
struct YAMLScalarText {
    private let value: JSON
    /// The content of a text; the spelling of any other value.
    private let text: String

    /// The elements of a list; nil for a single value.
    var elements: [JSON]? { value.array }

    /// - Throws: `YAMLEditFault` for objects and lists of lists, and for characters that no YAML text can contain.
    init(_ value: JSON) throws(YAMLEditFault) {
        self.value = value
        switch value {
        case .string(let string): text = string
        case .null, .bool, .number: text = value.text
        case .array(let elements) where elements.allSatisfy { $0.array == nil && $0.object == nil }:
            text = try YAMLBlock.flow(value)
        case .array, .object:
            throw YAMLEditFault(
                line: 1,
                message: "the value must be a text, a number, true, false, null, or a list of such values")
        }
        guard !text.unicodeScalars.contains(where: { $0.value == 0 }) else {
            throw YAMLEditFault(line: 1, message: "the character U+0000 cannot be stored")
        }
    }

    private var isText: Bool { if case .string = value { true } else { false } }

    /// Whether a parsed node has this value.
    func isValue(of node: YAMLNode) -> Bool {
        if elements != nil { return YAMLChange.isSame(node.json, value) }
        guard let scalar = node.scalar else { return false }
        return isText ? scalar.text == text && scalar.kind == .text : scalar.isPlain && scalar.text == text
    }

    /// Whether a node has the same content. The reader compares the kinds.
    func isContent(of node: Node) -> Bool {
        guard let scalar = node.scalar, scalar.string == text else { return false }
        return YAMLScalar(text: text, isPlain: scalar.style == .plain).kind == .text ? isText : !isText
    }

    /// The value in a style, or in the nearest one that can contain it.
    /// - Parameters:
    ///   - isFlow: whether the value is inside `{}` or `[]`.
    ///   - indent: the indentation of the lines of a block.
    func written(
        like style: Node.Scalar.Style, isFlow: Bool, indent: Int, lineEnd: String
    ) -> String {
        guard isText else { return text }
        switch style {
        case .plain, .any:
            if isPlainSafe(isFlow: isFlow) { return text }
        case .singleQuoted:
            if isPrintableLine, !hasAnchor { return "'\(text.replacing("'", with: "''"))'" }
        case .literal, .folded:
            if !isFlow, let block = block(indent: indent, lineEnd: lineEnd) { return block }
        case .doubleQuoted: break
        }
        if !isFlow, text.contains("\n"), style != .doubleQuoted,
            let block = block(indent: indent, lineEnd: lineEnd)
        {
            return block
        }
        return doubleQuoted
    }

    /// The value below keys that do not exist yet, as lines of a block mapping. The first line has no indentation.
    func nested(below steps: [String], indent: Int, lineEnd: String) -> String {
        var lines = ""
        for (depth, step) in steps.enumerated() {
            let column = indent + 2 * depth
            if depth > 0 { lines += lineEnd + String(repeating: " ", count: column) }
            lines += Self.key(step, isFlow: false) + ":"
        }
        let indent = indent + 2 * steps.count
        return lines + " " + written(like: .plain, isFlow: false, indent: indent, lineEnd: lineEnd)
    }

    /// The value below keys that do not exist yet, inside of `{}`.
    func flow(below steps: [String]) -> String {
        guard let step = steps.first else {
            return written(like: .plain, isFlow: true, indent: 0, lineEnd: "\n")
        }
        return "{\(entry(step, Array(steps.dropFirst())))}"
    }

    /// `key: value`, with further keys below it inside of `{}`.
    func entry(_ step: String, _ rest: [String]) -> String {
        "\(Self.key(step, isFlow: true)): \(flow(below: rest))"
    }

    /// A key, in quotes if necessary. A key that looks like a number is written without quotes, as packs do.
    static func key(_ name: String, isFlow: Bool) -> String {
        if YAMLScalar.isDigits(name[...]) { return name }
        guard let key = try? YAMLScalarText(.string(name)) else { return "\"\"" }
        return key.isPlainSafe(isFlow: isFlow) && name.utf8.count < 100 ? name : key.doubleQuoted
    }

    // MARK: - Styles

    /// Words that other versions of YAML read as booleans or as nothing.
    private static let words: Set = ["yes", "no", "on", "off", "true", "false", "null", "~"]

    /// Whether the text can be written without quotes, and is then read as the same text by every version of YAML.
    private func isPlainSafe(isFlow: Bool) -> Bool {
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
            isPrintableLine, !hasAnchor, first != " ", last != " ", last != ":",
            first.properties.isAlphabetic || first.properties.numericType != nil || first == "(",
            YAMLScalar(text: text, isPlain: true).kind == .text, !Self.words.contains(text.lowercased())
        else { return false }
        guard !text.contains(": "), !text.contains(" #"), !text.contains("\t") else { return false }
        // 17:00 is a number in older versions of YAML.
        guard
            text.contains(where: { !$0.isNumber && $0 != ":" && $0 != "." && $0 != "_" })
                || !text.contains(":")
        else { return false }
        return !isFlow || !text.contains { ",[]{}:?".contains($0) }
    }

    /// Whether the text is one line of characters that YAML permits without an escape.
    private var isPrintableLine: Bool {
        text.unicodeScalars.allSatisfy { Self.isPrintable($0) && $0 != "\t" }
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E, 0x09, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD,
            0x10000...0x10FFFF:
            true
        default: false
        }
    }

    /// Whether the text contains what `YAMLLimits` takes for an anchor. Inside of double quotes it is escaped.
    private var hasAnchor: Bool { YAMLLimits.violation(of: text) != nil }

    /// A literal block, whose lines are kept exactly; nil if it cannot contain the text.
    private func block(indent: Int, lineEnd: String) -> String? {
        guard !hasAnchor, let first = text.first, first != " ", first != "\n" else { return nil }
        var body = text[...]
        let header: String
        if body.hasSuffix("\n") {
            body = body.dropLast()
            guard !body.hasSuffix("\n") else { return nil }
            header = "|"
        } else {
            header = "|-"
        }
        let lines = body.split(separator: "\n", omittingEmptySubsequences: false)
        guard
            lines.allSatisfy({ line in
                line.unicodeScalars.allSatisfy(Self.isPrintable)
                    && (line.isEmpty || line.contains { $0 != " " })
            })
        else { return nil }
        let space = String(repeating: " ", count: indent)
        return ([header] + lines.map { $0.isEmpty ? "" : space + $0 }).joined(separator: lineEnd)
    }

    private var doubleQuoted: String {
        var result = "\""
        var before = Unicode.Scalar("\n")
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case "&":
                let next = index + 1 < scalars.count ? scalars[index + 1] : " "
                result += YAMLLimits.violation(of: "\(before)&\(next)") == nil ? "&" : "\\x26"
            default:
                if Self.isPrintable(scalar) {
                    result.unicodeScalars.append(scalar)
                } else {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    result += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
                }
            }
            before = scalar
        }
        return result + "\""
    }
}
