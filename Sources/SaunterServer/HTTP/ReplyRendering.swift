import HTTPTypes
import Hummingbird
import NIOCore
import SaunterCore

/// Turns replies and problems into responses: entity tags, compression, HEAD, and the headers that every response carries.
struct ReplyRendering {
    private let method: HTTPRequest.Method
    private let ifNoneMatch: String?
    private let takesGzip: Bool
    private let requestID: String
    private let scope: RequestScope
    private let settings: GatewaySettings
    /// Of participants' data, which no cache may keep.
    var isAPI = false
    /// In whose words the route refuses.
    var refusalShape = RefusalShape.problem

    init(_ incoming: IncomingRequest, _ settings: GatewaySettings) {
        method = incoming.method
        ifNoneMatch = incoming.headers[.ifNoneMatch]
        takesGzip = AcceptEncoding.takesGzip(incoming.headers[.acceptEncoding])
        requestID = incoming.id
        scope = incoming.context
        self.settings = settings
    }

    func render(_ problem: Problem) -> Response {
        var headers = problem.headers
        headers[.contentType] = refusalShape.contentType
        headers[.cacheControl] = "no-store"
        if let seconds = problem.retryAfter { headers[.retryAfter] = String(seconds) }
        let document = refusalShape.bytes(problem, requestID: requestID, publicURL: settings.publicURL)
        return response(HTTPResponse.Status(code: problem.type.status), headers, .bytes(document))
    }

    func render(_ reply: Reply) -> Response {
        var headers = reply.headers
        if headers[.cacheControl] == nil {
            headers[.cacheControl] =
                reply.entityTag == nil ? "no-store" : isAPI ? "private, no-cache" : "no-cache"
        }
        if let tag = reply.entityTag {
            headers[.eTag] = tag.description
            if [.get, .head].contains(method), let ifNoneMatch, tag.isNamed(in: ifNoneMatch) {
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
        let content = compressed(body, &headers)
        guard method == .head else { return Response(status: status, headers: headers, body: content) }
        if let length = content.contentLength { headers[.contentLength] = String(length) }
        return Response(status: status, headers: headers)
    }

    private func compressed(_ body: Reply.Body, _ headers: inout HTTPFields) -> ResponseBody {
        switch body {
        case .none: return ResponseBody()
        case .json(let value): return compressed(.bytes(value.bytes), &headers)
        case .bytes(let bytes):
            guard Self.isCompressible(headers[.contentType]), bytes.count > Deflation.least else {
                return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            }
            headers[.vary] = [headers[.vary], "Accept-Encoding"].compactMap(\.self).joined(separator: ", ")
            guard takesGzip, let small = Deflation.gzip(bytes) else {
                return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            }
            headers[.contentEncoding] = "gzip"
            if let tag = headers[.eTag] { headers[.eTag] = tag.dropLast() + EntityTag.gzipSuffix + "\"" }
            return ResponseBody(byteBuffer: ByteBuffer(bytes: small))
        case .stream(let length, let write):
            let isLines = headers[.contentType] == MediaType.lines
            if isLines { headers[.vary] = "Accept-Encoding" }
            let compresses = isLines && takesGzip
            if compresses { headers[.contentEncoding] = "gzip" }
            return ResponseBody(contentLength: length) { [scope] sink in
                var writer = BodyWriter(sink, deflation: compresses ? Deflation() : nil) {
                    try await scope.takeIn()
                }
                try await write(&writer)
                try await writer.finish()
            }
        }
    }

    /// Texts; zips are compressed already, and events must leave at once.
    private static func isCompressible(_ contentType: String?) -> Bool {
        guard let type = contentType?.prefix(while: { $0 != ";" }) else { return false }
        return type.hasPrefix("text/") && type != "text/event-stream" || type.hasSuffix("json")
            || type.hasSuffix("+xml")
    }
}
