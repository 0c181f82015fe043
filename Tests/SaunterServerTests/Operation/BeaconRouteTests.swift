import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct BeaconRouteTests {
    private static let report: JSON = [
        "kind": "script", "page": "/my/{id}", "version": "app.0b1c2d3e.js",
        "text": "TypeError: x is undefined",
    ]

    @Test func `a report is accepted without a login, up to the limit of the address`() async throws {
        try await ServerFixture.withCaller { anyone async throws in
            let first = try await anyone.post("/v1/beacon", Self.report)
            var last = first
            for _ in 1...60 { last = try await anyone.post("/v1/beacon", Self.report) }

            #expect(first.status == 204)
            #expect(last.status == 429)
            #expect(last.headers[.retryAfter] != nil)
        }
    }

    @Test func `a report that is too large or has other members is rejected`() async throws {
        try await ServerFixture.withCaller { anyone async throws in
            var large = Self.report.object ?? [:]
            large["text"] = .string(String(repeating: "x", count: 5000))
            var wrong = Self.report.object ?? [:]
            wrong["answers"] = ["mood": 3]

            #expect(try await anyone.post("/v1/beacon", .object(large)).status == 413)
            #expect(try await anyone.post("/v1/beacon", .object(wrong)).status == 422)
        }
    }

    @Test(arguments: [
        ("TypeError: Can't find variable: x", "TypeError: Can't find variable: x"),
        (
            "GET /my/0190a5c0-0000-7000-8000-000000000000/o/7 failed",
            "GET /my/{id}/o/7 failed"
        ),
        (
            #"Unexpected token 'I', "I feel sad" is not valid JSON"#,
            "Unexpected token {text}, {text} is not valid JSON"
        ),
        ("no such user ada@example.org now", "no such user {address} now"),
        ("unfinished \"quotation of a diary", "unfinished {text}"),
    ])
    func `the log contains no id, address or quoted text`(_ text: String, _ logged: String) {
        #expect(BeaconRoutes.redacted(text) == logged)
    }
}
