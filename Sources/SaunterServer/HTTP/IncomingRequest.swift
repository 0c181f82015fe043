import Foundation
import HTTPTypes
import Hummingbird
import Logging
import SaunterCore

/// A request with what its head says.
struct IncomingRequest: Sendable {
    let request: Request
    let context: RequestScope
    let id: String
    let now: Instant
    let logger: Logger
    /// Path and query as they came.
    let target: String
    let path: Substring
    let query: Substring?

    init(_ request: Request, _ context: RequestScope, now: Instant) {
        self.request = request
        self.context = context
        self.now = now
        id = RequestName.of(request.headers[.requestID])
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

    var mayHaveBody: Bool {
        headers[.transferEncoding] != nil || headers[.contentLength].map { $0 != "0" } ?? false
    }

    /// The token of `Authorization: Bearer …`; nil for any other scheme, and for more than one such header.
    var bearerToken: String? { credential("bearer ").map { String($0) } }

    /// The password of `Authorization: Basic …` (RFC 7617), whatever the user's name: what spreadsheets can send.
    var basicPassword: String? {
        guard let encoded = credential("basic "), let data = Data(base64Encoded: String(encoded)),
            let text = String(data: data, encoding: .utf8), let colon = text.firstIndex(of: ":")
        else { return nil }
        return String(text[text.index(after: colon)...])
    }

    /// - Parameter scheme: in small letters, with its blank.
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

/// What has become of the body while a request is in work.
final class BodyState {
    /// Some of it may still be on its way.
    var isOutstanding: Bool
    /// Reading began and did not come to its end: the rest cannot be told from the next request.
    var isBroken = false

    init(isOutstanding: Bool) {
        self.isOutstanding = isOutstanding
    }
}
