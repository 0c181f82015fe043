import HTTPTypes
import SaunterCore

/// One way in which a request goes well: a status, and what comes with it.
package struct Outcome: Sendable {
    package let status: HTTPResponse.Status
    package let description: String
    /// Nil where there is no body.
    package let contentType: String?
    /// Of a JSON body.
    package let schema: Schema?
    package let example: JSON?
    /// Headers worth naming, with what they hold.
    package let headers: [(name: String, description: String)]

    /// A JSON body.
    package static func json(
        _ status: HTTPResponse.Status = .ok, _ description: String, _ schema: Schema, example: JSON? = nil,
        headers: [(name: String, description: String)] = []
    ) -> Outcome {
        Outcome(
            status: status, description: description, contentType: "application/json", schema: schema,
            example: example, headers: headers)
    }

    /// JSON under a content type of its own.
    package static func document(
        _ status: HTTPResponse.Status = .ok, _ description: String, _ schema: Schema, contentType: String
    ) -> Outcome {
        Outcome(
            status: status, description: description, contentType: contentType, schema: schema, example: nil,
            headers: [])
    }

    /// No body: 202, 204 and redirections.
    package static func empty(
        _ status: HTTPResponse.Status = .noContent, _ description: String,
        headers: [(name: String, description: String)] = []
    ) -> Outcome {
        Outcome(
            status: status, description: description, contentType: nil, schema: nil, example: nil,
            headers: headers)
    }

    /// A body that is not JSON: a page, a zip, a stream of events.
    package static func file(
        _ status: HTTPResponse.Status = .ok, _ description: String, contentType: String,
        headers: [(name: String, description: String)] = []
    ) -> Outcome {
        Outcome(
            status: status, description: description, contentType: contentType, schema: nil, example: nil,
            headers: headers)
    }
}
