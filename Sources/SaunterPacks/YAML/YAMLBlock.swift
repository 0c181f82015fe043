import SaunterCore
import Yams

/// Writes values as YAML. Short lists and mappings of single values are on one line, all others in block style.
enum YAMLBlock {
    /// The longest line that a list or mapping in brackets fills.
    private static let lineLength = 100

    /// A complete file.
    /// - Parameters:
    ///   - value: a list or an object.
    ///   - head: the comments before it; each line ends with a line end.
    /// - Throws: `YAMLEditFault` for texts that no YAML file can contain.
    static func file(_ value: JSON, head: String = "") throws(YAMLEditFault) -> String {
        guard let lines = try lines(value, indent: 0) else { return head + (try flow(value)) + "\n" }
        return head + lines.joined(separator: "\n") + "\n"
    }

    /// A value on one line.
    static func flow(_ value: JSON) throws(YAMLEditFault) -> String {
        switch value {
        case .array(let elements):
            var parts: [String] = []
            for element in elements { parts.append(try flow(element)) }
            return "[\(parts.joined(separator: ", "))]"
        case .object(let object):
            var parts: [String] = []
            for member in object {
                parts.append(
                    "\(YAMLScalarText.key(member.name, isFlow: true)): \(try flow(member.value))")
            }
            return "{\(parts.joined(separator: ", "))}"
        case .null, .bool, .number, .string:
            return try YAMLScalarText(value).written(like: .plain, isFlow: true, indent: 0, lineEnd: "\n")
        }
    }

    /// An element of a list.
    static func element(_ value: JSON) throws(YAMLEditFault) -> YAMLListEditor.Element {
        let lines = try lines(.array([value]), indent: 0) ?? []
        let all = lines.joined(separator: "\n").split(separator: "\n", omittingEmptySubsequences: false)
        return YAMLListEditor.Element(try flow(value), block: all.map { String($0.dropFirst(2)) })
    }

    /// The lines of a list or mapping in block style, with their indentation; nil for a value that belongs behind its
    /// key.
    private static func lines(_ value: JSON, indent: Int) throws(YAMLEditFault) -> [String]? {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        switch value {
        case .object(let object) where !object.isEmpty:
            for member in object {
                let key = margin + YAMLScalarText.key(member.name, isFlow: false) + ":"
                if try isShort(member.value, indent: key.count) {
                    lines.append("\(key) \(try behind(member.value, indent: indent))")
                } else if let below = try self.lines(member.value, indent: indent + 2) {
                    lines += [key] + below
                } else {
                    lines.append("\(key) \(try behind(member.value, indent: indent))")
                }
            }
        case .array(let elements) where !elements.isEmpty:
            for element in elements {
                guard try !isShort(element, indent: indent + 2),
                    let below = try self.lines(element, indent: indent + 2), let first = below.first
                else {
                    lines.append("\(margin)- \(try behind(element, indent: indent))")
                    continue
                }
                lines.append("\(margin)- \(first.dropFirst(indent + 2))")
                lines += below.dropFirst()
            }
        default: return nil
        }
        return lines
    }

    /// A value behind a key or a hyphen. A text of several lines continues on the next ones.
    private static func behind(_ value: JSON, indent: Int) throws(YAMLEditFault) -> String {
        switch value {
        case .array, .object: try flow(value)
        case .null, .bool, .number, .string:
            try YAMLScalarText(value).written(
                like: .plain, isFlow: false, indent: indent + 2, lineEnd: "\n")
        }
    }

    /// Whether a list or mapping contains only single values and fits on one line.
    private static func isShort(_ value: JSON, indent: Int) throws(YAMLEditFault) -> Bool {
        let parts: [JSON] =
            switch value {
            case .array(let elements): elements
            case .object(let object): object.map(\.value)
            case .null, .bool, .number, .string: []
            }
        let isNested = parts.contains { part in
            switch part {
            case .array, .object: true
            case .string(let text): text.contains("\n")
            case .null, .bool, .number: false
            }
        }
        switch value {
        case .array, .object:
            guard !isNested else { return false }
            return try flow(value).count + indent < lineLength
        case .null, .bool, .number, .string: return false
        }
    }
}
