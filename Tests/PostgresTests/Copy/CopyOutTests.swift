import Postgres
import Synchronization
import Testing

@Suite("COPY out") struct CopyOutTests {
    struct Enough: Error {}

    /// Rows of 1,000 bytes and a line break.
    func rows(_ count: Int) -> String {
        "copy (select repeat('x', 1000) from generate_series(1, \(count))) to stdout"
    }

    func collect(_ sql: String, _ connection: Connection) async throws -> [UInt8] {
        var all: [UInt8] = []
        try await connection.copyOut(sql) { all += $0 }
        return all
    }

    @Test func `the bytes are the server's, whatever the format`() async throws {
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

    @Test func `pieces are whole rows of about 64 KiB, and a longer row is a piece by itself`() async throws {
        try await TestServer.withConnection { connection in
            var sizes: [Int] = []
            var areWhole = true
            try await connection.copyOut(rows(1000)) { piece in
                sizes.append(piece.count)
                areWhole = areWhole && piece.last == 10
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

    @Test func `a refusal is told, at the start or amid the rows`() async throws {
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
                await kind { try await connection.copyOut("select 1") { _ in } }
                    == .misuse("the statement is no COPY"))
            try await connection.run("select 1")
        }
    }

    @Test func `a COPY that goes the other way is a misuse`() async throws {
        try await TestServer.withConnection { connection in
            try await connection.execute(script: "create temp table t (n int)")
            #expect(
                await kind { try await connection.copyOut("copy t from stdin") { _ in } }
                    == .misuse("copyIn is for COPY … FROM STDIN, copyOut for COPY … TO STDOUT"))
        }
    }

    @Test func `a sink that throws breaks the COPY off, and the connection stays usable`() async throws {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backend()
            await #expect(throws: Enough.self) {
                try await connection.copyOut(rows(10_000_000)) { _ in throw Enough() }
            }
            #expect(try await connection.backend() == backend)
        }
    }

    @Test func `a sink that throws in a transaction has it rolled back`() async throws {
        try await TestServer.withConnection { connection in
            try await connection.execute(script: "create temp table t (n int)")
            await #expect(throws: Enough.self) {
                try await connection.transaction { transaction in
                    try await transaction.run("insert into t values (1)")
                    try await transaction.copyOut(rows(10_000_000)) { _ in throw Enough() }
                }
            }
            #expect(try await connection.value("select count(*) as value from t") == 0)
        }
    }

    @Test func `cancelling the task breaks the COPY off`() async throws {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backend()
            let task = Task {
                var pieces = 0
                try await connection.copyOut(rows(10_000_000)) { _ in
                    pieces += 1
                    if pieces == 2 { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
            #expect(await kind { try await task.value } == .cancelled)
            #expect(try await connection.backend() == backend)
        }
    }

    @Test func `a COPY that waits for the server can be cancelled`() async throws {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backend()
            let task = Task { try await connection.copyOut("copy (select pg_sleep(600)) to stdout") { _ in } }
            try await Observer.with { observer in
                try await observer.wait(for: backend, until: "wait_event = 'PgSleep'")
            }
            task.cancel()
            #expect(await kind { try await task.value } == .cancelled)
            #expect(try await connection.backend() == backend)
        }
    }

    @Test func `nothing else can be asked of the connection meanwhile`() async throws {
        try await TestServer.withConnection { connection in
            var refusals: Set<DatabaseError.Kind?> = []
            try await connection.copyOut(rows(200)) { _ in
                refusals.insert(await kind { try await connection.run("select 1") })
            }
            #expect(refusals == [.misuse("a COPY is under way on this connection")])
        }
    }

    @Test func `a slow sink holds the server back`() async throws {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backend()
            try await Observer.with { observer in
                var pieces = 0
                await #expect(throws: Enough.self) {
                    try await connection.copyOut(rows(1_000_000)) { _ in
                        pieces += 1
                        // The server would finish a gigabyte by itself; held back, it waits to be read.
                        try await observer.wait(for: backend, until: "wait_event = 'ClientWrite'")
                        if pieces == 3 { throw Enough() }
                    }
                }
            }
        }
    }

    @Test func `hundreds of megabytes pass in constant memory`() async throws {
        try await TestServer.withConnection { connection in
            let before = try ResidentMemory.bytes()
            var total = 0
            var highest = 0
            try await connection.copyOut(rows(300_000)) { piece in
                total += piece.count
                if total % 64 == 0 { highest = max(highest, try ResidentMemory.bytes()) }
            }
            #expect(total == 300_300_000)
            highest = max(highest, try ResidentMemory.bytes())
            // Other tests run in this process meanwhile; what matters is that it is far from three hundred.
            #expect(highest - before < 150_000_000)
        }
    }

    @Test func `one snapshot can be read in several pieces with parameters set aside`() async throws {
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
