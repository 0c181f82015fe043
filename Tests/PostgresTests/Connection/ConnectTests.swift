import Glibc
import Postgres
import Testing

@Suite("Opening a connection") struct ConnectTests {
    /// Returns the connection string of the test cluster with `hosts` before its host.
    func makeConnectionString(startingWith hosts: String...) async throws -> ConnectionString {
        try makeConnectionString(startingWith: hosts, followedBy: try await TestServer.connectionString())
    }

    func makeConnectionString(
        startingWith hosts: [String], followedBy string: ConnectionString
    ) throws -> ConnectionString {
        let host = try #require(string.value(of: "host"))
        let port = string.value(of: "port") ?? "5432"
        return
            try string
            .setting("host", to: (hosts + [host]).joined(separator: ","))
            .setting("port", to: (hosts.map { _ in "5432" } + [port]).joined(separator: ","))
    }

    @Test func `a list of hosts connects to the first host that answers`() async throws {
        let connection = try await Connection.connect(
            to: try await makeConnectionString(startingWith: "/nonexistent", "127.0.0.255"))
        #expect(try await connection.value("select 1 as value") == 1)
        await connection.close()
    }

    @Test func `a host that never answers delays connecting only by its timeout`() async throws {
        let unresponsive = try UnresponsiveServer()
        let target = try await TestServer.connectionString()
        let string =
            try target
            .setting("host", to: "127.0.0.1,\(try #require(target.value(of: "host")))")
            .setting("port", to: "\(unresponsive.port),\(target.value(of: "port") ?? "5432")")
            .setting("gssencmode", to: "disable")
        // The timeout is the same for both hosts, so it must be long enough for the host that answers.
        let connection = try await Connection.connect(to: string, connectTimeout: .seconds(6))
        #expect(try await connection.value("select 1 as value") == 1)
        await connection.close()
    }

    @Test func `the error for an unreachable server states the reason but not the password`() async throws {
        let string = try ConnectionString("host=/nonexistent,/missing user=ada password=secret dbname=x")
        guard
            case .connection(let reason, commitUnknown: false) = await errorKind({
                _ = try await Connection.connect(to: string)
            })
        else {
            Issue.record("no connection error")
            return
        }
        #expect(reason.contains("/nonexistent"))
        #expect(reason.contains("/missing"))
        #expect(!reason.contains("secret"))
    }

    @Test func `a read-only server is skipped if read-write is required`() async throws {
        try await TestServer.withDatabase { string in
            let name = try #require(string.value(of: "dbname"))
            try await TestServer.withConnection { admin in
                try await admin.execute(
                    script: "alter database \(name) set default_transaction_read_only = on")
            }
            let readWrite = try string.setting("target_session_attrs", to: "read-write")
            guard case .connection = await errorKind({ _ = try await Connection.connect(to: readWrite) })
            else {
                Issue.record("connected")
                return
            }
            let connection = try await Connection.connect(
                to: try string.setting("target_session_attrs", to: "any"))
            await connection.close()
        }
    }

    @Test func `a list of hosts skips a read-only host by default`()
        async throws
    {
        try await TestServer.withDatabase { string in
            let name = try #require(string.value(of: "dbname"))
            try await TestServer.withConnection { admin in
                try await admin.execute(
                    script: "alter database \(name) set default_transaction_read_only = on")
            }
            let twoHosts = try makeConnectionString(startingWith: ["/nonexistent"], followedBy: string)
            guard case .connection = await errorKind({ _ = try await Connection.connect(to: twoHosts) })
            else {
                Issue.record("connected")
                return
            }
            let toAnyServer = try await Connection.connect(
                to: try twoHosts.setting("target_session_attrs", to: "any"))
            await toAnyServer.close()
            let toSingleHost = try await Connection.connect(to: string)
            await toSingleHost.close()
        }
    }

    @Test func `an unknown database or role fails with the error of the server`() async throws {
        let string = try await TestServer.connectionString()
        let missing = await errorKind {
            _ = try await Connection.connect(to: try string.setting("dbname", to: "no_such_database"))
        }
        guard case .connection(let reason, _) = missing else {
            Issue.record("connected")
            return
        }
        #expect(reason.contains("no_such_database"))
        await #expect(throws: DatabaseError.self) {
            _ = try await Connection.connect(to: string, role: "no_such_role")
        }
    }

    @Test func `a closed connection rejects statements, and closing it twice is harmless`() async throws {
        let connection = try await Connection.connect(to: try await TestServer.connectionString())
        await connection.close()
        await connection.close()
        #expect(
            await errorKind { try await connection.run("select 1") }
                == .connection(reason: "the connection is closed", commitUnknown: false))
    }

    @Test func `a closed connection leaves no thread and no file descriptor behind`() async throws {
        func countDescriptors() throws -> Int {
            let directory = try #require(opendir("/proc/self/fd"))
            defer { closedir(directory) }
            var count = 0
            while readdir(directory) != nil { count += 1 }
            return count
        }
        let before = try countDescriptors()
        for _ in 1...300 {
            let connection = try await Connection.connect(to: try await TestServer.connectionString())
            await connection.close()
        }
        // A leak leaves three descriptors per connection, 900 in total. The limit of 300 allows for the connections
        // that parallel tests have open.
        #expect(try countDescriptors() - before < 300)
    }
}

/// A TCP server that accepts connections and never answers.
private final class UnresponsiveServer: Sendable {
    private let socket: Int32
    let port: UInt16

    init() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && listen(socket, 8) == 0
                    && getsockname(socket, address, &length) == 0
            }
        }
        try #require(isListening)
        self.socket = socket
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(socket)
    }
}
