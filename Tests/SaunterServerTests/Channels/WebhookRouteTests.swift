import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct WebhookRouteTests {
    @Test(
        arguments: [
            (["url": "http://example.net/hook"], "/url"),
            (["url": "https://169.254.169.254/latest/meta-data"], "/url"),
            (["url": "https://[fd00:ec2::254]/"], "/url"),
            (["url": "https://u:p@example.net/"], "/url"),
            (
                [
                    "url": "https://example.net/",
                    "secret": .string("whsec_" + String(repeating: "%", count: 40)),
                ], "/secret"
            ),
        ] as [(JSON, String)])
    func `an unusable webhook is rejected`(_ body: JSON, _ pointer: String) async throws {
        try await ServerFixture.withResearcher { rosa async throws in
            let answer = try await rosa.put("/v1/studies/mindful-walking/webhook", body)

            answer.expectProblem(422, "body-invalid", [pointer])
            #expect(answer.json["errors"]?.array?.count == 1)
            try await rosa.get("/v1/studies/mindful-walking/webhook").expectProblem(404, "not-found")
        }
    }
}
