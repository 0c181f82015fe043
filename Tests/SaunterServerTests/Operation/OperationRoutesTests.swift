import Hummingbird
import HummingbirdTesting
import NIOCore
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct OperationRoutesTests {
    private static func application(
        _ checks: [ReadinessCheck], metricsToken: String? = nil
    ) throws -> some ApplicationProtocol {
        try SampleGateway.application(
            GatewaySettings(metricsToken: metricsToken.map(Secret.init)),
            routes: OperationRoutes(checks: checks) { "saunter_up 1\n" }.routes)
    }

    private static let good = ReadinessCheck("database") { nil }
    private static let bad = ReadinessCheck("disk") { "less than 1 GB is free" }

    @Test func `a process that responds is live, even if a check fails`() async throws {
        try await Self.application([Self.bad]).test(.router) { client async throws in
            #expect(try await client.send(.get, "/health/live").text == #"{"status":"live"}"#)
        }
    }

    @Test func `the server is ready if all checks succeed`() async throws {
        try await Self.application([Self.good]).test(.router) { client async throws in
            let answer = try await client.send(.get, "/health/ready")

            #expect(answer.status == 200)
            #expect(
                answer.text == #"{"status":"ready","checks":[{"name":"database","ok":true,"fault":null}]}"#)
        }
    }

    @Test func `a failed check is named`() async throws {
        try await Self.application([Self.good, Self.bad]).test(.router) { client async throws in
            let answer = try await client.send(.get, "/health/ready")

            #expect(answer.status == 503)
            #expect(answer.headers[.retryAfter] == "2")
            #expect(answer.json["status"] == "not_ready")
            #expect(answer.json["checks"]?.array?.last?["fault"] == "less than 1 GB is free")
            #expect(Readiness.schema.faults(in: answer.json).isEmpty)
        }
    }

    @Test func `a check that hangs fails`() async {
        let (never, _) = AsyncStream<Void>.makeStream()
        let hanging = ReadinessCheck("database") {
            for await _ in never {}
            return nil
        }

        let readiness = await Readiness.run([hanging, Self.good], timeout: .seconds(2))

        #expect(readiness.results.map(\.fault) == ["no answer in time", nil])
    }

    @Test func `metrics are a text for callers with the token`() async throws {
        try await Self.application([], metricsToken: "secret-token").test(.router) { client async throws in
            let good = try await client.send(.get, "/metrics", token: "secret-token")
            #expect(good.text == "saunter_up 1\n")
            #expect(good.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")

            #expect(try await client.send(.get, "/metrics").slug == "token-invalid")
            #expect(try await client.send(.get, "/metrics", token: "secret-toke").slug == "token-invalid")
        }
    }

    @Test
    func `without a configured token metrics are for this machine, but not for requests through a proxy`()
        async throws
    {
        try await Self.application([]).test(.live) { client async throws in
            #expect(try await client.send(.get, "/metrics").status == 200)
            #expect(
                try await client.send(.get, "/metrics", headers: [.forwardedFor: "127.0.0.1"]).slug
                    == "not-permitted")
            #expect(
                try await client.send(.get, "/metrics", headers: [.forwarded: "for=127.0.0.1"]).slug
                    == "not-permitted")
        }
    }
}
