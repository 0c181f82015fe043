import HTTPTypes
import NIOCore
import SaunterCore

/// What a handler answers when it goes well; everything else is a thrown `Problem`.
package struct Reply: Sendable {
    /// Writes a body piece by piece. Throwing cuts the connection, so that a client sees that the body is not whole.
    package typealias Writer = @Sendable (inout BodyWriter) async throws -> Void

    enum Body: Sendable {
        case none
        case json(JSON)
        case bytes([UInt8])
        case stream(length: Int?, Writer)
    }

    package let status: HTTPResponse.Status
    package var headers: HTTPFields
    let body: Body
    package let entityTag: EntityTag?

    /// A JSON body. With an entity tag, GET and HEAD answer 304 to a matching `If-None-Match`.
    package static func json(
        _ status: HTTPResponse.Status = .ok, _ value: JSON, headers: HTTPFields = [:],
        entityTag: EntityTag? = nil
    ) -> Reply {
        var headers = headers
        headers[.contentType] = "application/json"
        return Reply(status: status, headers: headers, body: .json(value), entityTag: entityTag)
    }

    /// JSON under a content type of its own.
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

    /// A text or other finished bytes.
    package static func bytes(
        _ bytes: [UInt8], contentType: String, headers: HTTPFields = [:], entityTag: EntityTag? = nil
    ) -> Reply {
        var headers = headers
        headers[.contentType] = contentType
        return Reply(status: .ok, headers: headers, body: .bytes(bytes), entityTag: entityTag)
    }

    /// A body that is made while it is sent. `length`, where known, lets the client see how far it is; it must then be exact.
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
