import Crypto
import HTTPTypes
import Hummingbird
import SaunterCore
import SaunterStore

extension Gateway {
    /// The caller of a route that asks for one. A role is checked here once for all routes: for another role 403; for another study 404,
    /// because even that there is such a study may be nobody's business.
    func identify(
        _ incoming: IncomingRequest, _ route: Route, _ values: [String: String], _ form: FormBody?
    ) async throws -> Identity? {
        if route.who == .metrics { try admitToMetrics(incoming) }
        guard route.who.needsIdentity else { return nil }
        let isReader = route.who == .reader
        let other = isReader ? incoming.basicPassword ?? form?.token : nil
        guard let token = incoming.bearerToken ?? other else {
            throw Self.unauthenticated(
                isReader ? "Send an API token or an access token." : "Send an access token.",
                takesBasic: isReader)
        }
        let identity: Identity
        do {
            identity = try await authenticate(token, route.who, incoming.now)
        } catch let problem as Problem where problem.type == .tokenInvalid {
            throw Self.unauthenticated(problem.detail, takesBasic: isReader)
        }
        guard let role = route.who.role else { return identity }
        guard identity.has(role) else {
            throw Problem(.notPermitted, "The route is for the role \(role.rawValue).")
        }
        if let study = values["study"], role != .admin, identity.grant(role, study: study) == nil {
            throw Problem(.notFound, "There is no such study.")
        }
        return identity
    }

    /// `WWW-Authenticate` is the same for no token, a forged one and an old one.
    private static func unauthenticated(_ detail: String?, takesBasic: Bool = false) -> Problem {
        let challenge = "Bearer realm=\"saunter\"" + (takesBasic ? ", Basic realm=\"saunter\"" : "")
        return Problem(.tokenInvalid, detail, headers: [.wwwAuthenticate: challenge])
    }

    /// With a token set, whoever sends it; without one, this machine itself, and nobody whom a proxy has forwarded. Compares digests, so that
    /// the time taken tells nothing of the token.
    private func admitToMetrics(_ incoming: IncomingRequest) throws(Problem) {
        guard let expected = settings.metricsToken else {
            let isForwarded = incoming.headers[.forwardedFor] != nil || incoming.headers[.forwarded] != nil
            guard !isForwarded, incoming.context.peer?.isLoopback ?? true else {
                throw Problem(
                    .notPermitted, "Metrics are shown to this machine itself, or with the metrics token.")
            }
            return
        }
        guard let given = incoming.bearerToken,
            SHA256.hash(data: Array(given.utf8)) == SHA256.hash(data: Array(expected.utf8))
        else { throw Self.unauthenticated("Send the metrics token.") }
    }

    /// Lets the handler read a body of lines while it answers. What it leaves of it ends the connection.
    func answerLines(
        _ incoming: IncomingRequest, _ route: Route, _ bounds: LineBounds, _ values: [String: String],
        _ query: [String: JSON], _ state: BodyState, _ identity: Identity?
    ) async throws -> Reply {
        let headers = try BodyHeaders(incoming.headers)
        guard headers.hasBody else { throw Problem(.bodyUnreadable, "A body is needed.") }
        if let length = headers.length, length > bounds.body { throw BodyReader.tooLarge(bounds.body) }
        let lines = try BodyLines(
            incoming, headers, bounds, pace: settings.pace, arriving: arriving, working: working,
            asker: asker(incoming, identity))
        state.isBroken = true
        if headers.isAwaited { incoming.context.inviteBody() }
        let reply = try await run(
            incoming, route, values, query, nil, nil, identity, lines: lines)
        guard case .stream(let length, let write) = reply.body else { return reply }
        state.isOutstanding = false
        let context = incoming.context
        return Reply(
            status: reply.status, headers: reply.headers,
            body: .stream(length: length) { writer in
                try await write(&writer)
                if await !lines.isReadThrough { context.closeSoon() }
            }, entityTag: reply.entityTag)
    }

    /// The body's bytes, decompressed; nil where there is none and none is needed.
    /// - Parameter asker: who is to have the room that it takes.
    func read(
        _ incoming: IncomingRequest, _ route: Route, _ state: BodyState, _ asker: ThrottleKey
    ) async throws -> [UInt8]? {
        let headers = try BodyHeaders(incoming.headers)
        guard let rule = route.body else {
            guard !headers.hasBody else { throw Problem(.bodyTooLarge, "This request takes no body.") }
            state.isOutstanding = false
            return nil
        }
        guard headers.hasBody else {
            state.isOutstanding = false
            guard rule.isRequired else { return nil }
            throw Problem(
                .bodyUnreadable, "\(rule.media.noun) is needed.")
        }
        try BodyHeaders.require(rule.media, incoming.headers)
        if let length = headers.length, length > rule.limit { throw BodyReader.tooLarge(rule.limit) }
        // Room for what has come, not for what is announced: that costs nothing to announce.
        let pass = try arriving.admit(
            bytes: min(headers.length ?? Self.firstBytes, Self.firstBytes), for: asker)
        defer { withExtendedLifetime(pass) {} }
        let bytes = try await receive(incoming, headers, rule, state, pass)
        return headers.isGzip ? try inflate(bytes, rule.limit) : bytes
    }

    /// For which there is room when a body begins to come.
    private static let firstBytes = 64 * 1024

    private func receive(
        _ incoming: IncomingRequest, _ headers: BodyHeaders, _ rule: BodyRule, _ state: BodyState,
        _ pass: Admission.Pass
    ) async throws -> [UInt8] {
        state.isBroken = true
        if headers.isAwaited { incoming.context.inviteBody() }
        let bytes = try await BodyReader(pace: settings.pace)
            .read(incoming.request.body, announced: headers.length, limit: rule.limit, pass)
        state.isOutstanding = false
        return bytes
    }

    private func inflate(_ bytes: [UInt8], _ limit: Int) throws(Problem) -> [UInt8] {
        do {
            return try Inflation.gunzip(bytes, limit: limit)
        } catch {
            switch error {
            case .broken: throw Problem(.bodyUnreadable, "The body is not whole gzip.")
            case .tooLarge: throw BodyReader.tooLarge(limit)
            }
        }
    }
}
