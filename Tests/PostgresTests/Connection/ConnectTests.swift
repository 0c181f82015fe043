import Glibc
import Postgres
import Testing

@Suite("Connecting") struct ConnectTests {
    /// The test cluster's string with hosts before its own.
    func string(behind hosts: String...) async throws -> ConnectionString {
        try self.string(behind: hosts, of: try await TestServer.string())
    }

    func string(behind hosts: [String], of string: ConnectionString) throws -> ConnectionString {
        let host = try #require(string.value(of: "host"))
        let port = string.value(of: "port") ?? "5432"
        return
            try string
            .setting("host", to: (hosts + [host]).joined(separator: ","))
            .setting("port", to: (hosts.map { _ in "5432" } + [port]).joined(separator: ","))
    }

    @Test func `of several hosts the first that answers is taken`() async throws {
        let connection = try await Connection.connect(
            to: try await string(behind: "/nonexistent", "127.0.0.255"))
        #expect(try await connection.value("select 1 as value") == 1)
        await connection.close()
    }

    @Test func `a host that accepts and never answers costs its time-out only`() async throws {
        let silent = try SilentServer()
        let target = try await TestServer.string()
        let string =
            try target
            .setting("host", to: "127.0.0.1,\(try #require(target.value(of: "host")))")
            .setting("port", to: "\(silent.port),\(target.value(of: "port") ?? "5432")")
            .setting("gssencmode", to: "disable")
        // The host that answers has no more time than the silent one.
        let connection = try await Connection.connect(to: string, connectTimeout: .seconds(6))
        #expect(try await connection.value("select 1 as value") == 1)
        await connection.close()
    }

    @Test func `nothing is told of a server that nobody reaches but why`() async throws {
        let string = try ConnectionString("host=/nonexistent,/missing user=ada password=secret dbname=x")
        guard
            case .connection(let reason, commitUnknown: false) = await kind({
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

    @Test func `a server that may not be written to is passed over when writing is asked for`() async throws {
        try await TestServer.withDatabase { string in
            let name = try #require(string.value(of: "dbname"))
            try await TestServer.withConnection { admin in
                try await admin.execute(
                    script: "alter database \(name) set default_transaction_read_only = on")
            }
            let wanting = try string.setting("target_session_attrs", to: "read-write")
            guard case .connection = await kind({ _ = try await Connection.connect(to: wanting) }) else {
                Issue.record("connected")
                return
            }
            let content = try await Connection.connect(
                to: try string.setting("target_session_attrs", to: "any"))
            await content.close()
        }
    }

    @Test func `of several hosts only one that may be written to is taken, unless told otherwise`()
        async throws
    {
        try await TestServer.withDatabase { string in
            let name = try #require(string.value(of: "dbname"))
            try await TestServer.withConnection { admin in
                try await admin.execute(
                    script: "alter database \(name) set default_transaction_read_only = on")
            }
            let several = try self.string(behind: ["/nonexistent"], of: string)
            guard case .connection = await kind({ _ = try await Connection.connect(to: several) }) else {
                Issue.record("connected")
                return
            }
            let content = try await Connection.connect(
                to: try several.setting("target_session_attrs", to: "any"))
            await content.close()
            let one = try await Connection.connect(to: string)
            await one.close()
        }
    }

    @Test func `an unknown role or database is refused with the server's code or reason`() async throws {
        let string = try await TestServer.string()
        let missing = await kind {
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

    @Test func `a closed connection refuses, and closing twice is harmless`() async throws {
        let connection = try await Connection.connect(to: try await TestServer.string())
        await connection.close()
        await connection.close()
        #expect(
            await kind { try await connection.run("select 1") }
                == .connection(reason: "the connection is closed", commitUnknown: false))
    }

    @Test func `connections come and go without leaving threads or descriptors behind`() async throws {
        func descriptors() throws -> Int {
            let directory = try #require(opendir("/proc/self/fd"))
            defer { closedir(directory) }
            var count = 0
            while readdir(directory) != nil { count += 1 }
            return count
        }
        let before = try descriptors()
        for _ in 1...300 {
            let connection = try await Connection.connect(to: try await TestServer.string())
            await connection.close()
        }
        // Each would leave three; other tests have some open meanwhile.
        #expect(try descriptors() - before < 300)
    }
}

/// A TCP server that lets connections be made and says nothing.
private final class SilentServer: Sendable {
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
