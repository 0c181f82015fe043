import Compression
import HTTPTypes
import Hummingbird
import NIOCore
import SaunterCore

/// Converts replies and problems to HTTP responses. Adds the entity tag, the compression and the headers of every
/// response; handles HEAD.
struct ResponseRenderer {
    /// Smaller bodies are not compressed: the headers and the latency cost more than the saved bytes.
    private static let maximumUncompressedBytes = 1024

    private let method: HTTPRequest.Method
    private let ifNoneMatch: String?
    private let acceptsGzip: Bool
    private let requestID: String
    private let context: HTTPRequestContext
    private let settings: GatewaySettings
    /// See `Route.isAPI`: shared caches must not store the response.
    var isAPI = false
    /// How the route writes its errors.
    var errorFormat = ErrorFormat.problem

    init(_ incoming: IncomingRequest, _ settings: GatewaySettings) {
        method = incoming.method
        ifNoneMatch = incoming.headers[.ifNoneMatch]
        acceptsGzip = AcceptEncoding.acceptsGzip(incoming.headers[.acceptEncoding])
        requestID = incoming.id
        context = incoming.context
        self.settings = settings
    }

    /// The response for an error.
    func render(_ problem: Problem) -> Response {
        var headers = problem.headers
        headers[.contentType] = errorFormat.contentType
        headers[.cacheControl] = "no-store"
        if let seconds = problem.retryAfter { headers[.retryAfter] = String(seconds) }
        let document = errorFormat.bytes(problem, requestID: requestID, publicURL: settings.publicURL)
        return response(HTTPResponse.Status(code: problem.type.status), headers, .bytes(document))
    }

    /// The response for a success.
    func render(_ reply: Reply) -> Response {
        var headers = reply.headers
        if headers[.cacheControl] == nil {
            headers[.cacheControl] =
                reply.entityTag == nil ? "no-store" : isAPI ? "private, no-cache" : "no-cache"
        }
        if let tag = reply.entityTag {
            headers[.eTag] = tag.description
            if [.get, .head].contains(method), let ifNoneMatch, tag.isListed(in: ifNoneMatch) {
                headers[.contentType] = nil
                return response(.notModified, headers, .none)
            }
        }
        if case .json(let value) = reply.body { return response(reply.status, headers, .bytes(value.bytes)) }
        return response(reply.status, headers, reply.body)
    }

    private func response(_ status: HTTPResponse.Status, _ headers: HTTPFields, _ body: Reply.Body)
        -> Response
    {
        var headers = headers
        headers[.requestID] = requestID
        headers[.server] = "Saunter"
        headers[.xContentTypeOptions] = "nosniff"
        headers[.referrerPolicy] = "no-referrer"
        headers[.crossOriginResourcePolicy] = "same-origin"
        if headers[.contentSecurityPolicy] == nil {
            headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        }
        if settings.publicURL.hasPrefix("https://") {
            headers[.strictTransportSecurity] = "max-age=31536000; includeSubDomains"
        }
        let content = content(body, &headers)
        guard method == .head else { return Response(status: status, headers: headers, body: content) }
        if let length = content.contentLength { headers[.contentLength] = String(length) }
        return Response(status: status, headers: headers)
    }

    /// The body, compressed if that is useful and the client accepts gzip. Adds the headers that describe the
    /// compression.
    private func content(_ body: Reply.Body, _ headers: inout HTTPFields) -> ResponseBody {
        switch body {
        case .none: return ResponseBody()
        case .json(let value): return content(.bytes(value.bytes), &headers)
        case .bytes(let bytes):
            guard Self.isCompressible(headers[.contentType]), bytes.count > Self.maximumUncompressedBytes
            else {
                return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            }
            headers[.vary] = [headers[.vary], "Accept-Encoding"].compactMap(\.self).joined(separator: ", ")
            guard acceptsGzip, let compressed = try? Compressor.compress(bytes, .gzip) else {
                return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            }
            headers[.contentEncoding] = "gzip"
            if let tag = headers[.eTag] { headers[.eTag] = tag.dropLast() + EntityTag.gzipSuffix + "\"" }
            return ResponseBody(byteBuffer: ByteBuffer(bytes: compressed))
        case .stream(let length, let write):
            let isLines = headers[.contentType] == MediaType.lines
            if isLines { headers[.vary] = "Accept-Encoding" }
            let compresses = isLines && acceptsGzip
            if compresses { headers[.contentEncoding] = "gzip" }
            return ResponseBody(contentLength: length) { [context] sink in
                let compressor = try compresses ? Compressor(.gzip) : nil
                var writer = BodyWriter(sink, compressor: compressor) {
                    try await context.waitForEventLoop()
                }
                try await write(&writer)
                try await writer.finish()
            }
        }
    }

    /// Whether a body of this type is compressed: text, JSON and XML. Zip files are already compressed, and events must
    /// be sent at once.
    private static func isCompressible(_ contentType: String?) -> Bool {
        guard let type = contentType?.prefix(while: { $0 != ";" }) else { return false }
        return type.hasPrefix("text/") && type != "text/event-stream" || type.hasSuffix("json")
            || type.hasSuffix("+xml")
    }
}

/// The header `Accept-Encoding`.
enum AcceptEncoding {
    /// Whether the client accepts gzip: the header contains `gzip` or `*`, not with `q=0`.
    static func acceptsGzip(_ header: String?) -> Bool {
        guard let header, !header.isEmpty else { return false }
        var acceptsAny = false
        for entry in header.lowercased().split(separator: ",") {
            let parts = entry.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let isExcluded = parts.dropFirst().contains {
                $0.hasPrefix("q=") && (Double($0.dropFirst(2)) ?? 0) <= 0
            }
            if parts.first == "gzip" { return !isExcluded }
            if parts.first == "*" { acceptsAny = !isExcluded }
        }
        return acceptsAny
    }
}
