import HTTPTypes
import SaunterCore
import SaunterServer

/// A request for a page: the visitor, the language and the values of the form.
struct PageRequest: Sendable {
    let call: Call<Visitor>
    /// The words of the visitor's language.
    var words: Words.Language
    private let context: PageContext
    private let allWords: Words
    /// The language that the address names; nil if it names none that there are words for.
    let chosenLanguage: String?

    init(_ call: Call<Visitor>, words: Words, context: PageContext) {
        self.call = call
        self.context = context
        allWords = words
        chosenLanguage = call.query("lang").flatMap { words.languages.map(\.code).contains($0) ? $0 : nil }
        self.words = words.language(
            accepting: chosenLanguage ?? VisitorLanguage.chosen(in: call.headers)
                ?? call.headers[.acceptLanguage])
    }

    /// The login; nil without a session.
    var identity: Identity? { call.caller.identity }

    /// The path of the page, percent-encoded, with its query.
    var target: String { call.target }

    /// Uses the words of a language, for example that of the enrolment.
    mutating func speak(_ language: String) { words = allWords.language(accepting: language) }

    /// "There were too many attempts", with the time to wait.
    func tooManyText(_ problem: Problem) -> String {
        let minutes = problem.minutesToWait
        return words.text(
            "account", minutes == 1 ? "too_many_soon" : "too_many", ["minutes": String(minutes)])
    }

    /// A value of the form; empty if it is absent.
    func field(_ name: String) -> String { call.body[name]?.string ?? "" }

    /// A part of the address.
    func path(_ name: String) throws -> String { try call.text(name) }

    /// Requires a session.
    /// - Throws: `LoginNeeded`, which leads to the page for logging in.
    func requireIdentity() throws -> Identity {
        guard let identity else { throw LoginNeeded() }
        return identity
    }

    /// Reads a resource of the API for the visitor. The texts are in the language of the page.
    func get(_ path: String, query: String? = nil) async throws -> JSON {
        try await send(.get, path, query: query).json
    }

    /// Reads all elements of a list of the API, page by page.
    func list(_ path: String, query: String) async throws -> [JSON] {
        var items: [JSON] = []
        var next: String? = query
        while let current = next {
            let page = try await get(path, query: current)
            items += page["items"]?.array ?? []
            next = page["next"]?.string.map { "\(query)&cursor=\(PageAddress.encode($0))" }
        }
        return items
    }

    /// Calls a route of the API for the visitor.
    @discardableResult
    func send(
        _ method: HTTPRequest.Method, _ path: String, query: String? = nil, _ body: JSON? = nil,
        file: [UInt8]? = nil, headers: HTTPFields = [:]
    ) async throws -> LocalReply {
        var headers = headers
        headers[.acceptLanguage] = headers[.acceptLanguage] ?? words.code
        return try await context.api.send(
            method, path, query: query, body: body, file: file, headers: headers, as: identity, for: call)
    }
}

/// The page needs a session and the visitor has none.
struct LoginNeeded: Error {}
