import Glibc
import Synchronization
import Testing

@testable import Postgres

@Suite("Silence") struct SilenceTests {
    /// The relay before the server itself, as if they were two hosts.
    func string(_ relay: Relay) async throws -> ConnectionString {
        let server = try await TestServer.string()
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
            connectionString: try await string(relay), size: 2, statementTimeout: nil,
            connectTimeout: connectTimeout, acquireTimeout: .seconds(60), patience: .milliseconds(200))
        do {
            try await body(pool)
            await pool.close(grace: .seconds(5))
        } catch {
            await pool.close(grace: .zero)
            throw error
        }
    }

    // Without a limit for statements nothing else would ever end them.
    @Test(.timeLimit(.minutes(2)))
    func `a server that falls silent is left for the one that leads, whoever waits for it`() async throws {
        let relay = try await Relay()
        defer { relay.end() }
        try await withPool(relay, connectTimeout: .seconds(4)) { pool in
            let before = try await pool.backend()
            try await pool.withConnection { _ in _ = try await pool.backend() }
            let found = await kind {
                try await pool.write { transaction in
                    relay.fallSilent()
                    try await transaction.run("select 1")
                }
            }
            guard case .connection = found else {
                Issue.record("it ended with \(String(describing: found))")
                return
            }
            #expect(try await pool.backend() != before)
            #expect(relay.accepted > 0)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a statement that takes its time on the server that leads is left alone`() async throws {
        let relay = try await Relay()
        defer { relay.end() }
        // The relay passes everything on: a connection that is slow to stand must not make it look silent.
        try await withPool(relay, connectTimeout: .seconds(60)) { pool in
            let before = try await pool.backend()
            let known = relay.accepted
            try await TestServer.withConnection { other in
                try await other.run("select pg_advisory_lock(7301)")
                async let slow: Rows = pool.run("select pg_advisory_lock(7301)")
                // Until it has been looked who leads.
                while relay.accepted == known { try await Task.sleep(for: .milliseconds(20)) }
                try await other.run("select pg_advisory_unlock(7301)")
                _ = try await slow
            }
            #expect(try await pool.backend() == before)
        }
    }
}

/// Stands between client and server until it falls silent: then it takes what it is sent, and connections too, and passes nothing on.
final class Relay: Sendable {
    let directory: String
    private let listener: Int32
    private let isSilent = Atomic(false)
    private let count = Atomic(0)

    /// How many have connected.
    var accepted: Int { count.load(ordering: .relaxed) }

    init() async throws {
        let server = try await TestServer.string()
        let port = server.value(of: "port") ?? "5432"
        let target = "\(try #require(server.value(of: "host")))/.s.PGSQL.\(port)"
        var template = Array("/tmp/relay-XXXXXX".utf8CString)
        directory = try #require(mkdtemp(&template).map { String(cString: $0) })
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let path = "\(directory)/.s.PGSQL.5432"
        try #require(Self.call(path) { bind(listener, $0, $1) } == 0)
        try #require(listen(listener, 16) == 0)
        _ = DetachedThread.start { [self, listener] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                count.add(1, ordering: .relaxed)
                let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                _ = Self.call(target) { connect(upstream, $0, $1) }
                _ = DetachedThread.start { [self] in pump(client, upstream) }
                _ = DetachedThread.start { [self] in pump(upstream, client) }
            }
        }
    }

    /// Accepts nobody any more, and leaves nothing behind.
    func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        unlink("\(directory)/.s.PGSQL.5432")
        rmdir(directory)
    }

    func fallSilent() {
        isSilent.store(true, ordering: .relaxed)
    }

    private func pump(_ from: Int32, _ to: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let read = recv(from, &buffer, buffer.count, 0)
            guard read > 0 else { break }
            if isSilent.load(ordering: .relaxed) { continue }
            guard send(to, buffer, read, Int32(MSG_NOSIGNAL)) == read else { break }
        }
        // The end of one side is the other's, unless nothing is passed on.
        if !isSilent.load(ordering: .relaxed) { shutdown(to, Int32(SHUT_RDWR)) }
    }

    /// Calls with a Unix socket's address.
    private static func call(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: path.utf8.prefix(place.count - 1))
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
