import SaunterCore

/// JSON with indentation: two spaces per level, and short lists and objects on one line.
enum PrettyJSON {
    private static let width = 76

    /// - Parameter indent: the spaces before the value's later lines.
    static func text(_ value: JSON, indent: String = "") -> String {
        let flat = value.text.replacing(",\"", with: ", \"").replacing("\":", with: "\": ")
        if flat.count + indent.count <= width, !containsContainers(value) { return flat }
        let inner = indent + "  "
        switch value {
        case .array(let elements) where !elements.isEmpty && elements.contains(where: isContainer):
            let lines = elements.map { inner + text($0, indent: inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
        case .object(let object) where !object.isEmpty:
            let lines = object.map { member in
                "\(inner)\(JSON.string(member.name).text): \(text(member.value, indent: inner))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        default: return value.text
        }
    }

    private static func isContainer(_ value: JSON) -> Bool { value.array != nil || value.object != nil }

    private static func containsContainers(_ value: JSON) -> Bool {
        switch value {
        case .array(let elements): elements.contains(where: isContainer)
        case .object(let object): object.contains { isContainer($0.value) }
        default: false
        }
    }
}
