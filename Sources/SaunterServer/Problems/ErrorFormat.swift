import HTTPTypes
import SaunterCore

/// How a route writes its errors: as problem documents (RFC 9457), or in the format of another system
/// if clients of that system call the route. The format never changes the status of a response.
package struct ErrorFormat: Sendable {
    /// The value of the `Content-Type` header of an error.
    package let contentType: String
    /// Every content type in which the route may send an error, with the schema of the body if it is JSON. The OpenAPI
    /// document lists them.
    package let published: [(contentType: String, schema: Schema?)]

    /// Further headers of an error, such as the content security policy of a page.
    package let headers: HTTPFields

    private let write: @Sendable (Problem, _ requestID: String, _ publicURL: String) -> [UInt8]
    private let choose: @Sendable (FormBody) -> ErrorFormat?
    private let adapt: @Sendable (HTTPFields) -> ErrorFormat?

    /// - Parameters:
    ///   - choose: the format that the fields of a form ask for; nil keeps this format.
    ///   - adapt: the format that the headers of a request ask for, such as a language; nil keeps this format.
    ///   - write: writes the body of an error.
    package init(
        contentType: String, published: [(contentType: String, schema: Schema?)], headers: HTTPFields = [:],
        choose: @escaping @Sendable (FormBody) -> ErrorFormat? = { _ in nil },
        adapt: @escaping @Sendable (HTTPFields) -> ErrorFormat? = { _ in nil },
        write: @escaping @Sendable (Problem, _ requestID: String, _ publicURL: String) -> [UInt8]
    ) {
        self.contentType = contentType
        self.published = published
        self.headers = headers
        self.choose = choose
        self.adapt = adapt
        self.write = write
    }

    /// The body of an error.
    func bytes(_ problem: Problem, requestID: String, publicURL: String) -> [UInt8] {
        write(problem, requestID, publicURL)
    }

    /// The format that the fields of a form ask for.
    func requested(by form: FormBody) -> ErrorFormat { choose(form) ?? self }

    /// The format that the headers of a request ask for.
    func requested(by headers: HTTPFields) -> ErrorFormat { adapt(headers) ?? self }

    /// Problem documents (RFC 9457).
    package static let problem = ErrorFormat(
        contentType: "application/problem+json",
        published: [(contentType: "application/problem+json", schema: Problem.schema)]
    ) { problem, requestID, publicURL in
        problem.document(requestID: requestID, publicURL: publicURL).bytes
    }
}
