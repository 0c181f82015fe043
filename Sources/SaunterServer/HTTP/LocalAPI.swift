import HTTPTypes
import SaunterCore

/// Calls routes of the API inside the process. The pages of the web app are clients of the API, so that a page and an
/// app always get the same checks, the same audit and the same data.
package struct LocalAPI: Sendable {
    private let table: RouteTable

    /// - Throws: `RouteFault` if the routes contradict each other.
    package init(_ routes: [Route]) throws(RouteFault) {
        table = try RouteTable(routes)
    }

    /// Calls a route as the gateway would, for the caller of another request.
    /// - Parameters:
    ///   - path: percent-encoded, without a query.
    ///   - query: the query as text, percent-encoded; nil for none.
    ///   - body: a JSON body, or the fields of a form.
    ///   - file: the bytes of a body that is a file.
    ///   - identity: the caller; nil for a route that needs none.
    ///   - call: the request on whose behalf the route is called.
    /// - Throws: the problem with which the route would have answered.
    package func send<Caller>(
        _ method: HTTPRequest.Method, _ path: String, query: String? = nil, body: JSON? = nil,
        file: [UInt8]? = nil, headers: HTTPFields = [:], as identity: Identity?, for call: Call<Caller>
    ) async throws -> LocalReply {
        guard case .route(let route, let values) = table.match(method, path[...]) else {
            throw Problem(.notFound)
        }
        if route.who.needsIdentity {
            guard let identity else { throw Problem(.tokenInvalid, "Log in.") }
            try Gateway.authorize(identity, for: route, values, now: call.now)
        }
        for parameter in route.pathParameters where !parameter.accepts(values[parameter.name] ?? "") {
            throw Problem(.notFound)
        }
        var schemaFaults: [Fault] = []
        if let rule = route.body, !rule.media.isFile, let body {
            schemaFaults = rule.schema.faults(in: body)
            guard schemaFaults.isEmpty || rule.handlerReportsFaults else {
                throw Problem(.bodyInvalid, Faults(schemaFaults))
            }
        }
        var fields = headers
        fields[.acceptLanguage] = fields[.acceptLanguage] ?? call.headers[.acceptLanguage]
        let local = Call(
            caller: Anyone(), requestID: call.requestID, now: call.now, logger: call.logger,
            remoteAddress: call.remoteAddress, headers: fields, body: body ?? .null, pathValues: values,
            queryValues: try QueryParser.values(query.map { $0[...] }, route.query),
            schemaFaults: schemaFaults, rawBody: file ?? [])
        let reply = try await run(route, local, identity)
        let json: JSON =
            switch reply.body {
            case .json(let value): value
            case .jsonText(let text): try JSONReader.read(text)
            case .none, .bytes, .stream: .null
            }
        return LocalReply(status: reply.status, json: json, entityTag: reply.entityTag?.description)
    }

    /// Runs a route. An error of the client becomes the problem that the gateway would send. Any other error is thrown
    /// as it is, so that the gateway logs all of it.
    private func run(_ route: Route, _ call: Call<Anyone>, _ identity: Identity?) async throws -> Reply {
        do {
            return try await route.run(call, identity)
        } catch {
            let problem = Problem(error)
            throw problem.type.status < 500 ? problem : error
        }
    }
}

/// The reply of a route that was called inside the process.
package struct LocalReply: Sendable {
    /// The HTTP status.
    package let status: HTTPResponse.Status
    /// Null if the body is not JSON.
    package let json: JSON
    /// The value of `ETag`; nil if the reply has none.
    package let entityTag: String?
}
