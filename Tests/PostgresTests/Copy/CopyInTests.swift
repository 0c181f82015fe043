import Postgres
import Testing

@Suite("COPY in") struct CopyInTests {
    struct SourceFailure: Error {}

    /// Returns a source with one chunk for each text.
    func makeSource(_ texts: String...) -> AsyncStream<[UInt8]> {
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

    @Test func `a chunk does not need to end at the end of a row`() async throws {
        try await withTable { connection in
            let count = try await connection.copyIn(
                "copy t from stdin (format csv)", from: makeSource("1,a\n2", "", ",\"b\n", "c\"\n3,"))
            #expect(count == 3)
            #expect(
                try await connection.value("select string_agg(text, '|' order by n) as value from t")
                    == "a|b\nc")
        }
    }

    @Test func `copyIn stores 20 MB of data`() async throws {
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

    @Test func `data that the server rejects is not stored, and the connection remains usable`() async throws
    {
        try await withTable { connection in
            await #expect {
                try await connection.copyIn("copy t from stdin", from: makeSource("1\ta\n", "1\tb\n"))
            } throws: {
                ($0 as? DatabaseError)?.sqlState == .uniqueViolation
            }
            await #expect {
                try await connection.copyIn("copy t from stdin", from: makeSource("x\ta\n"))
            } throws: { error in
                let error = error as? DatabaseError
                return error?.sqlState == .invalidTextRepresentation && error?.statement == "copy_in"
            }
            let count: Int = try await connection.value("select count(*) as value from t")
            #expect(count == 0)
        }
    }

    @Test func `if the source throws, nothing is stored and the connection remains usable`() async throws {
        try await withTable { connection in
            let backend = try await connection.backendPID()
            let source = makeSource("1\ta\n", "stop").map { chunk in
                if chunk == Array("stop".utf8) { throw SourceFailure() }
                return chunk
            }
            await #expect(throws: SourceFailure.self) {
                try await connection.copyIn("copy t from stdin", from: source)
            }
            #expect(try await connection.value("select count(*) as value from t") == 0)
            #expect(try await connection.backendPID() == backend)
        }
    }

    @Test func `if the task is cancelled, nothing is stored`() async throws {
        try await withTable { connection in
            let backend = try await connection.backendPID()
            let task = Task {
                let source = makeSource("1\ta\n", "2\tb\n").map { chunk in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return chunk
                }
                try await connection.copyIn("copy t from stdin", from: source)
            }
            #expect(await errorKind { try await task.value } == .cancelled)
            #expect(try await connection.value("select count(*) as value from t") == 0)
            #expect(try await connection.backendPID() == backend)
        }
    }

    @Test func `a COPY in a transaction is rolled back with the transaction`() async throws {
        try await withTable { connection in
            await #expect(throws: SourceFailure.self) {
                try await connection.transaction { transaction in
                    #expect(
                        try await transaction.copyIn("copy t from stdin", from: makeSource("1\ta\n")) == 1)
                    throw SourceFailure()
                }
            }
            let count: Int = try await connection.value("select count(*) as value from t")
            #expect(count == 0)
        }
    }

    @Test func `a statement that is not COPY FROM STDIN is rejected`() async throws {
        try await withTable { connection in
            await #expect(throws: DatabaseError.self) {
                try await connection.copyIn("copy missing from stdin", from: makeSource())
            }
            await #expect(throws: DatabaseError.self) {
                try await connection.copyIn("select 1", from: makeSource())
            }
            try await connection.run("select 1")
            await #expect(throws: DatabaseError.self) {
                try await connection.copyIn("copy t to stdout", from: makeSource())
            }
            #expect(await !connection.isUsable)
        }
    }
}
