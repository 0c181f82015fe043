import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import SaunterCore
import Synchronization
import Testing

@testable import SaunterServer

@Suite struct GatewayTests {
    @Test func `a handler gets path, query and defaults in their types`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(
                .get, "/v1/studies?from=2026-11-21T09:00:00%2B01:00&codes=a,b&limit=10")

            #expect(answer.status == 200)
            let item = answer.json["items"]?.array?.first
            #expect(item?["limit"] == 10)
            #expect(item?["from"] == "2026-11-21T08:00:00.000Z")
            #expect(item?["codes"] == .array(["a", "b"]))
        }
    }

    @Test func `all faults of a query are reported, unknown parameters included`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(
                .get, "/v1/studies?limit=0&limit=5&form=x&from=yesterday&codes=A")

            #expect(answer.slug == "request-invalid")
            #expect(
                answer.faults == [
                    "/limit": "below_minimum", "/form": "unknown_parameter", "/from": "wrong_format",
                    "/codes/0": "wrong_format",
                ])
            #expect(answer.text.contains("Did you mean from?"))
            #expect(answer.text.contains("given_twice"))
        }
    }

    @Test(arguments: [
        "?limit=%zz", "?limit=%ff", "?%00=1", "?a%3db", "?" + String(repeating: "a&", count: 100),
    ])
    func `a malformed query is rejected`(_ query: String) async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(.get, "/v1/studies\(query)")

            #expect(answer.slug == "request-invalid")
        }
    }

    @Test(arguments: [
        "/", "/v1", "/v2/studies", "/v1/studies/", "//v1/studies", "/v1/studies/Walking",
        "/v1/studies/..%2f..%2fetc",
        "/v1/studies/%ff", "/v1/studies/%00", "/v1/studies/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t", "*",
    ])
    func `an unknown address gets 404`(_ path: String) async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(.get, path)

            #expect(answer.slug == "not-found")
        }
    }

    @Test(arguments: [
        "not-a-uuid", "0193a1f07c1e7d3a9b526f0c1d2e3f40", "%7b0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f4%7d",
    ])
    func `an id that is not a UUID gets 404 after authentication`(_ id: String)
        async throws
    {
        try await SampleGateway.application().test(.router) { client async throws in
            #expect(try await client.send(.get, "/v1/enrolments/\(id)/walks/\(id)").slug == "token-invalid")
            #expect(
                try await client.send(.get, "/v1/enrolments/\(id)/walks/\(id)", token: "account").slug
                    == "not-found")
        }
    }

    @Test func `a fixed segment has priority over a parameter`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let current = SampleGateway.walk.split(separator: "/").dropLast().joined(separator: "/")

            #expect(try await client.send(.get, "/\(current)/current", token: "account").status == 204)
            #expect(try await client.send(.get, SampleGateway.walk, token: "account").status == 200)
        }
    }

    @Test(arguments: [HTTPRequest.Method.delete, .trace, .connect, .post, HTTPRequest.Method("PROPFIND")!])
    func `an unsupported method gets 405 with Allow`(_ method: HTTPRequest.Method)
        async throws
    {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(method, SampleGateway.walk)

            #expect(answer.slug == "method-not-allowed")
            #expect(answer.headers[.allow] == "PUT, GET, HEAD, OPTIONS")
        }
    }

    @Test func `OPTIONS returns the methods`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(.options, "/v1/echo")

            #expect(answer.status == 204)
            #expect(answer.bytes.isEmpty)
            #expect(answer.headers[.allow] == "POST, OPTIONS")
        }
    }

    @Test func `HEAD is GET without the body`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let get = try await client.send(.get, "/v1/studies/walking")
            let head = try await client.send(.head, "/v1/studies/walking")

            #expect(head.status == 200)
            #expect(head.bytes.isEmpty)
            #expect(head.headers[.contentLength] == String(get.bytes.count))
            #expect(head.headers[.eTag] == get.headers[.eTag])
        }
    }

    @Test func `a valid request id is kept, others are replaced`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let kept = try await client.send(.get, "/v1/nothing", headers: [.requestID: "phone-0001.a_b"])
            #expect(kept.headers[.requestID] == "phone-0001.a_b")
            #expect(kept.json["instance"] == "phone-0001.a_b")

            for bad in [
                "short", "with blank", "semi;colon", String(repeating: "a", count: 65), "ümlaut-ümlaut",
            ] {
                let answer = try await client.send(.get, "/v1/nothing", headers: [.requestID: bad])
                #expect(answer.headers[.requestID] != bad)
                #expect(answer.headers[.requestID]?.count == 36)
            }
        }
    }

    @Test(arguments: [
        nil, "", "Bearer", "Bearer ", "Bearer wrong", "Bearer a b", "Basic account", "account",
        "Bearer " + String(repeating: "a", count: 5000),
    ])
    func `the error is the same for each fault of a token`(_ header: String?) async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(
                .get, SampleGateway.walk, headers: header.map { [.authorization: $0] } ?? [:])

            #expect(answer.status == 401)
            #expect(answer.slug == "token-invalid")
            #expect(answer.headers[.wwwAuthenticate] == "Bearer realm=\"saunter\"")
            #expect(answer.json["action"] == "sign_in")
        }
    }

    @Test(arguments: [
        ("account", "walking", "not-permitted"), ("admin", "walking", "not-permitted"),
        ("researcher", "other", "not-found"),
        ("coordinator", "other", "not-found"), ("wrong", "walking", "token-invalid"),
    ])
    func `a role is valid only in its study`(_ token: String, _ study: String, _ slug: String) async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(.get, "/v1/studies/\(study)/participants", token: token)

            #expect(answer.slug == slug)
        }
    }

    @Test func `a coordinator is also a researcher, but a researcher is not an admin`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            #expect(
                try await client.send(.get, "/v1/studies/walking/participants", token: "researcher").json[
                    "full"] == false)
            #expect(
                try await client.send(.get, "/v1/studies/walking/participants", token: "coordinator").json[
                    "full"] == true)
            #expect(try await client.send(.get, "/v1/admin", token: "researcher").slug == "not-permitted")
            #expect(try await client.send(.get, "/v1/admin", token: "admin").status == 204)
        }
    }

    @Test(arguments: [
        ("unknown", 500, "internal"), ("hummingbird", 413, "body-too-large"), ("cancelled", 503, "busy"),
        ("hashing", 503, "busy"),
    ])
    func `each thrown error becomes a problem without internal details`(
        _ kind: String, _ status: Int, _ slug: String
    ) async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(.get, "/v1/faults/\(kind)")

            #expect(answer.status == status)
            #expect(answer.slug == slug)
            #expect(!answer.text.contains("canary"))
            #expect((answer.headers[.retryAfter] != nil) == (status == 503))
        }
    }

    @Test func `each response has the security headers`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            for path in ["/v1/studies", "/v1/nothing", "/v1/faults/unknown"] {
                let headers = try await client.send(.get, path).headers

                #expect(headers[.cacheControl] == "no-store")
                #expect(headers[.xContentTypeOptions] == "nosniff")
                #expect(headers[.contentSecurityPolicy] == "default-src 'none'; frame-ancestors 'none'")
                #expect(headers[.strictTransportSecurity]?.hasPrefix("max-age=") == true)
                #expect(headers[.server] == "Saunter")
            }
        }
    }

    @Test func `a matching entity tag gets 304 without a body`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let first = try await client.send(.get, "/v1/studies/walking")
            let tag = try #require(first.headers[.eTag])
            #expect(first.headers[.cacheControl] == "private, no-cache")

            for header in [tag, "W/\(tag)", "\"x\", \(tag)", "*", tag.dropLast() + "-gzip\""] {
                let again = try await client.send(
                    .get, "/v1/studies/walking", headers: [.ifNoneMatch: String(header)])
                #expect(again.status == 304)
                #expect(again.bytes.isEmpty)
                #expect(again.headers[.eTag] == tag)
            }
            #expect(
                try await client.send(.get, "/v1/studies/walking", headers: [.ifNoneMatch: "\"x\""]).status
                    == 200)
        }
    }

    @Test func `an edit needs If-Match with the current state`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let none = try await client.send(.patch, "/v1/account", "{}", token: "account")
            let stale = try await client.send(
                .patch, "/v1/account", "{}", token: "account", headers: [.ifMatch: "\"v0\""])
            let good = try await client.send(
                .patch, "/v1/account", "{}", token: "account", headers: [.ifMatch: "\"v1\""])
            let representation = try await client.send(
                .patch, "/v1/account", "{}", token: "account", headers: [.ifMatch: "\"v1_representation\""])
            let other = try await client.send(
                .patch, "/v1/account", "{}", token: "account", headers: [.ifMatch: "\"v11_representation\""])

            #expect(
                [none.slug, stale.slug, good.slug] == ["precondition-required", "precondition-failed", nil])
            #expect([representation.slug, other.slug] == [nil, "precondition-failed"])
        }
    }

    @Test func `a page has its next cursor in the body and in the Link header`() async throws {
        try await SampleGateway.application().test(.router) { client async throws in
            let answer = try await client.send(.get, "/v1/studies")
            let next = try #require(answer.json["next"]?.string)

            #expect(
                answer.headers[.link]
                    == "<https://s.example/v1/studies?limit=10&cursor=\(next)>; rel=\"next\"")
            #expect(Cursor(next) == Cursor(["a/b", "2"]))
        }
    }

    @Test func `a stream arrives completely`() async throws {
        try await SampleGateway.application().test(.live) { client async throws in
            let answer = try await client.send(.get, "/v1/file")

            #expect(answer.text == "one,two")
            #expect(answer.headers[.contentType] == "application/zip")
        }
    }

    @Test func `only trusted proxies can report the address of the client`() async throws {
        let proxies = try TrustedProxies([
            #require(AddressRange("127.0.0.0/8")), #require(AddressRange("::1")),
        ])
        let header: HTTPFields = [.forwardedFor: "6.6.6.6, 203.0.113.9, 127.0.0.1"]

        try await SampleGateway.application(GatewaySettings(proxies: proxies)).test(.live) {
            client async throws in
            let answer = try await client.send(.get, "/v1/studies", headers: header)
            #expect(answer.json["items"]?.array?.first?["address"] == "203.0.113.9")
        }
        try await SampleGateway.application().test(.live) { client async throws in
            let answer = try await client.send(.get, "/v1/studies", headers: header)
            let address = answer.json["items"]?.array?.first?["address"]?.string
            #expect(address == "127.0.0.1" || address == "0:0:0:0:0:0:0:1")
        }
    }

    @Test func `a request above the limit is rejected at once, but a health check is not`() async throws {
        let (started, starter) = AsyncStream<Void>.makeStream()
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let slow = Route(
            .get, "/v1/slow", who: .anyone, tag: "Slow", summary: "Waits",
            outcomes: [.empty(.noContent, "At last.")]
        ) { _ in
            starter.yield()
            for await _ in gate { break }
            return .noContent
        }
        let live = Route(
            .get, "/health/live", who: .anyone, tag: "Operation", summary: "Probe",
            outcomes: [.empty(.noContent, "Yes.")]
        ) { _ in .noContent }
        var settings = GatewaySettings()
        settings.maximumRequests = 1

        try await SampleGateway.application(settings, routes: [slow, live]).test(.router) {
            client async throws in
            async let first = client.send(.get, "/v1/slow")
            for await _ in started { break }
            let second = try await client.send(.get, "/v1/slow")
            let probe = try await client.send(.get, "/health/live")
            opener.yield()

            #expect(second.slug == "busy")
            #expect(second.headers[.retryAfter] == "1")
            #expect(probe.status == 204)
            #expect(try await first.status == 204)
        }
    }

    @Test func `an error of the server is logged with the request id and the route, without the query`()
        async throws
    {
        let log = LineLog()

        try await SampleGateway.application(logger: log.logger).test(.router) { client async throws in
            _ = try await client.send(.get, "/v1/faults/unknown?", headers: [.requestID: "request-0001"])
            _ = try await client.send(
                .get, "/v1/studies?secret=canary", headers: [.requestID: "request-0002"])
        }

        #expect(log.lines.count { $0.contains("request-0001") && $0.contains("GET /v1/faults/{kind}") } == 1)
        #expect(!log.lines.contains { $0.contains("secret") || $0.contains("hb.request.id") })
    }

    @Test func `a request above a limit is not logged as an error of the server`() async throws {
        let log = LineLog()
        var settings = GatewaySettings()
        settings.maximumRequests = 0

        try await SampleGateway.application(settings, logger: log.logger).test(.router) {
            client async throws in
            let answer = try await client.send(.get, "/v1/studies", headers: [.requestID: "request-0003"])
            #expect(answer.slug == "busy")
        }

        #expect(log.lines.contains { $0.contains("request-0003") && $0.hasPrefix("debug") })
        #expect(!log.lines.contains { $0.hasPrefix("error") })
    }
}

/// Collects log lines for tests.
final class LineLog: Sendable {
    private let collected = Mutex<[String]>([])

    var lines: [String] { collected.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: LineLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            log.collected.withLock { $0.append("\(event.level) \(event.message) \(all)") }
        }
    }
}
