import Glibc
import Synchronization
import Testing

@testable import Postgres

@Suite("Failover") struct FailoverTests {
    /// Returns a connection string with two hosts: first the relay, then the server.
    func makeConnectionString(through relay: Relay) async throws -> ConnectionString {
        let server = try await TestServer.connectionString()
        let host = try #require(server.value(of: "host"))
        return
            try server
            .setting("host", to: "\(relay.directory),\(host)")
            .setting("port", to: "5432,\(server.value(of: "port") ?? "5432")")
    }

    func withPool(
        _ relay: Relay, connectTimeout: Duration, _ body: (Pool) async throws -> Void
    ) async throws {
        let pool = Pool(
            connectionString: try await makeConnectionString(through: relay), size: 2, statementTimeout: nil,
            connectTimeout: connectTimeout, acquireTimeout: .seconds(60),
            failoverCheckDelay: .milliseconds(200))
        do {
            try await body(pool)
            await pool.close(grace: .seconds(5))
        } catch {
            await pool.close(grace: .zero)
            throw error
        }
    }

    // The pool has no statement timeout, so only the failover check can end the statement.
    @Test(.timeLimit(.minutes(2)))
    func `if a server stops answering, the statement on it fails and the pool uses the primary`() async throws
    {
        let relay = try await Relay()
        defer { relay.stop() }
        try await withPool(relay, connectTimeout: .seconds(4)) { pool in
            let before = try await pool.backendPID()
            try await pool.withConnection { _ in _ = try await pool.backendPID() }
            let failure = await errorKind {
                try await pool.write { transaction in
                    relay.stopForwarding()
                    try await transaction.run("select 1")
                }
            }
            guard case .connection = failure else {
                Issue.record("unexpected result: \(String(describing: failure))")
                return
            }
            #expect(try await pool.backendPID() != before)
            #expect(relay.acceptedCount > 0)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a slow statement is not interrupted while its server is the primary`() async throws {
        let relay = try await Relay()
        defer { relay.stop() }
        // The relay forwards everything in this test. The connect timeout is long, so that the relay does not look
        // unresponsive if a connection opens slowly.
        try await withPool(relay, connectTimeout: .seconds(60)) { pool in
            let before = try await pool.backendPID()
            let countBefore = relay.acceptedCount
            try await TestServer.withConnection { other in
                try await other.run("select pg_advisory_lock(7301)")
                async let slow: Rows = pool.run("select pg_advisory_lock(7301)")
                // Wait until the pool opens a connection to check which server is the primary.
                while relay.acceptedCount == countBefore { try await Task.sleep(for: .milliseconds(20)) }
                try await other.run("select pg_advisory_unlock(7301)")
                _ = try await slow
            }
            #expect(try await pool.backendPID() == before)
        }
    }
}

/// Forwards bytes between clients and the server through a Unix socket. After `stopForwarding`, it still accepts
/// connections and reads the bytes that it receives, but forwards nothing.
final class Relay: Sendable {
    let directory: String
    private let listener: Int32
    private let isForwardingStopped = Atomic(false)
    private let counter = Atomic(0)

    /// The number of accepted connections.
    var acceptedCount: Int { counter.load(ordering: .relaxed) }

    init() async throws {
        let server = try await TestServer.connectionString()
        let port = server.value(of: "port") ?? "5432"
        let target = "\(try #require(server.value(of: "host")))/.s.PGSQL.\(port)"
        var template = Array("/tmp/relay-XXXXXX".utf8CString)
        directory = try #require(mkdtemp(&template).map { String(cString: $0) })
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let path = "\(directory)/.s.PGSQL.5432"
        try #require(Self.withSocketAddress(path) { bind(listener, $0, $1) } == 0)
        try #require(listen(listener, 16) == 0)
        _ = DetachedThread.start { [self, listener] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                counter.add(1, ordering: .relaxed)
                let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                _ = Self.withSocketAddress(target) { connect(upstream, $0, $1) }
                _ = DetachedThread.start { [self] in forward(from: client, to: upstream) }
                _ = DetachedThread.start { [self] in forward(from: upstream, to: client) }
            }
        }
    }

    /// Stops accepting connections and removes the socket and its directory.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        unlink("\(directory)/.s.PGSQL.5432")
        rmdir(directory)
    }

    /// Makes the relay unresponsive.
    func stopForwarding() {
        isForwardingStopped.store(true, ordering: .relaxed)
    }

    private func forward(from source: Int32, to target: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let readCount = recv(source, &buffer, buffer.count, 0)
            guard readCount > 0 else { break }
            if isForwardingStopped.load(ordering: .relaxed) { continue }
            guard send(target, buffer, readCount, Int32(MSG_NOSIGNAL)) == readCount else { break }
        }
        // When one side closes its connection, the relay closes the other side, unless forwarding is stopped.
        if !isForwardingStopped.load(ordering: .relaxed) { shutdown(target, Int32(SHUT_RDWR)) }
    }

    /// Calls the block with the address of the Unix socket at `path`.
    private static func withSocketAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            buffer.copyBytes(from: path.utf8.prefix(buffer.count - 1))
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
