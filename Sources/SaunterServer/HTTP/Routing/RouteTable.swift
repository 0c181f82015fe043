import HTTPTypes
import SaunterCore

/// A contradiction in the route table, which a developer must correct. The server does not start with it.
package struct RouteFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// One line that names the route and the contradiction.
    package let description: String
}

/// Finds routes by path and method. A fixed segment has priority over a parameter: `…/calibrations/current` over
/// `…/calibrations/{id}`.
package struct RouteTable: Sendable {
    /// The result of a search.
    enum Match: Sendable {
        /// A route, with the values of the path parameters by name: percent-decoded, not yet checked.
        case route(Route, values: [String: String])
        /// The path exists, but only with these methods.
        case otherMethods([HTTPRequest.Method])
        case nothing
    }

    private struct Node: Sendable {
        var fixed: [String: Int] = [:]
        var parameter: Int?
        var routes: [Route] = []
    }

    /// All routes, in the order in which they were passed.
    package let routes: [Route]
    private var nodes = [Node()]

    /// - Throws: `RouteFault` if two routes have the same method and path, or if the parameters of a path differ from
    ///   the declared ones.
    package init(_ routes: [Route]) throws(RouteFault) {
        self.routes = routes
        for route in routes { try insert(route) }
        var known: Set<String> = []
        for route in routes where !known.insert(route.operationID).inserted {
            throw RouteFault(
                description:
                    "\(route.method) \(route.path): two routes have the operation id \(route.operationID)")
        }
    }

    private mutating func insert(_ route: Route) throws(RouteFault) {
        let segments = Self.segments(of: route.path[...])
        let named = segments.filter { $0.hasPrefix("{") && $0.hasSuffix("}") }.map {
            String($0.dropFirst().dropLast())
        }
        let line = "\(route.method) \(route.path)"
        guard route.path.hasPrefix("/"), named == route.pathParameters.map(\.name) else {
            throw RouteFault(description: "\(line): the path's parameters and the declared ones differ")
        }
        guard Set(route.query.map(\.name)).count == route.query.count else {
            throw RouteFault(description: "\(line): a query parameter is declared twice")
        }
        try add(route, at: segments[...], line)
        // Clients of REDCap use an address that ends in a slash; users often omit the slash.
        if segments.count > 1, segments.last == "" { try add(route, at: segments.dropLast(), line) }
    }

    private mutating func add(
        _ route: Route, at segments: ArraySlice<Substring>, _ line: String
    ) throws(RouteFault) {
        var node = 0
        for segment in segments { node = child(of: node, segment) }
        guard !nodes[node].routes.contains(where: { $0.method == route.method }) else {
            throw RouteFault(description: "\(line): two routes have this method and path")
        }
        nodes[node].routes.append(route)
    }

    /// The index of the node for the next segment. It is added if it does not exist.
    private mutating func child(of node: Int, _ segment: Substring) -> Int {
        let isParameter = segment.hasPrefix("{")
        if let known = isParameter ? nodes[node].parameter : nodes[node].fixed[String(segment)] {
            return known
        }
        nodes.append(Node())
        let new = nodes.count - 1
        if isParameter { nodes[node].parameter = new } else { nodes[node].fixed[String(segment)] = new }
        return new
    }

    /// Finds the route of a request. HEAD finds the GET route.
    /// - Parameter path: as the client sent it: percent-encoded, without the query.
    func match(_ method: HTTPRequest.Method, _ path: Substring) -> Match {
        guard path.first == "/" else { return .nothing }
        var segments: [String] = []
        for segment in Self.segments(of: path) {
            guard let decoded = PercentEncoding.decode(segment), !decoded.utf8.contains(0) else {
                return .nothing
            }
            segments.append(decoded)
        }
        var values: [String] = []
        guard segments.count <= 16, let node = find(segments[...], from: 0, &values) else { return .nothing }
        let routes = nodes[node].routes
        let wanted = method == .head ? .get : method
        guard let route = routes.first(where: { $0.method == wanted }) else {
            return .otherMethods(Self.allowed(routes))
        }
        return .route(
            route, values: Dictionary(zip(route.pathParameters.map(\.name), values)) { first, _ in first })
    }

    private func find(_ rest: ArraySlice<String>, from node: Int, _ values: inout [String]) -> Int? {
        guard let segment = rest.first else { return nodes[node].routes.isEmpty ? nil : node }
        if let next = nodes[node].fixed[segment], let found = find(rest.dropFirst(), from: next, &values) {
            return found
        }
        guard let next = nodes[node].parameter, !segment.isEmpty else { return nil }
        values.append(segment)
        if let found = find(rest.dropFirst(), from: next, &values) { return found }
        values.removeLast()
        return nil
    }

    private static func allowed(_ routes: [Route]) -> [HTTPRequest.Method] {
        var methods = routes.map(\.method)
        if methods.contains(.get) { methods.append(.head) }
        return methods + [.options]
    }

    private static func segments(of path: Substring) -> [Substring] {
        path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { Substring($0) }
    }
}
