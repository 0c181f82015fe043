import HTTPTypes
import SaunterCore

/// The response that a handler returns. For an error in problem form it throws a `Problem` instead. A reply has an
/// error status only in two cases: a page that shows an error or the faults of a form (4xx), and the readiness check of
/// a server that is not ready (503).
package struct Reply: Sendable {
    /// Writes a body piece by piece. If it throws, the connection is closed, so that the client notices that the body
    /// is incomplete.
    package typealias Writer = @Sendable (inout BodyWriter) async throws -> Void

    enum Body: Sendable {
        case none
        case json(JSON)
        /// A JSON value as text.
        case jsonText([UInt8])
        case bytes([UInt8])
        case stream(length: Int?, Writer)
    }

    /// The HTTP status.
    package let status: HTTPResponse.Status
    /// The headers that the handler sets. The gateway adds those of every response.
    package var headers: HTTPFields
    let body: Body
    /// If set, GET and HEAD return 304 to an `If-None-Match` with this tag.
    package let entityTag: EntityTag?

    /// A JSON body.
    package static func json(
        _ status: HTTPResponse.Status = .ok, _ value: JSON, headers: HTTPFields = [:],
        entityTag: EntityTag? = nil
    ) -> Reply {
        var headers = headers
        headers[.contentType] = "application/json"
        return Reply(status: status, headers: headers, body: .json(value), entityTag: entityTag)
    }

    /// A JSON body whose text the handler has written.
    static func jsonText(_ text: [UInt8], entityTag: EntityTag? = nil) -> Reply {
        Reply(
            status: .ok, headers: [.contentType: "application/json"], body: .jsonText(text),
            entityTag: entityTag)
    }

    /// JSON with its own content type.
    package static func document(
        _ value: JSON, contentType: String, headers: HTTPFields = [:], entityTag: EntityTag? = nil
    ) -> Reply {
        var headers = headers
        headers[.contentType] = contentType
        return Reply(status: .ok, headers: headers, body: .json(value), entityTag: entityTag)
    }

    /// No body.
    package static func empty(_ status: HTTPResponse.Status = .noContent, headers: HTTPFields = [:]) -> Reply
    {
        Reply(status: status, headers: headers, body: .none, entityTag: nil)
    }

    /// 204.
    package static let noContent = Reply.empty()

    /// A text, or other bytes that are all in memory.
    package static func bytes(
        _ bytes: [UInt8], status: HTTPResponse.Status = .ok, contentType: String,
        headers: HTTPFields = [:], entityTag: EntityTag? = nil
    ) -> Reply {
        var headers = headers
        headers[.contentType] = contentType
        return Reply(status: status, headers: headers, body: .bytes(bytes), entityTag: entityTag)
    }

    /// A body that is written while it is sent.
    /// - Parameter length: the exact number of bytes, if it is known; it lets clients show the progress.
    package static func stream(
        contentType: String, length: Int? = nil, headers: HTTPFields = [:], entityTag: EntityTag? = nil,
        _ write: @escaping Writer
    ) -> Reply {
        var headers = headers
        headers[.contentType] = contentType
        return Reply(
            status: .ok, headers: headers, body: .stream(length: length, write), entityTag: entityTag)
    }
}
