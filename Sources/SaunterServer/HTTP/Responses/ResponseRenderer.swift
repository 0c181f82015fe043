import Compression
import HTTPTypes
import Hummingbird
import NIOCore
import SaunterCore

/// Converts replies and problems to HTTP responses. Adds the entity tag, the compression and the headers of every
/// response; handles HEAD.
struct ResponseRenderer {
    /// A body up to this size is sent at once. A larger one is sent in pieces of this size, and the next piece waits
    /// until the client has read most of the ones before it.
    private static let pieceBytes = 64 * 1024
    /// Smaller bodies are not compressed: the headers and the latency cost more than the saved bytes.
    private static let maximumUncompressedBytes = 1024

    private let method: HTTPRequest.Method
    private let ifNoneMatch: String?
    private let acceptsGzip: Bool
    private let requestID: String
    private let context: HTTPRequestContext
    private let settings: GatewaySettings
    private let shedder: LoadShedder
    /// See `Route.isDataRoute`. Shared caches must not store the response of such a route.
    var isDataRoute = false
    /// How the route writes its errors.
    var errorFormat = ErrorFormat.problem
    /// The account or address whose share of the limits the response uses.
    var client: ThrottleKey?

    /// - Parameter shedder: limits the bytes of large responses until the clients have read them.
    init(_ incoming: IncomingRequest, _ settings: GatewaySettings, _ shedder: LoadShedder) {
        method = incoming.method
        ifNoneMatch = incoming.headers[.ifNoneMatch]
        acceptsGzip = AcceptEncoding.acceptsGzip(incoming.headers[.acceptEncoding])
        requestID = incoming.id
        context = incoming.context
        self.settings = settings
        self.shedder = shedder
    }

    /// The response for an error.
    func render(_ problem: Problem) -> Response {
        let document = errorFormat.bytes(problem, requestID: requestID, publicURL: settings.publicURL)
        return response(
            problem.status, Self.headers(of: problem, errorFormat), .bytes(document), permit: nil)
    }

    /// The response for a request that did not reach the gateway. The connection is closed after it.
    static func response(
        withoutRequest problem: Problem, publicURL: String
    ) -> (head: HTTPResponse, body: [UInt8]) {
        let id = RequestID.make(nil)
        let document = ErrorFormat.problem.bytes(problem, requestID: id, publicURL: publicURL)
        var headers = headers(of: problem, .problem)
        addCommonHeaders(to: &headers, requestID: id, publicURL: publicURL)
        headers[.contentLength] = String(document.count)
        headers[.connection] = "close"
        return (HTTPResponse(status: problem.status, headerFields: headers), document)
    }

    private static func headers(of problem: Problem, _ format: ErrorFormat) -> HTTPFields {
        var headers = problem.headers
        headers[.contentType] = format.contentType
        headers[.cacheControl] = "no-store"
        for field in format.headers { headers[field.name] = field.value }
        if let seconds = problem.retryAfter { headers[.retryAfter] = String(seconds) }
        return headers
    }

    /// The response for a success.
    /// - Throws: `busy` if the body is large and clients still have to read too many bytes of other responses.
    func render(_ reply: Reply) throws(Problem) -> Response {
        var headers = reply.headers
        if headers[.cacheControl] == nil {
            headers[.cacheControl] =
                reply.entityTag == nil ? "no-store" : isDataRoute ? "private, no-cache" : "no-cache"
        }
        if let tag = reply.entityTag {
            headers[.eTag] = tag.description
            if [.get, .head].contains(method), let ifNoneMatch, tag.isListed(in: ifNoneMatch) {
                headers[.contentType] = nil
                return response(.notModified, headers, .none, permit: nil)
            }
        }
        let body: Reply.Body =
            switch reply.body {
            case .json(let value): .bytes(value.bytes)
            case .jsonText(let text): .bytes(text)
            case .none, .bytes, .stream: reply.body
            }
        return response(reply.status, headers, body, permit: try permit(for: body))
    }

    /// The permit that a large body needs until the client has read it. Two kinds of responses need none:
    ///
    /// 1. Responses to other methods than GET, because what they report may already be stored.
    /// 2. Responses of health checks, documents and metrics. All responses with a document share its bytes, and the
    ///    operator needs the others under load.
    private func permit(for body: Reply.Body) throws(Problem) -> LoadShedder.Permit? {
        guard case .bytes(let bytes) = body, bytes.count > Self.pieceBytes, isDataRoute, method == .get
        else { return nil }
        return try shedder.acquire(bytes: bytes.count, for: client)
    }

    /// Adds the headers of every response.
    private static func addCommonHeaders(
        to headers: inout HTTPFields, requestID: String, publicURL: String
    ) {
        headers[.requestID] = requestID
        headers[.server] = "Saunter"
        headers[.xContentTypeOptions] = "nosniff"
        headers[.referrerPolicy] = "no-referrer"
        headers[.crossOriginResourcePolicy] = "same-origin"
        if headers[.contentSecurityPolicy] == nil {
            headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        }
        if publicURL.hasPrefix("https://") {
            headers[.strictTransportSecurity] = "max-age=31536000; includeSubDomains"
        }
    }

    private func response(
        _ status: HTTPResponse.Status, _ headers: HTTPFields, _ body: Reply.Body, permit: LoadShedder.Permit?
    ) -> Response {
        var headers = headers
        Self.addCommonHeaders(to: &headers, requestID: requestID, publicURL: settings.publicURL)
        let content = content(body, &headers, permit)
        guard method == .head else { return Response(status: status, headers: headers, body: content) }
        if let length = content.contentLength { headers[.contentLength] = String(length) }
        return Response(status: status, headers: headers)
    }

    /// The body, compressed if that is useful and the client accepts gzip. Adds the headers that describe the
    /// compression.
    private func content(
        _ body: Reply.Body, _ headers: inout HTTPFields, _ permit: LoadShedder.Permit?
    ) -> ResponseBody {
        switch body {
        case .none: return ResponseBody()
        case .json(let value): return content(.bytes(value.bytes), &headers, permit)
        case .jsonText(let bytes), .bytes(let bytes):
            guard Self.isCompressible(headers[.contentType]), bytes.count > Self.maximumUncompressedBytes
            else {
                return content(bytes, permit)
            }
            headers[.vary] = [headers[.vary], "Accept-Encoding"].compactMap(\.self).joined(separator: ", ")
            guard acceptsGzip, let compressed = try? Compressor.compress(bytes, .gzip) else {
                return content(bytes, permit)
            }
            headers[.contentEncoding] = "gzip"
            if let tag = headers[.eTag] { headers[.eTag] = tag.dropLast() + EntityTag.gzipSuffix + "\"" }
            return content(compressed, permit)
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

    /// A body that is all in memory. The permit is released when the connection has taken all of it.
    private func content(_ bytes: [UInt8], _ permit: LoadShedder.Permit?) -> ResponseBody {
        guard bytes.count > Self.pieceBytes else { return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)) }
        return ResponseBody(contentLength: bytes.count) { [context] sink in
            defer { withExtendedLifetime(permit) {} }
            var writer = BodyWriter(sink) { try await context.waitForEventLoop() }
            for start in stride(from: 0, to: bytes.count, by: Self.pieceBytes) {
                let end = min(start + Self.pieceBytes, bytes.count)
                try await writer.write(ByteBuffer(bytes: bytes[start..<end]))
            }
            try await writer.finish()
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
