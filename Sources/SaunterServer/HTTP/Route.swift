import HTTPTypes
import SaunterCore

/// One line of the route table: what the handler is registered by, and what the published contract and the reference page are written from.
/// A route that is not documented cannot exist.
package struct Route: Sendable {
    package let method: HTTPRequest.Method
    /// With parameters in braces: `/v1/enrolments/{id}/walks/{walk_id}`.
    package let path: String
    package let who: AccessKind
    /// The heading under which the reference page lists it.
    package let tag: String
    /// One line.
    package let summary: String
    /// Markdown-free sentences; empty where the summary says it all.
    package let description: String
    package let pathParameters: [PathParameter]
    package let query: [QueryParameter]
    package let body: BodyRule?
    /// What is answered when it goes well.
    package let outcomes: [Outcome]
    /// Refusals of this route's own. Those that follow from its shape (401, 413 …) are added by `refusals`.
    package let problems: [ProblemType]
    /// In whose words it refuses.
    package let refusalShape: RefusalShape

    let run: @Sendable (Call<Anyone>, Identity?) async throws -> Reply

    /// `query` names are unique, `path` names every `{…}` of the path in its order; `RouteTable` refuses what is not so.
    package init<Caller>(
        _ method: HTTPRequest.Method, _ path: String, who: Access<Caller>, tag: String, summary: String,
        description: String = "", parameters: [PathParameter] = [], query: [QueryParameter] = [],
        body: BodyRule? = nil, outcomes: [Outcome], problems: [ProblemType] = [],
        refusals shape: RefusalShape = .problem,
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
        refusalShape = shape
        run = { call, identity in
            guard let caller = who.caller(identity) else { throw Problem(.tokenInvalid) }
            return try await handler(call.of(caller))
        }
    }

    /// It carries data of the study, unlike probes and documents: nothing of it may be cached, and it is refused when there is too much to do.
    package var isAPI: Bool { path.hasPrefix("/v1/") }

    /// Every refusal that this route can answer, in the order of the catalogue.
    package var refusals: [ProblemType] {
        var types = Set(problems)
        types.formUnion([.internalError, .requestInvalid, .headersTooLarge])
        if isAPI { types.formUnion([.busy, .databaseUnavailable, .tooManyRequests]) }
        if who != .anyone { types.insert(.tokenInvalid) }
        if who.role != nil || who == .metrics { types.insert(.notPermitted) }
        if !pathParameters.isEmpty { types.insert(.notFound) }
        if body != nil {
            types.formUnion([
                .bodyUnreadable, .bodyInvalid, .bodyTooLarge, .mediaTypeUnsupported, .requestTimeout,
                .storageFull,
            ])
        }
        return ProblemType.allCases.filter(types.contains)
    }

    /// `get_v1_enrolments_id_overview`: stable as long as method and path are.
    package var operationID: String {
        let words = path.split(whereSeparator: { !$0.isLetter && !$0.isNumber })
        return ([method.rawValue.lowercased()] + words.map(String.init)).joined(separator: "_")
    }
}
