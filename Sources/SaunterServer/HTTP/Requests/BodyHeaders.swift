import HTTPTypes

/// Media types that several routes use.
enum MediaType {
    /// JSON values, one per line.
    static let lines = "application/x-ndjson"
}

/// The headers of a request that describe its body.
struct BodyHeaders {
    let isGzip: Bool
    /// `Content-Length`; nil for a chunked body.
    let length: Int?
    let hasBody: Bool
    /// Whether the client waits for `100 Continue` before it sends the body.
    let expectsContinue: Bool

    /// Does not check the media type; see `require`.
    /// - Throws: `media-type-unsupported` for a content coding other than gzip.
    init(_ fields: HTTPFields) throws(Problem) {
        length = fields[.contentLength].flatMap { Int($0) }
        hasBody = (length ?? 0) > 0 || fields[.transferEncoding] != nil
        expectsContinue = fields[.expect]?.lowercased() == "100-continue"
        switch fields[.contentEncoding]?.lowercased() {
        case nil, "", "identity": isGzip = false
        case "gzip", "x-gzip": isGzip = true
        default:
            throw Problem(
                .mediaTypeUnsupported, "The only supported Content-Encoding is gzip.",
                headers: [.acceptEncoding: "gzip, identity"])
        }
    }

    /// Checks the media type of a body: `application/json` or any `+json`, the type of a form, or one of the types of a
    /// file. JSON and forms must be UTF-8.
    /// - Throws: `media-type-unsupported`.
    static func require(_ media: BodyRule.Media, _ fields: HTTPFields) throws(Problem) {
        if let exact = fields[.contentType], media.types.contains(exact) { return }
        let parts = (fields[.contentType] ?? "").lowercased().split(separator: ";").map {
            $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
        }
        let type = parts.first ?? ""
        let isJSON =
            media == .json && type.hasPrefix("application/") && type.hasSuffix("+json")
        guard media.types.contains(type) || isJSON else {
            let types = media.types.joined(separator: ", ")
            throw Problem(
                .mediaTypeUnsupported,
                "The Content-Type must be \(media.types.count > 1 ? "one of " : "")\(types).")
        }
        guard !media.isFile else { return }
        for parameter in parts.dropFirst()
        where parameter.hasPrefix("charset=") && parameter != "charset=utf-8" {
            throw Problem(.mediaTypeUnsupported, "The charset of the body must be UTF-8.")
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
