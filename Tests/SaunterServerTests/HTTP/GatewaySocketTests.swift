import Foundation
import HummingbirdTesting
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct GatewaySocketTests {
    private static let head = "POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

    private static func impatient() -> GatewaySettings {
        GatewaySettings(pace: BodyPace(patience: .milliseconds(300), bytesPerExtraSecond: 1_000_000))
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

    @Test func `a body that never comes is answered 408, and the connection ends`() async throws {
        let answer = try await onSocket(Self.impatient()) { connection in
            connection.send(Self.head + "Content-Length: 100\r\n\r\n{\"te")
            return connection.readToEnd()
        }

        #expect(answer.hasPrefix("HTTP/1.1 408 "))
        #expect(answer.contains("/problems/request-timeout"))
        #expect(answer.lowercased().contains("connection: close"))
    }

    @Test func `whoever does not read a reply loses the connection, whoever reads gets it whole`()
        async throws
    {
        /// How much comes to somebody who rests so often, and takes a sixteenth of the reply after each rest.
        func received(rests: Int, of seconds: UInt32, patience: Duration) async throws -> Int {
            try await SampleGateway.application(idleTimeout: patience).test(.live) {
                client async throws in
                let port = try #require(client.port)
                return try await RawConnection.with(port: port) { connection in
                    connection.send("GET /v1/large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    var count = connection.read(until: "\r\n\r\n").utf8.count
                    for _ in 0..<rests {
                        sleep(seconds)
                        count += connection.take(4 << 20)
                    }
                    return count + connection.readToEnd().utf8.count
                }
            }
        }

        // All in all this takes longer than the patience, no rest by far as long.
        #expect(try await received(rests: 6, of: 1, patience: .seconds(5)) > 64 << 20)
        #expect(try await received(rests: 1, of: 5, patience: .milliseconds(300)) < 64 << 20)
    }

    @Test func `a client that asks first is told to send, or why not`() async throws {
        let asking = Self.head + "Expect: 100-continue\r\nConnection: close\r\n"
        let taken = try await onSocket { connection in
            let body = #"{"text":"late"}"#
            connection.send(asking + "Content-Length: \(body.utf8.count)\r\n\r\n")
            let first = connection.read(until: "\r\n\r\n", seconds: 10)
            connection.send(body)
            return first + "|" + connection.readToEnd()
        }
        let refused = try await onSocket { connection in
            connection.send(asking + "Content-Length: 99999999999\r\n\r\n")
            return connection.readToEnd()
        }

        #expect(taken.hasPrefix("HTTP/1.1 100 Continue\r\n\r\n|HTTP/1.1 201 "))
        #expect(refused.hasPrefix("HTTP/1.1 413 "))
    }

    @Test func `a body of one byte now and then is answered 408`() async throws {
        let answer = try await onSocket(Self.impatient()) { connection in
            connection.send(Self.head + "Content-Length: 1000\r\n\r\n")
            for _ in 0..<40 where connection.send(" ") { usleep(50_000) }
            return connection.readToEnd()
        }

        #expect(answer.hasPrefix("HTTP/1.1 408 "))
    }

    @Test func `a slow body that keeps the pace is taken`() async throws {
        let answer = try await onSocket(
            GatewaySettings(pace: BodyPace(patience: .seconds(3), bytesPerExtraSecond: 1000))
        ) { connection in
            let body = #"{"text":""# + String(repeating: "a", count: 4000) + #""}"#
            connection.send(Self.head + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n")
            for place in stride(from: 0, to: body.utf8.count, by: 500) {
                let start = body.index(body.startIndex, offsetBy: place)
                connection.send(String(body[start...].prefix(500)))
                usleep(500_000)
            }
            return connection.readToEnd()
        }

        #expect(answer.hasPrefix("HTTP/1.1 201 "))
    }

    @Test func `a body announced too large is refused before it comes`() async throws {
        let answer = try await onSocket { connection in
            connection.send(Self.head + "Content-Length: 50000000\r\n\r\n")
            return connection.read(until: "\"limit_bytes\"")
        }

        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        #expect(answer.lowercased().contains("connection: close"))
    }

    @Test func `a body in chunks is refused when it grows too large`() async throws {
        let answer = try await onSocket { connection in
            connection.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
            let chunk = "8000\r\n" + String(repeating: " ", count: 0x8000) + "\r\n"
            for _ in 0..<4 where connection.send(chunk) {}
            return connection.read(until: "\"limit_bytes\"")
        }

        #expect(answer.hasPrefix("HTTP/1.1 413 "))
    }

    @Test func `after a refusal the connection can be used again`() async throws {
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

    @Test func `nobody keeps a connection by an endless body that is not wanted`() async throws {
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

    @Test func `a length that contradicts the chunks is no way to smuggle a request`() async throws {
        let answer = try await onSocket { connection in
            connection.send(
                Self.head
                    + "Connection: close\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/file HTTP/1.1\r\nHost: x\r\n\r\n"
            )
            return connection.readToEnd()
        }

        #expect(answer.hasPrefix("HTTP/1.1 400 "))
        #expect(!answer.contains("one,two"))
    }

    @Test func `headers beyond all measure end the connection`() async throws {
        let answer = try await onSocket { connection in
            connection.send(
                "GET /v1/file HTTP/1.1\r\nHost: x\r\nX-Long: " + String(repeating: "a", count: 100_000)
                    + "\r\n\r\n")
            return connection.readToEnd()
        }

        #expect(!answer.contains("HTTP/1.1 200 "))
    }
}
