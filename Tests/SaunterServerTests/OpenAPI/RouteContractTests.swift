import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct RouteContractTests {
    private static let route = Route(
        .get, "/v1/things", who: .anyone, tag: "T", summary: "S",
        outcomes: [
            .json(.ok, "Yes.", .object([.required("n", .integer())])), .empty(.noContent, "Nothing."),
        ]
    ) { _ in .noContent }

    @Test func `a reply that is declared departs in nothing`() {
        #expect(Self.route.departures(of: .json(.ok, ["n": 1])) == [])
        #expect(Self.route.departures(of: .noContent) == [])
    }

    @Test(arguments: [
        (Reply.json(.ok, ["n": "1"]), "wrong_type"), (.json(.ok, ["n": 1, "m": 1]), "unknown_member"),
        (.json(.created, ["n": 1]), "undeclared_status"), (.empty(.ok), "undeclared_content_type"),
        (.bytes([], contentType: "text/plain"), "undeclared_content_type"),
    ])
    func `a reply that is not declared is found`(_ reply: Reply, _ code: String) {
        #expect(Self.route.departures(of: reply).map(\.code) == [code])
    }
}
