import HTTPTypes
import SaunterCore

/// A curl command for a route. It works in a shell in which `$TOKEN` is an access token.
enum CurlExample {
    /// The command, with one argument per line.
    static func text(_ route: Route, publicURL: String) -> String {
        let method = route.method == .get ? "" : "-X \(route.method.rawValue) "
        var parts = ["curl \(method)\(quoted(publicURL + path(route)))"]
        if route.who != .anyone { parts.append("-H \"Authorization: Bearer $TOKEN\"") }
        if route.problems.contains(.preconditionRequired) { parts.append("-H \"If-Match: $ETAG\"") }
        if let body = route.body, body.media == .form {
            for member in body.example?.object ?? [:] {
                parts.append("--data-urlencode " + quoted("\(member.name)=\(member.value.string ?? "")"))
            }
        } else if let body = route.body, case .file(let types) = body.media {
            parts.append("-H 'Content-Type: \(types.first ?? "")'")
            parts.append("--data-binary @file")
        } else if let body = route.body {
            parts.append("-H 'Content-Type: application/json'")
            parts.append("-d " + quoted(PrettyJSON.text(body.example ?? [:])))
        }
        if route.outcomes.first?.contentType == "application/zip" { parts.append("-o export.zip") }
        return parts.joined(separator: " \\\n  ")
    }

    private static func path(_ route: Route) -> String {
        route.pathParameters.reduce(route.path) { path, parameter in
            path.replacing("{\(parameter.name)}", with: PercentEncoding.encode(parameter.example))
        }
    }

    /// The text in single quotes for a POSIX shell.
    private static func quoted(_ text: String) -> String {
        "'\(text.replacing("'", with: "'\\''"))'"
    }
}

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
