import HTTPTypes
import SaunterCore

/// A documented response of a route that is not a problem: the status, and the body and headers that are sent with it.
package struct Outcome: Sendable {
    /// The HTTP status: 2xx or 3xx, or 503 if the server is not ready.
    package let status: HTTPResponse.Status
    /// One sentence for the published contract.
    package let description: String
    /// Nil if there is no body.
    package let contentType: String?
    /// The schema of a JSON body.
    package let schema: Schema?
    /// An example of the body: a text if the body is not JSON. Without it, a JSON body gets an example by its schema.
    private let ownExample: JSON?
    /// Headers that clients need to know, with their meaning.
    package let headers: [(name: String, description: String)]

    /// An example of the body; nil if there is no body, or if it is binary.
    package var example: JSON? { ownExample ?? schema?.example(ExampleValues.all) }

    /// A JSON body.
    package static func json(
        _ status: HTTPResponse.Status = .ok, _ description: String, _ schema: Schema, example: JSON? = nil,
        headers: [(name: String, description: String)] = []
    ) -> Outcome {
        Outcome(
            status: status, description: description, contentType: "application/json", schema: schema,
            ownExample: example, headers: headers)
    }

    /// JSON with its own content type.
    package static func document(
        _ status: HTTPResponse.Status = .ok, _ description: String, _ schema: Schema, contentType: String,
        example: JSON? = nil
    ) -> Outcome {
        Outcome(
            status: status, description: description, contentType: contentType, schema: schema,
            ownExample: example, headers: [])
    }

    /// No body: 202, 204 and redirections.
    package static func empty(
        _ status: HTTPResponse.Status = .noContent, _ description: String,
        headers: [(name: String, description: String)] = []
    ) -> Outcome {
        Outcome(
            status: status, description: description, contentType: nil, schema: nil, ownExample: nil,
            headers: headers)
    }

    /// A body that is not JSON: a page, a zip file, lines of JSON.
    /// - Parameter example: the beginning of a body; nil if the body is binary.
    package static func file(
        _ status: HTTPResponse.Status = .ok, _ description: String, contentType: String,
        example: String? = nil, headers: [(name: String, description: String)] = []
    ) -> Outcome {
        Outcome(
            status: status, description: description, contentType: contentType, schema: nil,
            ownExample: example.map(JSON.string),
            headers: headers)
    }

    /// The header of a response that has an entity tag. For a GET route the published contract then contains
    /// `If-None-Match` and 304, too.
    static let entityTag = (
        name: "ETag",
        description:
            "Identifies this state. Send it in If-None-Match to get 304 while the state is unchanged."
    )
}
