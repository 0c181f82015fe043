import SaunterCore

/// JSON with two spaces of indentation, members in their given order, and LF at the end.
enum IndentedJSON {
    static func bytes(_ value: JSON) -> [UInt8] { Array((text(value, indent: "") + "\n").utf8) }

    private static func text(_ value: JSON, indent: String) -> String {
        let inner = indent + "  "
        switch value {
        case .object(let object) where !object.isEmpty:
            let members = object.map {
                "\(inner)\(JSON.string($0.name).text): \(text($0.value, indent: inner))"
            }
            return "{\n\(members.joined(separator: ",\n"))\n\(indent)}"
        case .array(let elements) where elements.contains { $0.array != nil || $0.object != nil }:
            return
                "[\n\(elements.map { inner + text($0, indent: inner) }.joined(separator: ",\n"))\n\(indent)]"
        default: return value.text
        }
    }
}
