import Foundation
import Glibc
import Synchronization
import Testing

@testable import SaunterReminders

/// Requests by libcurl up to the TLS handshake. The acceptance tests check requests over TLS with a real certificate.
@Suite struct OutboundClientTests {
    private func send(
        to url: String, _ policy: OutboundPolicy, timeoutSeconds: Int = 5
    ) async throws -> OutboundOutcome {
        let request = OutboundRequest(url: try #require(OutboundURL(url)), headers: [], body: [1, 2, 3])
        return await OutboundClient.network(policy, timeoutSeconds: timeoutSeconds).send(request)
    }

    @Test(arguments: [
        "127.0.0.1", "[::1]", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "[::ffff:7f00:1]",
    ])
    func `no connection is made to a loopback address, in any notation`(_ host: String) async throws {
        let listener = try LoopbackListener()
        let outcome = try await send(to: "https://\(host):\(listener.port)/", OutboundPolicy())
        #expect(outcome == .addressRefused)
        #expect(listener.connections == 0)
    }

    @Test(arguments: [
        "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "0.0.0.0",
        "[fd00:ec2::254]", "[fe80::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
    ])
    func `no connection is made to other addresses that are not public`(_ host: String) async throws {
        #expect(try await send(to: "https://\(host)/", OutboundPolicy()) == .addressRefused)
    }

    @Test(.timeLimit(.minutes(4)))
    func `a request of a cancelled task is aborted`() async throws {
        let listener = try LoopbackListener()
        let task = Task {
            try await send(
                to: "https://localhost:\(listener.port)/", try #require(OutboundPolicy("localhost")),
                timeoutSeconds: 900)
        }
        while listener.connections == 0 { await Task.yield() }

        task.cancel()

        guard case .notSent = try await task.value else {
            Issue.record("the request was not sent, so the outcome must be notSent")
            return
        }
    }

    @Test func `a connection is made to a host that the operator permits`() async throws {
        let listener = try LoopbackListener()
        let outcome = try await send(
            to: "https://localhost:\(listener.port)/", try #require(OutboundPolicy("localhost")))
        guard case .notSent = outcome else {
            Issue.record("without TLS nothing is sent, but the outcome is \(outcome)")
            return
        }
        #expect(listener.connections > 0)
    }
}

/// Listens on a loopback port, counts connections and never sends a byte.
private final class LoopbackListener: Sendable {
    private let socket: Int32
    let port: Int

    struct Fault: Error {}

    init() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                Glibc.bind(socket, generic, length) == 0 && Glibc.listen(socket, 8) == 0
                    && Glibc.getsockname(socket, generic, &length) == 0
            }
        }
        guard bound, fcntl(socket, F_SETFL, O_NONBLOCK) == 0 else { throw Fault() }
        self.socket = socket
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// The accepted connections. They stay open.
    private let clients = Mutex<[Int32]>([])

    deinit {
        clients.withLock { for client in $0 { close(client) } }
        close(socket)
    }

    /// The number of connections up to now.
    var connections: Int {
        clients.withLock { clients in
            while true {
                let client = accept(socket, nil, nil)
                guard client >= 0 else { return clients.count }
                clients.append(client)
            }
        }
    }
}
