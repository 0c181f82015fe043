import HTTPTypes
import SaunterCore

/// Something about the table of routes that its author has to put right before the server starts.
package struct RouteFault: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
}

/// Finds routes by path and method. Fixed segments come before parameters: `…/calibrations/current` before `…/calibrations/{id}`.
package struct RouteTable: Sendable {
    /// What a path and a method lead to.
    enum Match: Sendable {
        /// Values of the path's parameters by name, percent-decoded, not yet checked.
        case route(Route, values: [String: String])
        /// The path exists, for these methods.
        case otherMethods([HTTPRequest.Method])
        case nothing
    }

    private struct Node: Sendable {
        var fixed: [String: Int] = [:]
        var parameter: Int?
        var routes: [Route] = []
    }

    /// In the order in which they were given.
    package let routes: [Route]
    private var nodes = [Node()]

    /// Refuses two routes for one method and path, and parameters that path and declaration do not share.
    package init(_ routes: [Route]) throws(RouteFault) {
        self.routes = routes
        for route in routes { try insert(route) }
        let names = Set(routes.map(\.operationID))
        guard names.count == routes.count else {
            throw RouteFault(description: "two routes have one operation id")
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
        try place(route, at: segments[...], line)
        // Other systems' clients know an address that ends in a slash, and people leave it out.
        if segments.count > 1, segments.last == "" { try place(route, at: segments.dropLast(), line) }
    }

    private mutating func place(
        _ route: Route, at segments: ArraySlice<Substring>, _ line: String
    ) throws(RouteFault) {
        var place = 0
        for segment in segments { place = child(of: place, segment) }
        guard !nodes[place].routes.contains(where: { $0.method == route.method }) else {
            throw RouteFault(description: "\(line): there are two of these")
        }
        nodes[place].routes.append(route)
    }

    private mutating func child(of place: Int, _ segment: Substring) -> Int {
        let isParameter = segment.hasPrefix("{")
        if let known = isParameter ? nodes[place].parameter : nodes[place].fixed[String(segment)] {
            return known
        }
        nodes.append(Node())
        let new = nodes.count - 1
        if isParameter { nodes[place].parameter = new } else { nodes[place].fixed[String(segment)] = new }
        return new
    }

    /// `path` is as it came, percent-encoded, without the query. HEAD finds the GET route.
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
        guard segments.count <= 16, let place = find(segments[...], from: 0, &values) else { return .nothing }
        let routes = nodes[place].routes
        let wanted = method == .head ? .get : method
        guard let route = routes.first(where: { $0.method == wanted }) else {
            return .otherMethods(Self.allowed(routes))
        }
        return .route(
            route, values: Dictionary(zip(route.pathParameters.map(\.name), values)) { first, _ in first })
    }

    private func find(_ rest: ArraySlice<String>, from place: Int, _ values: inout [String]) -> Int? {
        guard let segment = rest.first else { return nodes[place].routes.isEmpty ? nil : place }
        if let next = nodes[place].fixed[segment], let found = find(rest.dropFirst(), from: next, &values) {
            return found
        }
        guard let next = nodes[place].parameter, !segment.isEmpty else { return nil }
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
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }
}

/// Percent-encoding of addresses (RFC 3986), read strictly.
enum PercentEncoding {
    /// Nil for a broken escape and for bytes that are not UTF-8. `+` is a blank where `plusIsBlank`, as forms and browsers write it.
    static func decode(_ text: Substring, plusIsBlank: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
                else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsBlank: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Everything but letters, digits and `-._~` escaped.
    static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || Array("-._~".utf8).contains(byte)
            if isPlain {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%")] + Array((byte < 16 ? "0" : "").utf8)
                bytes += Array(String(byte, radix: 16, uppercase: true).utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
