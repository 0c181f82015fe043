import Foundation
import HTTPTypes
import Hummingbird
import Logging
import SaunterCore

/// A request before its body is read.
struct IncomingRequest: Sendable {
    let request: Request
    let context: HTTPRequestContext
    let id: String
    let now: Instant
    let logger: Logger
    /// The path and query as the client sent them.
    let target: String
    let path: Substring
    let query: Substring?

    init(_ request: Request, _ context: HTTPRequestContext, now: Instant) {
        self.request = request
        self.context = context
        self.now = now
        id = RequestID.make(request.headers[.requestID])
        var logger = context.logger
        logger[metadataKey: "hb.request.id"] = nil
        logger[metadataKey: "request_id"] = "\(id)"
        self.logger = logger
        let target = request.head.path ?? "/"
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        self.target = target
        path = target[..<(mark ?? target.endIndex)]
        query = mark.map { target[target.utf8.index(after: $0)...] }
    }

    var method: HTTPRequest.Method { request.method }
    var headers: HTTPFields { request.headers }
    /// Whether a page sent the request by itself: to show new data, or to learn of changes.
    var isRefresh: Bool {
        headers[.refresh] != nil || headers[.accept] == "text/event-stream"
    }

    /// Rejects a request without the header `Host` or with several (RFC 9112 section 3.2). The first one is the
    /// authority; any others stay in the headers. HTTP/1.0, which health checks of load balancers use, has no `Host`.
    func requireHost() throws(Problem) {
        let count = (request.head.authority == nil ? 0 : 1) + headers[values: HTTPField.Name.host].count
        guard count != 1 else { return }
        let fault =
            count == 0
            ? Fault(pointer: "/Host", code: "required", detail: "The header is missing.")
            : Fault(pointer: "/Host", code: "given_twice", detail: "The header may be given only once.")
        throw Problem(.requestInvalid, Faults([fault]))
    }

    var mayHaveBody: Bool {
        headers[.transferEncoding] != nil || headers[.contentLength].map { $0 != "0" } ?? false
    }

    /// The token of `Authorization: Bearer …`; nil for any other scheme, and if there are several such headers.
    var bearerToken: String? { credential("bearer ").map { String($0) } }

    /// The password of `Authorization: Basic …` (RFC 7617), with any user name. Spreadsheet programs send API tokens in
    /// this way.
    var basicPassword: String? {
        guard let encoded = credential("basic "), let data = Data(base64Encoded: String(encoded)),
            let text = String(data: data, encoding: .utf8), let colon = text.firstIndex(of: ":")
        else { return nil }
        return String(text[text.index(after: colon)...])
    }

    /// The part of `Authorization` after the scheme.
    /// - Parameter scheme: in lower case, with a space at its end.
    private func credential(_ scheme: String) -> Substring? {
        let fields = headers[values: .authorization]
        guard fields.count == 1 else { return nil }
        let (bytes, scheme) = (fields[0].utf8, scheme.utf8)
        guard (1...4096).contains(bytes.count - scheme.count),
            zip(bytes, scheme).allSatisfy({ $0 | 0x20 == $1 && ($0 == 0x20) == ($1 == 0x20) })
        else { return nil }
        let credential = bytes.dropFirst(scheme.count)
        return credential.contains(UInt8(ascii: " ")) ? nil : Substring(credential)
    }
}

/// The state of a request body.
final class BodyState {
    /// Whether a part of the body may not have been read yet.
    var isOutstanding: Bool
    /// Whether reading has started. Until it is complete, the rest of the body cannot be discarded, and the connection
    /// cannot be used again.
    var hasReadingStarted = false

    init(isOutstanding: Bool) {
        self.isOutstanding = isOutstanding
    }
}
