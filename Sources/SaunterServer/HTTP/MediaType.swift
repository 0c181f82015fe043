import HTTPTypes

enum MediaType {
    /// JSON values, one a line.
    static let lines = "application/x-ndjson"
}

/// What the headers say about a body.
struct BodyHeaders {
    let isGzip: Bool
    /// Nil where the body comes in chunks.
    let length: Int?
    let hasBody: Bool
    /// The client sends its body once it is asked to.
    let isAwaited: Bool

    /// Throws what the headers alone suffice to refuse. A media type is checked only where there is a body.
    init(_ fields: HTTPFields) throws(Problem) {
        length = fields[.contentLength].flatMap { Int($0) }
        hasBody = (length ?? 0) > 0 || fields[.transferEncoding] != nil
        isAwaited = fields[.expect]?.lowercased() == "100-continue"
        switch fields[.contentEncoding]?.lowercased() {
        case nil, "", "identity": isGzip = false
        case "gzip", "x-gzip": isGzip = true
        default:
            throw Problem(
                .mediaTypeUnsupported, "Bodies are compressed with gzip or not at all.",
                headers: [.acceptEncoding: "gzip, identity"])
        }
    }

    /// `application/json` or any `+json`, or the form's own type, in UTF-8; or one of a file's.
    static func require(_ media: BodyRule.Media, _ fields: HTTPFields) throws(Problem) {
        if let announced = fields[.contentType], media.types.contains(announced) { return }
        let parts = (fields[.contentType] ?? "").lowercased().split(separator: ";").map {
            $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
        }
        let type = parts.first ?? ""
        let isJSON =
            media == .json && type.hasPrefix("application/") && type.hasSuffix("+json")
        guard media.types.contains(type) || isJSON else {
            let types = media.types.joined(separator: ", ")
            throw Problem(
                .mediaTypeUnsupported, "The body's Content-Type is \(media.isFile ? "one of " : "")\(types).")
        }
        guard !media.isFile else { return }
        for parameter in parts.dropFirst()
        where parameter.hasPrefix("charset=") && parameter != "charset=utf-8" {
            throw Problem(.mediaTypeUnsupported, "The body's charset is UTF-8.")
        }
    }
}

extension BodyHeaders {
    /// The media type of a body, without its parameters and in lower case.
    static func mediaType(_ fields: HTTPFields) -> String {
        let type = (fields[.contentType] ?? "").lowercased().prefix { $0 != ";" }
        return String(type.filter { $0 != " " && $0 != "\t" })
    }
}

/// Reads `Accept-Encoding`.
enum AcceptEncoding {
    /// Whether the client takes gzip: named without `q=0`, or covered by `*`.
    static func takesGzip(_ header: String?) -> Bool {
        guard let header, !header.isEmpty else { return false }
        var star = false
        for entry in header.lowercased().split(separator: ",") {
            let parts = entry.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let isRefused = parts.dropFirst().contains {
                $0.hasPrefix("q=") && (Double($0.dropFirst(2)) ?? 0) <= 0
            }
            if parts.first == "gzip" { return !isRefused }
            if parts.first == "*" { star = !isRefused }
        }
        return star
    }
}
