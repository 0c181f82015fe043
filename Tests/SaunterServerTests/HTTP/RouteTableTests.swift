import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct RouteTableTests {
    private static func route(
        _ path: String, parameters: [PathParameter] = [], query: [QueryParameter] = []
    ) -> Route {
        Route(
            .get, path, who: .anyone, tag: "T", summary: "S", parameters: parameters, query: query,
            outcomes: [.empty(.noContent, "Yes.")]
        ) { _ in .noContent }
    }

    private static let id = PathParameter.uuid("id", "An id.")

    @Test func `a table with contradictions is rejected`() {
        let contradictions: [[Route]] = [
            [Self.route("/a"), Self.route("/a")], [Self.route("/a/{id}")],
            [Self.route("/a", parameters: [Self.id])],
            [Self.route("/a/{x}", parameters: [Self.id])], [Self.route("a")],
            [Self.route("/a/{id}", parameters: [Self.id]), Self.route("/a/{id}", parameters: [Self.id])],
            [Self.route("/a", query: [.limit, .limit])], [Self.route("/a-b"), Self.route("/a/b")],
        ]

        for routes in contradictions {
            #expect(throws: RouteFault.self) { try RouteTable(routes) }
        }
    }

    @Test func `if a fixed segment leads to no route, the parameter is used`() throws {
        let table = try RouteTable([
            Self.route("/a/fixed/x"),
            Self.route("/a/{id}/y", parameters: [.text("id", "Any.", example: "1")]),
        ])

        guard case .route(let route, let values) = table.match(.get, "/a/fixed/y") else {
            Issue.record("no match")
            return
        }
        #expect(route.path == "/a/{id}/y")
        #expect(values == ["id": "fixed"])
    }

    @Test func `values are decoded once`() throws {
        let table = try RouteTable([Self.route("/a/{id}", parameters: [.text("id", "Any.", example: "1")])])

        guard case .route(_, let values) = table.match(.get, "/a/%2525+%C3%A4%2F") else {
            Issue.record("no match")
            return
        }
        #expect(values == ["id": "%25+ä/"])
    }

    @Test(arguments: [
        ("/v1/enrolments/{id}/walks/{walk_id}", "get_v1_enrolments_id_walks_walk_id"),
        ("/openapi.json", "get_openapi_json"),
    ])
    func `operation ids follow from method and path`(_ path: String, _ expected: String) {
        #expect(Self.route(path).operationID == expected)
    }
}
