import HTTPTypes
import SaunterCore
import SaunterServer

/// What the handlers of all pages use.
struct PageContext: Sendable {
    let server: ServerContext
    /// The pages are clients of the API.
    let api: LocalAPI
    let renderer: PageRenderer

    /// A page that is read.
    /// - Parameters:
    ///   - path: with parameters in braces. An `id` is an enrolment of the visitor.
    ///   - query: the names of query parameters, each a short text.
    func get(
        _ path: String, query: [String] = [],
        handler: @escaping @Sendable (PageRequest) async throws -> Reply
    ) -> Route {
        // Visitors choose a language with `lang`.
        route(.get, path, query: query + ["lang"], body: nil, handler)
    }

    /// A form that is sent.
    /// - Parameters:
    ///   - limit: the largest number of bytes of the form.
    ///   - maximumLength: the largest number of characters of a field.
    func post(
        _ path: String, query: [String] = [], limit: Int = BodyRule.defaultLimit,
        maximumLength: Int = 100_000,
        handler: @escaping @Sendable (PageRequest) async throws -> Reply
    ) -> Route {
        let form = BodyRule.form(
            .object([], additional: .string(maxLength: maximumLength)), limit: limit, example: [:],
            isRequired: false)
        return route(.post, path, query: query, body: form, handler)
    }

    /// A form that is sent with a file (`multipart/form-data`). The handler gets the bytes as `rawBody`.
    func upload(
        _ path: String, limit: Int, handler: @escaping @Sendable (PageRequest) async throws -> Reply
    ) -> Route {
        route(.post, path, query: [], body: .file(["multipart/form-data"], limit: limit), handler)
    }

    private func route(
        _ method: HTTPRequest.Method, _ path: String, query: [String], body: BodyRule?,
        _ handler: @escaping @Sendable (PageRequest) async throws -> Reply
    ) -> Route {
        let names = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
        return Route(
            method, path, who: .visitor, tag: "Pages", summary: "A page of the web app",
            parameters: names.map { .text(String($0), "A part of the address.", example: "x") },
            query: query.map { QueryParameter($0, .string(maxLength: 2000), "A filter of the page.") },
            body: body, outcomes: [.file(.ok, "The page.", contentType: PageRenderer.contentType)],
            errors: renderer.errorFormat()
        ) { call in
            let request = PageRequest(call, words: renderer.words, context: self)
            do {
                return renderer.renewing(try await handler(request), of: request)
            } catch {
                return try await renderer.reply(to: error, of: request)
            }
        }
    }
}
