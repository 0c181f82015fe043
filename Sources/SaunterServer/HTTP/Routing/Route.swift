import HTTPTypes
import SaunterCore

/// One route: its handler and its documentation. The OpenAPI document and the reference page are generated from the
/// same values that the gateway uses. So a route without documentation cannot exist.
package struct Route: Sendable {
    /// The HTTP method.
    package let method: HTTPRequest.Method
    /// With parameters in braces: `/v1/enrolments/{id}/walks/{walk_id}`.
    package let path: String
    /// Who may call the route.
    package let who: AccessKind
    /// The heading on the reference page.
    package let tag: String
    /// A few words without a full stop.
    package let summary: String
    /// Sentences; empty if the summary is enough. An empty line separates paragraphs, and back-ticks mark code.
    package let description: String
    /// In the order of the path.
    package let pathParameters: [PathParameter]
    /// The only query parameters that the route accepts.
    package let query: [QueryParameter]
    /// The rule for the body; nil if the route accepts none.
    package let body: BodyRule?
    /// The documented successes.
    package let outcomes: [Outcome]
    /// The problem types of this route alone. `possibleProblems` adds those that follow from its other properties (401,
    /// 413 …).
    package let problems: [ProblemType]
    /// How the route writes its errors.
    package let errorFormat: ErrorFormat
    /// Whether the work on a request is cancelled when the client closes the connection. For routes that keep a
    /// processor busy for seconds, and store nothing.
    package var stopsWithConnection = false

    /// Whether the route is a page of the web app. The published contract does not contain pages.
    package var isPage: Bool { who == .visitor }

    var run: @Sendable (Call<Anyone>, Identity?) async throws -> Reply

    /// `RouteTable` rejects a route if two query parameters have the same name, or if `parameters` are not
    /// the `{…}` of the path in the same order.
    package init<Caller>(
        _ method: HTTPRequest.Method, _ path: String, who: Access<Caller>, tag: String, summary: String,
        description: String = "", parameters: [PathParameter] = [], query: [QueryParameter] = [],
        body: BodyRule? = nil, outcomes: [Outcome], problems: [ProblemType] = [],
        errors errorFormat: ErrorFormat = .problem,
        handler: @escaping @Sendable (Call<Caller>) async throws -> Reply
    ) {
        self.method = method
        self.path = path
        self.who = who.kind
        self.tag = tag
        self.summary = summary
        self.description = description
        self.pathParameters = parameters
        self.query = query
        self.body = body
        self.outcomes = outcomes
        self.problems = problems
        self.errorFormat = errorFormat
        run = { call, identity in
            guard let caller = who.caller(identity) else { throw Problem(.tokenInvalid) }
            return try await handler(call.with(caller: caller))
        }
    }

    /// Whether the route serves data of accounts and studies: a route of the API or a page, unlike health checks and
    /// documents. Proxies must not cache its responses, and it is subject to load shedding.
    var isDataRoute: Bool { isPage || path.hasPrefix("/v1/") }

    /// Every problem type that this route can return, in the order of `ProblemType`.
    package var possibleProblems: [ProblemType] {
        var types = Set(problems)
        types.formUnion([.internalError, .requestInvalid, .headersTooLarge])
        if isDataRoute { types.formUnion([.busy, .databaseUnavailable, .tooManyRequests]) }
        if who != .anyone { types.insert(.tokenInvalid) }
        if who.needsGrants || who == .metrics { types.insert(.notPermitted) }
        if who.needsGrants { types.insert(.passwordRequired) }
        if !pathParameters.isEmpty { types.insert(.notFound) }
        if body != nil {
            types.formUnion([
                .bodyUnreadable, .bodyInvalid, .bodyTooLarge, .mediaTypeUnsupported, .requestTimeout,
                .storageFull,
            ])
        }
        return ProblemType.allCases.filter(types.contains)
    }

    /// `get_v1_enrolments_id_overview`: it changes only with the method or the path.
    package var operationID: String {
        let words = path.split(whereSeparator: { !$0.isLetter && !$0.isNumber })
        return ([method.rawValue.lowercased()] + words.map(String.init)).joined(separator: "_")
    }
}
