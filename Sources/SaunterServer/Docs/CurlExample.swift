import HTTPTypes
import SaunterCore

/// A curl command for a route. It works in a shell in which `$TOKEN` is an access token, and `$ETAG` is the ETag of the
/// resource.
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
