import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Every route of the server, with a caller who may not use it. Routes for readers reject in the formats of REDCap,
/// OData and FHIR; separate tests cover them.
@Suite struct RoutePermissionTests {
    /// The path of a route with a value for each parameter, of which only the study and the enrolment exist.
    private static func path(of route: Route, _ caller: APICaller) -> String {
        let values = ["id": caller.enrolment, "study": "mindful-walking", "code": "pss_10"]
        return route.pathParameters.reduce(route.path) { path, parameter in
            let value = values[parameter.name] ?? "0190a5c0-0000-7000-8000-000000000000"
            return path.replacing("{\(parameter.name)}", with: value)
        }
    }

    @Test func `without a token only open routes answer`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            var anonymous = ada
            anonymous.token = nil
            let routes = ada.server.gateway.table.routes
                .filter { $0.who.needsIdentity && $0.who != .reader }
            #expect(routes.count >= 25)

            for route in routes {
                let answer = try await anonymous.send(route.method, Self.path(of: route, ada))

                answer.expectProblem(401, "token-invalid")
                #expect(answer.headers[.wwwAuthenticate] == "Bearer realm=\"saunter\"")
            }
        }
    }

    @Test func `routes of other roles are closed to participants`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let routes = ada.server.gateway.table.routes
                .filter { $0.who.needsGrants && $0.who != .reader }
            #expect(routes.count >= 5)

            for route in routes {
                let answer = try await ada.send(route.method, Self.path(of: route, ada))

                answer.expectProblem(403, "not-permitted")
            }
        }
    }

    @Test func `the response to an unsupported method names the supported ones`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let routes = ada.server.gateway.table.routes
            for (path, routes) in Dictionary(grouping: routes, by: \.path) {
                let supported = Set(routes.map(\.method))
                let methods: Set<HTTPRequest.Method> = [.get, .post, .put, .patch, .delete]
                for method in methods.subtracting(supported) {
                    let answer = try await ada.send(method, Self.path(of: routes[0], ada))

                    #expect(answer.status == 405, "\(method) \(path)")
                    let allowed = (answer.headers[.allow] ?? "").split(separator: ", ").map(String.init)
                    #expect(supported.isSubset(of: allowed.compactMap { HTTPRequest.Method($0) }))
                }
            }
        }
    }
}
