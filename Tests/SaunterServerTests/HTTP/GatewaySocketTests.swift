import Foundation
import HTTPTypes
import HummingbirdTesting
import SaunterCore
import Synchronization
import Testing

@testable import SaunterServer

@Suite struct GatewaySocketTests {
    private static let head = "POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

    private static func shortTimeout() -> GatewaySettings {
        GatewaySettings(bodyTimeout: BodyTimeout(base: .milliseconds(300), bytesPerExtraSecond: 1_000_000))
    }

    private func onSocket(
        _ settings: GatewaySettings = GatewaySettings(),
        _ work: @escaping @Sendable (RawConnection) throws -> String
    ) async throws -> String {
        try await SampleGateway.application(settings).test(.live) { client async throws in
            let port = try #require(client.port)
            return try await RawConnection.with(port: port, work)
        }
    }

    @Test func `a body that does not arrive gets 408, and the connection is closed`() async throws {
        let answer = try await onSocket(Self.shortTimeout()) { connection in
            connection.send(Self.head + "Content-Length: 100\r\n\r\n{\"te")
            return connection.readToEnd()
        }

        #expect(answer.hasPrefix("HTTP/1.1 408 "))
        #expect(answer.contains("/problems/request-timeout"))
        #expect(answer.lowercased().contains("connection: close"))
    }

    @Test func `a client that does not read is disconnected, a slow reader gets the complete response`()
        async throws
    {
        /// The number of bytes for a client that pauses several times and reads a sixteenth of the response after each
        /// pause.
        func received(pauses: Int, of seconds: UInt32, timeout: Duration) async throws -> Int {
            try await SampleGateway.application(idleTimeout: timeout).test(.live) {
                client async throws in
                let port = try #require(client.port)
                return try await RawConnection.with(port: port) { connection in
                    connection.send("GET /v1/large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    var count = connection.read(until: "\r\n\r\n").utf8.count
                    for _ in 0..<pauses {
                        sleep(seconds)
                        count += connection.count(4 << 20)
                    }
                    return count + connection.readToEnd().utf8.count
                }
            }
        }

        // All pauses together are longer than the timeout, but each pause is much shorter.
        #expect(try await received(pauses: 6, of: 1, timeout: .seconds(5)) > 64 << 20)
        #expect(try await received(pauses: 1, of: 5, timeout: .milliseconds(300)) < 64 << 20)
    }

    @Test func `a client that expects 100 Continue gets it, or gets the error`() async throws {
        let expectContinue = Self.head + "Expect: 100-continue\r\nConnection: close\r\n"
        let accepted = try await onSocket { connection in
            let body = #"{"text":"late"}"#
            connection.send(expectContinue + "Content-Length: \(body.utf8.count)\r\n\r\n")
            let first = connection.read(until: "\r\n\r\n", seconds: 10)
            connection.send(body)
            return first + "|" + connection.readToEnd()
        }
        let rejected = try await onSocket { connection in
            connection.send(expectContinue + "Content-Length: 99999999999\r\n\r\n")
            return connection.readToEnd()
        }

        #expect(accepted.hasPrefix("HTTP/1.1 100 Continue\r\n\r\n|HTTP/1.1 201 "))
        #expect(rejected.hasPrefix("HTTP/1.1 413 "))
    }

    @Test func `a body that arrives byte by byte gets 408`() async throws {
        let answer = try await onSocket(Self.shortTimeout()) { connection in
            connection.send(Self.head + "Content-Length: 1000\r\n\r\n")
            for _ in 0..<40 where connection.send(" ") { usleep(50_000) }
            return connection.readToEnd()
        }

        #expect(answer.hasPrefix("HTTP/1.1 408 "))
    }

    @Test func `a slow body within its timeout is accepted`() async throws {
        let answer = try await onSocket(
            GatewaySettings(bodyTimeout: BodyTimeout(base: .seconds(3), bytesPerExtraSecond: 1000))
        ) { connection in
            let body = #"{"text":""# + String(repeating: "a", count: 4000) + #""}"#
            connection.send(Self.head + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n")
            for offset in stride(from: 0, to: body.utf8.count, by: 500) {
                let start = body.index(body.startIndex, offsetBy: offset)
                connection.send(String(body[start...].prefix(500)))
                usleep(500_000)
            }
            return connection.readToEnd()
        }

        #expect(answer.hasPrefix("HTTP/1.1 201 "))
    }

    @Test func `a body with a Content-Length above the limit is rejected before it arrives`() async throws {
        let answer = try await onSocket { connection in
            connection.send(Self.head + "Content-Length: 50000000\r\n\r\n")
            return connection.read(until: "\"limit_bytes\"")
        }

        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        #expect(answer.lowercased().contains("connection: close"))
    }

    @Test func `a chunked body is rejected when it exceeds the limit`() async throws {
        let answer = try await onSocket { connection in
            connection.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
            let chunk = "8000\r\n" + String(repeating: " ", count: 0x8000) + "\r\n"
            for _ in 0..<4 where connection.send(chunk) {}
            return connection.read(until: "\"limit_bytes\"")
        }

        #expect(answer.hasPrefix("HTTP/1.1 413 "))
    }

    @Test func `the connection can be used again after an error`() async throws {
        let answer = try await onSocket { connection in
            connection.send("PUT \(SampleGateway.walk) HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")
            let first = connection.read(until: "token-invalid")
            connection.send("GET /v1/file HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return first + connection.readToEnd()
        }

        #expect(answer.contains("HTTP/1.1 401 "))
        #expect(!answer.prefix(1000).lowercased().contains("connection: close\r\n\r\n{"))
        #expect(answer.contains("HTTP/1.1 200 "))
    }

    @Test func `an endless body for a route without a body cannot keep the connection open`() async throws {
        let outcome = try await onSocket { connection in
            connection.send("GET /v1/studies HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<1200 {
                guard connection.send("1\r\na\r\n") else { return "closed" }
                usleep(50_000)
            }
            return "still open after a minute"
        }

        #expect(outcome == "closed")
    }

    @Test func `Content-Length and chunks together cannot smuggle a request`() async throws {
        let answer = try await onSocket { connection in
            connection.send(
                Self.head
                    + "Connection: close\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/file HTTP/1.1\r\nHost: x\r\n\r\n"
            )
            return connection.readToEnd()
        }

        #expect(answer.hasPrefix("HTTP/1.1 400 "))
        #expect(answer.contains("/problems/request-invalid"))
        #expect(!answer.contains("one,two"))
    }

    @Test func `very long headers get 431, and the connection is closed`() async throws {
        let answer = try await onSocket { connection in
            connection.send(
                "GET /v1/file HTTP/1.1\r\nHost: x\r\nX-Long: " + String(repeating: "a", count: 100_000)
                    + "\r\n\r\n")
            return connection.readToEnd()
        }

        #expect(answer.hasPrefix("HTTP/1.1 431 "))
        #expect(answer.contains("/problems/headers-too-large"))
    }

    @Test(arguments: [
        ("BREW-ING", " /v1/file HTTP/1.1"), ("GET", " /v1/file HTTP/9.9"), ("GET", " /v1/\u{0} HTTP/1.1"),
        ("", "no request at all"),
    ])
    func `a request that the parser rejects gets a problem document after the responses before it`(
        _ method: String, _ rest: String
    ) async throws {
        let answer = try await onSocket { connection in
            connection.send("GET /v1/file HTTP/1.1\r\nHost: x\r\n\r\n\(method)\(rest)\r\nHost: x\r\n\r\n")
            return connection.readToEnd(seconds: 20)
        }

        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        let problem = try #require(answer.range(of: "HTTP/1.1 400 ")).lowerBound
        #expect(answer[..<problem].contains("two"))
        let headers = answer[problem...].lowercased()
        #expect(headers.contains("content-type: application/problem+json"))
        #expect(headers.contains("connection: close") && headers.contains("x-content-type-options: nosniff"))
        #expect(answer[problem...].contains("http://127.0.0.1:8080/problems/request-invalid"))
    }

    @Test func `pipelined requests get their responses in order, with and without bodies`() async throws {
        let body = #"{"text":"second"}"#
        let post =
            Self.head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
            + Self.head + "Transfer-Encoding: chunked\r\n\r\n11\r\n" + body + "\r\n0\r\n\r\n"
        let get = "GET /v1/studies/walking HTTP/1.1\r\nHost: x\r\n"

        let answer = try await onSocket { connection in
            connection.send(get + "\r\n" + post + get + "Connection: close\r\n\r\n")
            return connection.readToEnd()
        }

        let statuses = answer.matches(of: /HTTP\/1\.1 ([0-9]{3})/).map(\.1)
        #expect(statuses == ["200", "201", "201", "200"])
    }

    @Test func `thousands of pipelined requests get the first responses, and the connection is closed`()
        async throws
    {
        let answer = try await SampleGateway.application(idleTimeout: .seconds(2)).test(.live) {
            client async throws in
            let port = try #require(client.port)
            return try await RawConnection.with(port: port) { connection in
                let request = "GET / HTTP/1.1\r\nHost:x\r\n\r\n"
                connection.send(String(repeating: request, count: 5000))
                return connection.readToEnd(seconds: 20)
            }
        }

        let count = answer.components(separatedBy: "HTTP/1.1 404 ").count - 1
        #expect((100..<5000).contains(count))
        #expect(answer.hasSuffix("}"))
    }

    @Test func `the next request of a connection waits until the response before it is sent`() async throws {
        let served = Mutex(0)
        let route = Route(
            .get, "/docs", who: .anyone, tag: "Reference", summary: "Large",
            outcomes: [.file(.ok, "Bytes.", contentType: "application/zip")]
        ) { _ in
            served.withLock { $0 += 1 }
            return .bytes([UInt8](repeating: 1, count: 16 << 20), contentType: "application/zip")
        }

        let (first, all) = try await SampleGateway.application(routes: [route]).test(.live) {
            client async throws in
            let port = try #require(client.port)
            return try await RawConnection.with(port: port) { connection in
                let request = "GET /docs HTTP/1.1\r\nHost: x\r\n"
                connection.send(
                    String(repeating: request + "\r\n", count: 4) + request + "Connection: close\r\n\r\n")
                // A busy machine needs longer for the first response.
                for _ in 0..<100 where served.withLock({ $0 }) == 0 { usleep(200_000) }
                sleep(2)
                let first = served.withLock { $0 }
                return (first, connection.count(200 << 20))
            }
        }

        #expect(first == 1)
        #expect(served.withLock { $0 } == 5)
        #expect(all > 5 * (16 << 20))
    }

    @Test(arguments: [("", "required"), ("Host: a\r\nHost: b\r\n", "given_twice")])
    func `a request without Host or with two gets 400`(_ headers: String, _ code: String) async throws {
        let answer = try await onSocket { connection in
            connection.send("GET /v1/file HTTP/1.1\r\n\(headers)Connection: close\r\n\r\n")
            return connection.readToEnd()
        }

        #expect(answer.hasPrefix("HTTP/1.1 400 "))
        #expect(answer.contains("/problems/request-invalid"))
        #expect(answer.contains(#""pointer":"/Host","code":"\#(code)""#))
    }

    @Test func `a health check of a load balancer needs no Host`() async throws {
        let live = Route(
            .get, "/health/live", who: .anyone, tag: "Operation", summary: "Probe",
            outcomes: [.empty(.noContent, "Yes.")]
        ) { _ in .noContent }

        let answer = try await SampleGateway.application(routes: [live]).test(.live) { client async throws in
            let port = try #require(client.port)
            return try await RawConnection.with(port: port) { connection in
                connection.send("GET /health/live HTTP/1.0\r\nConnection: close\r\n\r\n")
                return connection.readToEnd()
            }
        }

        #expect(answer.contains(" 204 "))
    }

    @Test(arguments: [nil, "198.51.100.7"])
    func `unread responses of one address use a part of the limit, and other addresses are served`(
        forwardedFor: String?
    ) async throws {
        let route = Route(
            .get, "/v1/page", who: .anyone, tag: "Pages", summary: "Large",
            outcomes: [.file(.ok, "Bytes.", contentType: "application/zip")]
        ) { _ in .bytes([UInt8](repeating: 1, count: 16 << 20), contentType: "application/zip") }
        var settings = GatewaySettings(
            proxies: TrustedProxies([
                try #require(AddressRange("127.0.0.0/8")), try #require(AddressRange("::1")),
            ]),
            maximumOutgoingBytes: 64 << 20)
        settings.publicURL = "https://s.example"
        @Sendable func request(_ address: String?) -> String {
            "GET /v1/page HTTP/1.1\r\nHost: x\r\n" + (address.map { "X-Forwarded-For: \($0)\r\n" } ?? "")
                + "Connection: close\r\n\r\n"
        }

        let heads = try await SampleGateway.application(settings, routes: [route]).test(.live) {
            client async throws in
            let port = try #require(client.port)
            return try await withThrowingTaskGroup(of: String.self) { group in
                for index in 0..<5 {
                    // The first four read nothing but the head. The fifth is another address.
                    group.addTask {
                        try await Task.sleep(for: .milliseconds(300 * index))
                        return try await RawConnection.with(port: port) { connection in
                            connection.send(request(index == 4 ? "203.0.113.9" : forwardedFor))
                            let head = connection.read(until: "\r\n\r\n", seconds: 10)
                            sleep(6)
                            return "\(index) \(head.prefix(12).suffix(3))"
                        }
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
        }

        // Under load the first four can arrive in another order. Two of them fit.
        #expect(heads.contains("4 200"))
        #expect(heads.filter { $0.hasSuffix("200") }.count == 3)
        #expect(heads.filter { $0.hasSuffix("503") }.count == 2)
    }
}
