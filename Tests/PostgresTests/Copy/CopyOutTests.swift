import Postgres
import Synchronization
import Testing

@Suite("COPY out") struct CopyOutTests {
    struct SinkFailure: Error {}

    /// Returns a COPY statement for `count` rows of 1,001 bytes each: 1,000 characters and a line break.
    func makeCopyStatement(rowCount count: Int) -> String {
        "copy (select repeat('x', 1000) from generate_series(1, \(count))) to stdout"
    }

    /// Runs the COPY statement and returns all bytes.
    func collect(_ sql: String, _ connection: Connection) async throws -> [UInt8] {
        var all: [UInt8] = []
        try await connection.copyOut(sql) { all += $0 }
        return all
    }

    @Test func `copyOut returns the bytes of the server in every format`() async throws {
        try await TestServer.withConnection { connection in
            let table = "(select n, 'Grüße, \"' || n as text, null as nothing from generate_series(1, 3) n)"
            let csv = try await collect("copy \(table) to stdout with (format csv, header)", connection)
            #expect(
                String(decoding: csv, as: UTF8.self) == """
                    n,text,nothing
                    1,"Grüße, ""1",
                    2,"Grüße, ""2",
                    3,"Grüße, ""3",

                    """)
            let binary = try await collect(
                "copy (select 1 where false) to stdout (format binary)", connection)
            #expect(binary.starts(with: Array("PGCOPY\n".utf8) + [255]))
            #expect(try await collect("copy (select 1 where false) to stdout", connection).isEmpty)
        }
    }

    @Test func `a chunk holds whole rows of about 64 KiB, and a longer row is a separate chunk`() async throws
    {
        try await TestServer.withConnection { connection in
            var sizes: [Int] = []
            var areWhole = true
            try await connection.copyOut(makeCopyStatement(rowCount: 1000)) { chunk in
                sizes.append(chunk.count)
                areWhole = areWhole && chunk.last == 10
            }
            #expect(areWhole)
            #expect(sizes.reduce(0, +) == 1_001_000)
            #expect(sizes.dropLast().allSatisfy { (64_000...65_536).contains($0) })

            sizes = []
            try await connection.copyOut(
                "copy (select repeat('x', n) from unnest(array[10, 200000, 300000, 10]) n) to stdout"
            ) { sizes.append($0.count) }
            #expect(sizes == [11, 200_001, 300_001, 11])
        }
    }

    @Test func `an error of the server is reported at the start and between the rows`() async throws {
        try await TestServer.withConnection { connection in
            await #expect { try await connection.copyOut("copy missing to stdout") { _ in } } throws: {
                ($0 as? DatabaseError)?.sqlState == .undefinedTable
            }
            await #expect {
                try await connection.copyOut(
                    "copy (select 1 / (10000 - n) from generate_series(1, 20000) n) to stdout"
                ) { _ in }
            } throws: { ($0 as? DatabaseError)?.sqlState == SQLState("22012") }
            #expect(
                await errorKind { try await connection.copyOut("select 1") { _ in } }
                    == .misuse("the statement is not a COPY"))
            try await connection.run("select 1")
        }
    }

    @Test func `a COPY in the other direction is a misuse`() async throws {
        try await TestServer.withConnection { connection in
            try await connection.execute(script: "create temp table t (n int)")
            #expect(
                await errorKind { try await connection.copyOut("copy t from stdin") { _ in } }
                    == .misuse("copyIn is for COPY … FROM STDIN, copyOut for COPY … TO STDOUT"))
        }
    }

    @Test func `if the sink throws, the COPY is cancelled and the connection remains usable`() async throws {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backendPID()
            await #expect(throws: SinkFailure.self) {
                try await connection.copyOut(makeCopyStatement(rowCount: 10_000_000)) { _ in
                    throw SinkFailure()
                }
            }
            #expect(try await connection.backendPID() == backend)
        }
    }

    @Test func `if the sink throws in a transaction, the transaction is rolled back`() async throws {
        try await TestServer.withConnection { connection in
            try await connection.execute(script: "create temp table t (n int)")
            await #expect(throws: SinkFailure.self) {
                try await connection.transaction { transaction in
                    try await transaction.run("insert into t values (1)")
                    try await transaction.copyOut(makeCopyStatement(rowCount: 10_000_000)) { _ in
                        throw SinkFailure()
                    }
                }
            }
            #expect(try await connection.value("select count(*) as value from t") == 0)
        }
    }

    @Test func `if the task is cancelled, the COPY is cancelled`() async throws {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backendPID()
            let task = Task {
                var chunkCount = 0
                try await connection.copyOut(makeCopyStatement(rowCount: 10_000_000)) { _ in
                    chunkCount += 1
                    if chunkCount == 2 { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
            #expect(await errorKind { try await task.value } == .cancelled)
            #expect(try await connection.backendPID() == backend)
        }
    }

    @Test func `a COPY that waits for the server can be cancelled`() async throws {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backendPID()
            let task = Task { try await connection.copyOut("copy (select pg_sleep(600)) to stdout") { _ in } }
            try await Observer.with { observer in
                try await observer.wait(for: backend, until: "wait_event = 'PgSleep'")
            }
            task.cancel()
            #expect(await errorKind { try await task.value } == .cancelled)
            #expect(try await connection.backendPID() == backend)
        }
    }

    @Test func `other requests on the connection are rejected during a COPY`() async throws {
        try await TestServer.withConnection { connection in
            var errorKinds: Set<DatabaseError.Kind?> = []
            try await connection.copyOut(makeCopyStatement(rowCount: 200)) { _ in
                errorKinds.insert(await errorKind { try await connection.run("select 1") })
            }
            #expect(errorKinds == [.misuse("a COPY is in progress on this connection")])
        }
    }

    @Test func `a slow sink slows the server down`() async throws {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backendPID()
            try await Observer.with { observer in
                var chunkCount = 0
                await #expect(throws: SinkFailure.self) {
                    try await connection.copyOut(makeCopyStatement(rowCount: 1_000_000)) { _ in
                        chunkCount += 1
                        // The COPY produces 1 GB. The server waits in ClientWrite only if the client does not read
                        // the data; otherwise, it would finish.
                        try await observer.wait(for: backend, until: "wait_event = 'ClientWrite'")
                        if chunkCount == 3 { throw SinkFailure() }
                    }
                }
            }
        }
    }

    @Test func `copying 300 MB uses constant memory`() async throws {
        try await TestServer.withConnection { connection in
            let before = try ResidentMemory.bytes()
            var total = 0
            var peak = 0
            try await connection.copyOut(makeCopyStatement(rowCount: 300_000)) { chunk in
                total += chunk.count
                if total % 64 == 0 { peak = max(peak, try ResidentMemory.bytes()) }
            }
            #expect(total == 300_300_000)
            peak = max(peak, try ResidentMemory.bytes())
            // Parallel tests in this process also use memory. The limit of 150 MB is far below the 300 MB of data.
            #expect(peak - before < 150_000_000)
        }
    }

    @Test func `several COPY statements read one snapshot with a parameter from set_config`() async throws {
        try await TestServer.withConnection { connection in
            try await connection.transaction(isolation: .repeatableRead, readOnly: true) { transaction in
                try await transaction.run("select set_config('export.n', $1, true)", .text("it's"))
                var all: [UInt8] = []
                for _ in 1...2 {
                    try await transaction.copyOut("copy (select current_setting('export.n')) to stdout") {
                        all += $0
                    }
                }
                #expect(String(decoding: all, as: UTF8.self) == "it's\nit's\n")
            }
        }
    }
}
