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
        target = request.head.path ?? "/"
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts[0]
        query = parts.count == 2 ? parts[1] : nil
    }

    var method: HTTPRequest.Method { request.method }
    var headers: HTTPFields { request.headers }

    var mayHaveBody: Bool {
        headers[.transferEncoding] != nil || headers[.contentLength].map { $0 != "0" } ?? false
    }

    /// The token of `Authorization: Bearer …`; nil for any other scheme, and for more than one such header.
    var bearerToken: String? { credential("bearer") }

    /// The password of `Authorization: Basic …` (RFC 7617), whatever the user's name: what spreadsheets can send.
    var basicPassword: String? {
        guard let encoded = credential("basic"), let data = Data(base64Encoded: encoded),
            let text = String(data: data, encoding: .utf8), let colon = text.firstIndex(of: ":")
        else { return nil }
        return String(text[text.index(after: colon)...])
    }

    private func credential(_ scheme: String) -> String? {
        guard headers[values: .authorization].count == 1, let header = headers[.authorization] else {
            return nil
        }
        let parts = header.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == scheme, (1...4096).contains(parts[1].utf8.count)
        else {
            return nil
        }
        return String(parts[1])
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
