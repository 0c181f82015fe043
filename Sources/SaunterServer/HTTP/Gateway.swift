import Compression
import Crypto
import HTTPTypes
import Hummingbird
import Logging
import Postgres
import SaunterCore
import SaunterStore

/// Answers every HTTP request. The steps are: find the route, authenticate, read and check the body, call the handler,
/// send the response.
///
/// An error at any step becomes one problem document. So a handler implements only the success case.
package struct Gateway: HTTPResponder {
    /// The context that Hummingbird creates for each request.
    package typealias Context = HTTPRequestContext
    /// Checks a token. `kind` says whether the caller's grants are needed.
    /// - Throws: `token-invalid`; `too-many-requests` for readers.
    package typealias Authenticate =
        @Sendable (_ token: String, _ kind: AccessKind, _ now: Instant) async throws -> Identity

    /// The routes of this server.
    package let table: RouteTable
    private let settings: GatewaySettings
    private let now: @Sendable () -> Instant
    private let authenticate: Authenticate
    /// Finds the login of a session cookie; nil if the server has no pages.
    private let sessions: WebSessions?
    /// How a browser gets the error for an address that does not exist; nil if the server has no pages.
    private let pageErrors: ErrorFormat?
    /// Limits the bodies that are arriving.
    private let bodyShedder: LoadShedder
    /// Limits the requests that handlers work on.
    private let requestShedder: LoadShedder
    /// Limits the large bodies, such as films, from their arrival until the handler has ended. They do not count for
    /// `requestShedder`, whose bytes one of them would use up.
    private let largeBodyShedder = LoadShedder(
        maximumRequests: BodyRule.maximumLargeBodies, maximumBytes: .max)
    /// Limits the large responses that clients have not read yet.
    private let responseShedder: LoadShedder
    private let metrics = MetricsMiddleware<HTTPRequestContext>()

    /// Bytes of an address, percent-encoding included.
    private static let maximumAddressBytes = 8192
    /// The size of a permit when a body begins to arrive.
    private static let initialBodyBytes = 64 * 1024

    /// - Parameter now: the only clock that handlers read.
    /// - Throws: `RouteFault` if the routes contradict each other.
    package init(
        routes: [Route], settings: GatewaySettings = GatewaySettings(),
        now: @escaping @Sendable () -> Instant, sessions: WebSessions? = nil,
        authenticate: @escaping Authenticate
    ) throws(RouteFault) {
        table = try RouteTable(routes)
        self.settings = settings
        self.now = now
        self.authenticate = authenticate
        self.sessions = sessions
        pageErrors = routes.first(where: \.isPage)?.errorFormat
        bodyShedder = LoadShedder(
            maximumRequests: settings.maximumIncomingBodies, maximumBytes: settings.maximumIncomingBytes)
        requestShedder = LoadShedder(
            maximumRequests: settings.maximumRequests, maximumBytes: settings.maximumBodyBytes)
        responseShedder = LoadShedder(
            maximumRequests: settings.maximumOutgoingBodies, maximumBytes: settings.maximumOutgoingBytes)
    }

    /// Answers one request. A client's request never makes it throw.
    package func respond(to request: Request, context: HTTPRequestContext) async throws -> Response {
        try await metrics.handle(request, context: context) { request, context in
            await answer(request, context)
        }
    }

    private func answer(_ request: Request, _ context: HTTPRequestContext) async -> Response {
        let incoming = IncomingRequest(request, context, now: now())
        let bodyState = BodyState(isOutstanding: incoming.mayHaveBody)
        var renderer = ResponseRenderer(incoming, settings, responseShedder)
        do {
            let reply = try await reply(to: incoming, bodyState, &renderer)
            return await finish(try renderer.render(reply), incoming, bodyState)
        } catch {
            let problem = Problem(error)
            log(error, as: problem, incoming)
            return await finish(renderer.render(problem), incoming, bodyState)
        }
    }

    private func reply(
        to incoming: IncomingRequest, _ bodyState: BodyState, _ renderer: inout ResponseRenderer
    ) async throws -> Reply {
        guard incoming.path.utf8.count <= Self.maximumAddressBytes else { throw Problem(.headersTooLarge) }
        switch table.match(incoming.method, incoming.path) {
        case .nothing:
            if let pageErrors, !incoming.path.hasPrefix("/v1/"),
                incoming.headers[.accept]?.contains("text/html") == true
            {
                renderer.errorFormat = pageErrors.requested(by: incoming.headers)
            }
            throw Problem(.notFound, "No resource has this address.")
        case .otherMethods(let methods):
            let allow = methods.map(\.rawValue).joined(separator: ", ")
            if incoming.method == .options { return .empty(.noContent, headers: [.allow: allow]) }
            throw Problem(
                .methodNotAllowed, "The methods of this address are \(allow).", headers: [.allow: allow])
        case .route(let route, let values):
            incoming.context.coreContext.endpointPath.value = route.path
            renderer.isDataRoute = route.isDataRoute
            renderer.errorFormat = route.errorFormat.requested(by: incoming.headers)
            return try await handle(incoming, route, values, bodyState, &renderer)
        }
    }

    private func handle(
        _ incoming: IncomingRequest, _ route: Route, _ values: [String: String], _ bodyState: BodyState,
        _ renderer: inout ResponseRenderer
    ) async throws -> Reply {
        if route.isDataRoute { try incoming.requireHost() }
        // A form may contain the token and the format of errors, so it is read before the authentication.
        let form =
            route.body?.media == .form
            ? try await readForm(incoming, route, bodyState, client(incoming, nil)) : nil
        if let form { renderer.errorFormat = route.errorFormat.requested(by: form) }
        let identity = try await identify(incoming, route, values, form)
        let client = client(incoming, identity)
        renderer.client = client
        // The query counts only here, so that the error has the format of the route.
        guard incoming.target.utf8.count <= Self.maximumAddressBytes else { throw Problem(.headersTooLarge) }
        for parameter in route.pathParameters where !parameter.accepts(values[parameter.name] ?? "") {
            throw Problem(.notFound, "No resource has this address.")
        }
        let query = try QueryParser.values(incoming.query, route.query)
        if let limits = route.body?.lines, BodyHeaders.mediaType(incoming.headers) == MediaType.lines {
            return try await handleLines(incoming, route, limits, values, query, bodyState, identity)
        }
        let largeBody = try largeBodyPermit(incoming, route, client)
        defer { withExtendedLifetime(largeBody) {} }
        let bytes = form == nil ? try await read(incoming, route, bodyState, client) : nil
        // Health checks and metrics are answered under any load, because the operator needs them then.
        guard route.isDataRoute else {
            return try await run(incoming, route, values, query, bytes, form, identity)
        }
        let count = largeBody == nil ? form?.byteCount ?? bytes?.count ?? 0 : 0
        return try await requestShedder.withPermit(bytes: count, for: client) {
            try await run(incoming, route, values, query, bytes, form, identity)
        }
    }

    /// Handles a request whose body the handler reads while it replies. If the handler does not read all of it, the
    /// connection is closed.
    private func handleLines(
        _ incoming: IncomingRequest, _ route: Route, _ limits: NDJSONLimits, _ values: [String: String],
        _ query: [String: JSON], _ state: BodyState, _ identity: Identity?
    ) async throws -> Reply {
        let headers = try BodyHeaders(incoming.headers)
        guard headers.hasBody else { throw Problem(.bodyUnreadable, "The request needs a body.") }
        if let length = headers.length, length > limits.body { throw BodyReader.tooLarge(limits.body) }
        let lines = try NDJSONBody(
            incoming, headers, limits, timeout: settings.bodyTimeout, bodyShedder: bodyShedder,
            requestShedder: requestShedder, client: client(incoming, identity))
        state.hasReadingStarted = true
        if headers.expectsContinue { incoming.context.sendContinue() }
        let reply = try await run(
            incoming, route, values, query, nil, nil, identity, lines: lines)
        guard case .stream(let length, let write) = reply.body else { return reply }
        state.isOutstanding = false
        let context = incoming.context
        return Reply(
            status: reply.status, headers: reply.headers,
            body: .stream(length: length) { writer in
                try await write(&writer)
                if await !lines.isFullyRead { context.closeAfterReply() }
            }, entityTag: reply.entityTag)
    }

    /// Decodes and checks the body, and calls the handler.
    private func run(
        _ incoming: IncomingRequest, _ route: Route, _ values: [String: String], _ query: [String: JSON],
        _ bytes: [UInt8]?, _ form: FormBody?, _ identity: Identity?, lines: NDJSONBody? = nil
    ) async throws -> Reply {
        var body = form?.json ?? JSON.null
        var itemFaults: [Int: [Fault]] = [:]
        var schemaFaults: [Fault] = []
        if let rule = route.body, !rule.media.isFile, bytes != nil || form != nil {
            if let bytes {
                let (value, faults) = try JSONReader.readAll(bytes)
                itemFaults = try rule.faultsByItem(faults)
                body = value
            }
            schemaFaults = rule.schema.faults(in: body)
            guard schemaFaults.isEmpty || rule.handlerReportsFaults else {
                throw Problem(.bodyInvalid, Faults(schemaFaults))
            }
        }
        let call = Call(
            caller: Anyone(), requestID: incoming.id, now: incoming.now, logger: incoming.logger,
            remoteAddress: clientAddress(of: incoming),
            headers: incoming.headers, body: body, pathValues: values, queryValues: query,
            itemFaults: itemFaults, schemaFaults: schemaFaults,
            rawBody: route.body?.media.isFile ?? false ? bytes ?? [] : [], lines: lines,
            target: incoming.target)
        guard route.stopsWithConnection else { return try await route.run(call, identity) }
        return try await incoming.context.whileConnected { try await route.run(call, identity) }
    }

    /// The account or address whose share of the limits a request uses: the account, or the address if the account is
    /// not known yet.
    private func client(_ incoming: IncomingRequest, _ identity: Identity?) -> ThrottleKey {
        identity.map { .account($0.account) } ?? .address(clientAddress(of: incoming))
    }

    /// The address of the client, behind trusted proxies.
    private func clientAddress(of incoming: IncomingRequest) -> IPAddress? {
        settings.proxies.client(
            peer: incoming.context.peer, forwardedFor: incoming.headers[.forwardedFor])
    }

    /// If a part of the body is still unread, discards it if it is short. Otherwise announces the end of the connection
    /// and closes it.
    private func finish(
        _ response: Response, _ incoming: IncomingRequest, _ bodyState: BodyState
    ) async -> Response {
        guard bodyState.isOutstanding else { return response }
        let reader = BodyReader(timeout: settings.bodyTimeout)
        if !bodyState.hasReadingStarted, await reader.discard(incoming.request.body) { return response }
        var response = response
        response.headers[.connection] = "close"
        incoming.context.closeAfterReply()
        return response
    }

    /// Logs an error of the client at level debug, and an error of the server with its full description. A request
    /// above a limit of concurrent work is no error of the server: it is counted in the metrics and logged at level
    /// debug, because an overloaded server would write one line for each of very many requests. If the database is the
    /// cause of `busy`, it is logged as an error.
    private func log(_ error: any Error, as problem: Problem, _ incoming: IncomingRequest) {
        let route = incoming.context.endpointPath ?? "none"
        let metadata: Logger.Metadata = [
            "route": "\(incoming.method) \(route)", "problem": "\(problem.type.slug)",
        ]
        let isLoadShed = problem.type == .busy && !(error is DatabaseError)
        if problem.type.status >= 500, !isLoadShed {
            incoming.logger.error("request failed: \(error)", metadata: metadata)
        } else {
            incoming.logger.debug("request rejected", metadata: metadata)
        }
    }
}

// MARK: - Authentication

extension Gateway {
    /// The caller of a route that needs one. Roles are checked here for all routes. A caller without the role gets 403,
    /// and so does a caller with another role in this study. A caller who has the role only in other studies gets 404,
    /// because such a caller may not know that the study exists.
    private func identify(
        _ incoming: IncomingRequest, _ route: Route, _ values: [String: String], _ form: FormBody?
    ) async throws -> Identity? {
        if route.who == .metrics { try authorizeMetrics(incoming) }
        if route.who == .visitor {
            // A form without a session is protected too: a foreign page must not log a visitor in.
            try requireSameOrigin(incoming)
            return try await sessionIdentity(incoming, withGrants: true, isPage: true)
        }
        guard route.who.needsIdentity else { return nil }
        let isReader = route.who == .reader
        let other = isReader ? incoming.basicPassword ?? form?.token : nil
        guard let token = incoming.bearerToken ?? other else {
            if incoming.headers[.authorization] == nil,
                let identity = try await sessionIdentity(incoming, withGrants: route.who.needsGrants)
            {
                try requireSameOrigin(incoming)
                try Self.authorize(identity, for: route, values, now: incoming.now)
                return identity
            }
            throw Self.unauthenticated(
                isReader ? "Send an API token or an access token." : "Send an access token.",
                acceptsBasic: isReader)
        }
        let identity: Identity
        do {
            identity = try await authenticate(token, route.who, incoming.now)
        } catch let problem as Problem where problem.type == .tokenInvalid {
            throw Self.unauthenticated(problem.detail, acceptsBasic: isReader)
        }
        try Self.authorize(identity, for: route, values, now: incoming.now)
        return identity
    }

    /// Requires the role of the route, and a browser session that is open for it.
    /// - Throws: `not-permitted`, `not-found`, `password-required`.
    static func authorize(
        _ identity: Identity, for route: Route, _ values: [String: String], now: Instant
    ) throws(Problem) {
        guard route.who.needsGrants else { return }
        try requireRole(identity, for: route, values)
        try identity.requireStaffSession(at: now)
    }

    private static func requireRole(
        _ identity: Identity, for route: Route, _ values: [String: String]
    ) throws(Problem) {
        guard let role = route.who.role else {
            guard !identity.grants.isEmpty else {
                throw Problem(.notPermitted, "This route needs a role in a study.")
            }
            if route.who == .member, let study = values["study"],
                !identity.grants.contains(where: { $0.study == study || $0.study == Grant.allStudies })
            {
                throw Problem(.notFound, "There is no such study.")
            }
            return
        }
        guard identity.has(role) else {
            throw Problem(.notPermitted, "This route needs the role \(role.rawValue).")
        }
        if let study = values["study"], role != .admin, identity.grant(role, study: study) == nil {
            guard !identity.grants.contains(where: { $0.study == study }) else {
                throw Problem(.notPermitted, "This route needs the role \(role.rawValue) in this study.")
            }
            throw Problem(.notFound, "There is no such study.")
        }
    }

    /// The login of the session cookie; nil without a cookie, or if the session has ended.
    private func sessionIdentity(
        _ incoming: IncomingRequest, withGrants: Bool, isPage: Bool = false
    ) async throws -> Identity? {
        guard let sessions,
            let cookie = SessionCookie(publicURL: settings.publicURL).value(in: incoming.headers)
        else { return nil }
        return try await sessions.identity(
            of: cookie, withGrants: withGrants, isUse: !incoming.isRefresh, isPage: isPage,
            now: incoming.now)
    }

    /// Rejects a request that changes something and that a page of another origin sent. The browser adds the session
    /// cookie to such a request, too.
    /// - Throws: `not-permitted`.
    private func requireSameOrigin(_ incoming: IncomingRequest) throws(Problem) {
        guard ![.get, .head, .options].contains(incoming.method) else { return }
        if let site = incoming.headers[.secFetchSite] {
            if site == "same-origin" { return }
        } else if let origin = incoming.headers[.origin], origin == settings.publicOrigin {
            return
        }
        throw Problem(.notPermitted, "The request does not come from a page of this server.")
    }

    /// The error for a missing, forged or expired token. `WWW-Authenticate` is the same in all cases.
    private static func unauthenticated(_ detail: String?, acceptsBasic: Bool = false) -> Problem {
        let challenge = "Bearer realm=\"saunter\"" + (acceptsBasic ? ", Basic realm=\"saunter\"" : "")
        return Problem(.tokenInvalid, detail, headers: [.wwwAuthenticate: challenge])
    }

    /// If the operator has set a metrics token, a caller must send it. Otherwise a caller must be on this machine, and
    /// not behind a proxy.
    private func authorizeMetrics(_ incoming: IncomingRequest) throws(Problem) {
        guard let expected = settings.metricsToken else {
            let isForwarded = incoming.headers[.forwardedFor] != nil || incoming.headers[.forwarded] != nil
            guard !isForwarded, incoming.context.peer?.isLoopback ?? true else {
                throw Problem(
                    .notPermitted, "Metrics are available on this machine only, or with the metrics token.")
            }
            return
        }
        // Compares digests, so that the duration does not depend on how many characters are correct.
        guard let given = incoming.bearerToken,
            SHA256.hash(data: Array(given.utf8)) == SHA256.hash(data: Array(expected.revealed.utf8))
        else { throw Self.unauthenticated("Send the metrics token.") }
    }
}

// MARK: - Reading bodies

extension Gateway {
    /// Reads the body of a request.
    /// - Parameter client: the account or address whose share of the limits the body uses.
    /// - Returns: the decompressed bytes; nil if there is no body and the route needs none.
    private func read(
        _ incoming: IncomingRequest, _ route: Route, _ state: BodyState, _ client: ThrottleKey
    ) async throws -> [UInt8]? {
        let headers = try BodyHeaders(incoming.headers)
        guard let rule = route.body else {
            guard !headers.hasBody else { throw Problem(.bodyTooLarge, "This request may not have a body.") }
            state.isOutstanding = false
            return nil
        }
        guard headers.hasBody else {
            state.isOutstanding = false
            guard rule.isRequired else { return nil }
            throw Problem(.bodyUnreadable, "The request needs \(rule.media.noun) as its body.")
        }
        try BodyHeaders.require(rule.media, incoming.headers)
        if let length = headers.length, length > rule.limit { throw BodyReader.tooLarge(rule.limit) }
        // The permit grows with the bytes that arrive, because a client can announce any length without sending it.
        let permit = try bodyShedder.acquire(
            bytes: min(headers.length ?? Self.initialBodyBytes, Self.initialBodyBytes), for: client)
        defer { withExtendedLifetime(permit) {} }
        state.hasReadingStarted = true
        if headers.expectsContinue { incoming.context.sendContinue() }
        let bytes = try await BodyReader(timeout: settings.bodyTimeout)
            .read(incoming.request.body, announced: headers.length, limit: rule.limit, permit)
        state.isOutstanding = false
        guard headers.isGzip else { return bytes }
        do {
            return try Decompressor.decompress(bytes, .gzip, limit: rule.limit)
        } catch let fault as CompressionFault {
            throw Problem(fault, limit: rule.limit)
        }
    }

    /// A permit for a body that can be large; nil for all others. A body above the limit of its route needs none,
    /// because it is not read.
    /// - Throws: `busy` if too many such bodies arrive or are being worked on.
    private func largeBodyPermit(
        _ incoming: IncomingRequest, _ route: Route, _ client: ThrottleKey
    ) throws(Problem) -> LoadShedder.Permit? {
        guard let rule = route.body else { return nil }
        let headers = try BodyHeaders(incoming.headers)
        guard headers.hasBody, rule.mayBeLarge(headers.isGzip ? nil : headers.length),
            headers.length ?? 0 <= rule.limit
        else { return nil }
        return try largeBodyShedder.acquire(bytes: 0, for: client)
    }

    /// Reads the body of a route that needs a form.
    private func readForm(
        _ incoming: IncomingRequest, _ route: Route, _ state: BodyState, _ client: ThrottleKey
    ) async throws -> FormBody {
        // A form that only has a button is sent without a body.
        try FormBody(try await read(incoming, route, state, client) ?? [])
    }
}
