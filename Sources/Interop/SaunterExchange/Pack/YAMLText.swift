import SaunterCore

/// Writes JSON values and texts as YAML. In flow style every text is in double quotes, so that YAML never reads it as
/// another type.
enum YAMLText {
    static func flow(_ value: JSON) -> String {
        switch value {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .number(let number): return number.literal
        case .string(let text): return quoted(text)
        case .array(let elements): return "[\(elements.map(flow).joined(separator: ", "))]"
        case .object(let object):
            return "{\(object.map { "\(quoted($0.name)): \(flow($0.value))" }.joined(separator: ", "))}"
        }
    }

    /// The text without quotes if it is a name, otherwise in quotes.
    static func word(_ text: String) -> String {
        let isName =
            text.utf8.first.map { (97...122).contains($0) } == true
            && text.utf8.allSatisfy {
                (97...122).contains($0) || (48...57).contains($0) || $0 == 95 || $0 == 45
            }
        return isName && !["true", "false", "null"].contains(text) ? text : quoted(text)
    }

    /// The text in double quotes. Characters that are not printable are escaped. `&` is escaped too, because the pack
    /// reader rejects `&` before a name even in quotes (`YAMLLimits`).
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "&": quoted += "\\u0026"
            case " "..."~": quoted.unicodeScalars.append(scalar)
            case "\u{A1}"..."\u{1FFF}", "\u{2010}"..."\u{2027}", "\u{2030}"..."\u{D7FF}",
                "\u{1F300}"..."\u{1FAFF}":
                quoted.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                let width = scalar.value > 0xFFFF ? 8 : 4
                quoted += (width == 8 ? "\\U" : "\\u")
                quoted += String(repeating: "0", count: width - digits.count) + digits
            }
        }
        return quoted + "\""
    }
}
