import Postgres
import Testing

@Suite("COPY in") struct CopyInTests {
    struct Broken: Error {}

    func pieces(_ texts: String...) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            for text in texts { continuation.yield(Array(text.utf8)) }
            continuation.finish()
        }
    }

    func withTable(_ body: (Connection) async throws -> Void) async throws {
        try await TestServer.withConnection { connection in
            try await connection.execute(script: "create temp table t (n int primary key, text text)")
            try await body(connection)
        }
    }

    @Test func `pieces need not be whole rows`() async throws {
        try await withTable { connection in
            let count = try await connection.copyIn(
                "copy t from stdin (format csv)", from: pieces("1,a\n2", "", ",\"b\n", "c\"\n3,"))
            #expect(count == 3)
            #expect(
                try await connection.value("select string_agg(text, '|' order by n) as value from t")
                    == "a|b\nc")
        }
    }

    @Test func `megabytes are taken`() async throws {
        try await withTable { connection in
            let block = (0..<1000).map { _ in String(repeating: "x", count: 999) }
            let source = AsyncStream<Int> { continuation in
                for number in 0..<20 { continuation.yield(number) }
                continuation.finish()
            }.map { number in
                Array(block.enumerated().map { "\(number * 1000 + $0)\t\($1)\n" }.joined().utf8)
            }
            let count = try await connection.copyIn("copy t from stdin", from: source)
            #expect(count == 20_000)
            let length: Int = try await connection.value("select sum(length(text)) as value from t")
            #expect(length == 19_980_000)
        }
    }

    @Test func `data that the server refuses stores nothing, and the connection stays usable`() async throws {
        try await withTable { connection in
            await #expect {
                try await connection.copyIn("copy t from stdin", from: pieces("1\ta\n", "1\tb\n"))
            } throws: {
                ($0 as? DatabaseError)?.sqlState == .uniqueViolation
            }
            await #expect {
                try await connection.copyIn("copy t from stdin", from: pieces("x\ta\n"))
            } throws: { error in
                let error = error as? DatabaseError
                return error?.sqlState == .invalidTextRepresentation && error?.statement == "copy_in"
            }
            let outcome: Int = try await connection.value("select count(*) as value from t")
            #expect(outcome == 0)
        }
    }

    @Test func `a source that throws stores nothing, and the connection stays usable`() async throws {
        try await withTable { connection in
            let backend = try await connection.backend()
            let source = pieces("1\ta\n", "stop").map { piece in
                if piece == Array("stop".utf8) { throw Broken() }
                return piece
            }
            await #expect(throws: Broken.self) {
                try await connection.copyIn("copy t from stdin", from: source)
            }
            #expect(try await connection.value("select count(*) as value from t") == 0)
            #expect(try await connection.backend() == backend)
        }
    }

    @Test func `cancelling the task stores nothing`() async throws {
        try await withTable { connection in
            let backend = try await connection.backend()
            let task = Task {
                let source = pieces("1\ta\n", "2\tb\n").map { piece in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return piece
                }
                try await connection.copyIn("copy t from stdin", from: source)
            }
            #expect(await kind { try await task.value } == .cancelled)
            #expect(try await connection.value("select count(*) as value from t") == 0)
            #expect(try await connection.backend() == backend)
        }
    }

    @Test func `in a transaction it is part of that`() async throws {
        try await withTable { connection in
            await #expect(throws: Broken.self) {
                try await connection.transaction { transaction in
                    #expect(try await transaction.copyIn("copy t from stdin", from: pieces("1\ta\n")) == 1)
                    throw Broken()
                }
            }
            let outcome: Int = try await connection.value("select count(*) as value from t")
            #expect(outcome == 0)
        }
    }

    @Test func `a statement that is no COPY in is refused`() async throws {
        try await withTable { connection in
            await #expect(throws: DatabaseError.self) {
                try await connection.copyIn("copy missing from stdin", from: pieces())
            }
            await #expect(throws: DatabaseError.self) {
                try await connection.copyIn("select 1", from: pieces())
            }
            try await connection.run("select 1")
            await #expect(throws: DatabaseError.self) {
                try await connection.copyIn("copy t to stdout", from: pieces())
            }
            #expect(await !connection.isUsable)
        }
    }
}
