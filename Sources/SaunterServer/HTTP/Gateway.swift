import HTTPTypes
import Hummingbird
import Logging
import SaunterCore

/// Every request goes through here: named, matched, authenticated, read, checked, handled, answered. What is thrown on the way becomes one
/// problem document, so a handler is only the good case.
package struct Gateway: HTTPResponder {
    package typealias Context = RequestScope
    /// Checks a bearer token. The kind tells whether grants have to be looked up. Throws `Problem(.tokenInvalid)`.
    package typealias Authenticate =
        @Sendable (_ token: String, _ kind: AccessKind, _ now: Instant) async throws -> Identity
    /// Sees every reply before it is written; tests compare it with the published contract.
    package typealias Witness = @Sendable (_ route: Route, _ reply: Reply) -> Void

    package let table: RouteTable
    let settings: GatewaySettings
    let now: @Sendable () -> Instant
    let authenticate: Authenticate
    let witness: Witness?
    let arriving: Admission
    let working: Admission
    private let metrics = MetricsMiddleware<RequestScope>()

    /// Refuses a table of routes that contradicts itself.
    package init(
        routes: [Route], settings: GatewaySettings = GatewaySettings(),
        now: @escaping @Sendable () -> Instant,
        witness: Witness? = nil, authenticate: @escaping Authenticate
    ) throws(RouteFault) {
        table = try RouteTable(routes)
        self.settings = settings
        self.now = now
        self.authenticate = authenticate
        self.witness = witness
        arriving = Admission(
            maximumRequests: settings.maximumArriving, maximumBytes: settings.maximumArrivingBytes)
        working = Admission(
            maximumRequests: settings.maximumRequests, maximumBytes: settings.maximumBodyBytes)
    }

    /// Never throws for anything that a client can do.
    package func respond(to request: Request, context: RequestScope) async throws -> Response {
        try await metrics.handle(request, context: context) { request, context in
            await answer(request, context)
        }
    }

    private func answer(_ request: Request, _ context: RequestScope) async -> Response {
        let incoming = IncomingRequest(request, context, now: now())
        let bodyState = BodyState(isOutstanding: incoming.mayHaveBody)
        var rendering = ReplyRendering(incoming, settings)
        do {
            let reply = try await reply(to: incoming, bodyState, &rendering)
            return await finish(rendering.render(reply), incoming, bodyState)
        } catch {
            let problem = Problem(error)
            log(error, as: problem, incoming)
            return await finish(rendering.render(problem), incoming, bodyState)
        }
    }

    /// Bytes of an address, percent-encoding included.
    private static let longestAddress = 8192

    private func reply(
        to incoming: IncomingRequest, _ bodyState: BodyState, _ rendering: inout ReplyRendering
    ) async throws -> Reply {
        guard incoming.path.utf8.count <= Self.longestAddress else { throw Problem(.headersTooLarge) }
        switch table.match(incoming.method, incoming.path) {
        case .nothing: throw Problem(.notFound, "There is nothing at this address.")
        case .otherMethods(let methods):
            let allow = methods.map(\.rawValue).joined(separator: ", ")
            if incoming.method == .options { return .empty(.noContent, headers: [.allow: allow]) }
            throw Problem(.methodNotAllowed, "This address takes \(allow).", headers: [.allow: allow])
        case .route(let route, let values):
            incoming.context.coreContext.endpointPath.value = route.path
            rendering.isAPI = route.isAPI
            rendering.refusalShape = route.refusalShape
            let reply = try await handle(incoming, route, values, bodyState, &rendering)
            witness?(route, reply)
            return reply
        }
    }

    private func handle(
        _ incoming: IncomingRequest, _ route: Route, _ values: [String: String], _ bodyState: BodyState,
        _ rendering: inout ReplyRendering
    ) async throws -> Reply {
        // A form may hold the token, and says how its sender wants refusals written.
        let form =
            route.body?.media == .form
            ? try await readForm(incoming, route, bodyState, asker(incoming, nil)) : nil
        if let form { rendering.refusalShape = route.refusalShape.asked(by: form) }
        let identity = try await identify(incoming, route, values, form)
        guard incoming.target.utf8.count <= Self.longestAddress else { throw Problem(.headersTooLarge) }
        for parameter in route.pathParameters where !parameter.takes(values[parameter.name] ?? "") {
            throw Problem(.notFound, "There is nothing at this address.")
        }
        let query = try QueryReading.values(incoming.query, route.query)
        if let bounds = route.body?.lines, BodyHeaders.mediaType(incoming.headers) == MediaType.lines {
            return try await answerLines(incoming, route, bounds, values, query, bodyState, identity)
        }
        let asker = asker(incoming, identity)
        let bytes = form == nil ? try await read(incoming, route, bodyState, asker) : nil
        // Probes are answered under any load: that is when the operator needs them.
        guard route.isAPI else {
            return try await run(incoming, route, values, query, bytes, form, identity)
        }
        return try await working.hold(bytes: form?.bytes ?? bytes?.count ?? 0, for: asker) {
            try await run(incoming, route, values, query, bytes, form, identity)
        }
    }

    func run(
        _ incoming: IncomingRequest, _ route: Route, _ values: [String: String], _ query: [String: JSON],
        _ bytes: [UInt8]?, _ form: FormBody?, _ identity: Identity?, lines: BodyLines? = nil
    ) async throws -> Reply {
        var body = form?.json ?? JSON.null
        var itemFaults: [Int: [Fault]] = [:]
        var formFaults: [Fault] = []
        if let rule = route.body, !rule.media.isFile, bytes != nil || form != nil {
            if let bytes {
                let (value, refused) = try JSONReader.readAll(bytes)
                itemFaults = try rule.byItem(refused)
                body = value
            }
            formFaults = rule.schema.faults(in: body)
            guard formFaults.isEmpty || rule.leavesFaults else {
                throw Problem(.bodyInvalid, Faults(formFaults))
            }
        }
        let call = Call(
            caller: Anyone(), requestID: incoming.id, now: incoming.now, logger: incoming.logger,
            remoteAddress: client(of: incoming),
            headers: incoming.headers, body: body, pathValues: values, queryValues: query,
            itemFaults: itemFaults, formFaults: formFaults,
            rawBody: route.body?.media.isFile ?? false ? bytes ?? [] : [], lines: lines)
        return try await route.run(call, identity)
    }

    /// Whose request it is, for sharing out room: the account, or the address where none is known.
    func asker(_ incoming: IncomingRequest, _ identity: Identity?) -> ThrottleKey {
        identity.map { .account($0.account) } ?? .address(client(of: incoming))
    }

    /// The address of whoever asks, behind proxies that are believed.
    func client(of incoming: IncomingRequest) -> IPAddress? {
        settings.proxies.client(
            peer: incoming.context.peer, forwardedFor: incoming.headers[.forwardedFor])
    }

    /// Keeps the connection usable where that is cheap, and otherwise tells the client that it ends and ends it.
    private func finish(_ response: Response, _ incoming: IncomingRequest, _ bodyState: BodyState) async
        -> Response
    {
        guard bodyState.isOutstanding else { return response }
        let reader = BodyReader(pace: settings.pace)
        if !bodyState.isBroken, await reader.discard(incoming.request.body) { return response }
        var response = response
        response.headers[.connection] = "close"
        incoming.context.closeSoon()
        return response
    }

    /// What the client did wrong is a line for debugging; what went wrong here is logged in full.
    private func log(_ error: any Error, as problem: Problem, _ incoming: IncomingRequest) {
        let route = incoming.context.endpointPath ?? "none"
        let metadata: Logger.Metadata = [
            "route": "\(incoming.method) \(route)", "problem": "\(problem.type.slug)",
        ]
        if problem.type.status >= 500 {
            incoming.logger.error("request failed: \(error)", metadata: metadata)
        } else {
            incoming.logger.debug("request refused", metadata: metadata)
        }
    }
}
