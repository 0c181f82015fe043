import Foundation
import Glibc
import Synchronization
import Testing

@testable import SaunterReminders

/// Calls by libcurl, up to the socket: what goes over a connection is tried from outside, with a real certificate.
@Suite struct OutwardCallTests {
    private func call(_ url: String, _ rule: OutwardRule, seconds: Int = 5) async throws -> OutwardReply {
        let post = OutwardPost(url: try #require(OutwardURL(url)), headers: [], body: [1, 2, 3])
        return await OutwardCaller.network(rule, seconds: seconds).call(post)
    }

    @Test(arguments: [
        "127.0.0.1", "[::1]", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "[::ffff:7f00:1]",
    ])
    func `no connection is made to this machine, whatever it is called`(_ host: String) async throws {
        let listener = try LoopbackListener()
        let reply = try await call("https://\(host):\(listener.port)/", OutwardRule())
        #expect(reply == .addressRefused)
        #expect(listener.connections == 0)
    }

    @Test(arguments: [
        "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "0.0.0.0",
        "[fd00:ec2::254]", "[fe80::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
    ])
    func `nor to other addresses that are not the open internet's`(_ host: String) async throws {
        #expect(try await call("https://\(host)/", OutwardRule()) == .addressRefused)
    }

    @Test(.timeLimit(.minutes(4)))
    func `a call that nobody waits for any more is broken off`() async throws {
        let listener = try LoopbackListener()
        let task = Task {
            try await call(
                "https://localhost:\(listener.port)/", try #require(OutwardRule("localhost")), seconds: 900)
        }
        while listener.connections == 0 { await Task.yield() }

        task.cancel()

        guard case .notSent = try await task.value else {
            Issue.record("nothing had been sent")
            return
        }
    }

    @Test func `what the operator allows is connected to`() async throws {
        let listener = try LoopbackListener()
        let reply = try await call(
            "https://localhost:\(listener.port)/", try #require(OutwardRule("localhost")))
        guard case .notSent = reply else {
            Issue.record("without TLS nothing is sent, but \(reply)")
            return
        }
        #expect(listener.connections > 0)
    }
}

/// A port of this machine that counts who comes and says nothing.
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

    /// Whoever came: their connections stand, and nobody speaks.
    private let clients = Mutex<[Int32]>([])

    deinit {
        clients.withLock { for client in $0 { close(client) } }
        close(socket)
    }

    /// All that came so far.
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
