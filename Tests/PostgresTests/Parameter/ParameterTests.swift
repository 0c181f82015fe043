import Postgres
import Testing

@Suite("Parameter") struct ParameterTests {
    @Test(arguments: [
        Parameter.text("before\0after"), .json("\"\0\""), .jsonb("\0"), .texts(["fine", "\0"]),
    ])
    func `a text with U+0000 is rejected and never truncated`(parameter: Parameter) async throws {
        try await TestServer.withConnection { connection in
            #expect(
                await errorKind { try await connection.run("select $1, $2", .int4(1), parameter) }
                    == .encoding(parameter: 2, reason: "a text with U+0000 cannot be stored"))
            #expect(await connection.isUsable)
        }
    }

    @Test(arguments: [
        Parameter.timestamp(milliseconds: .max), .timestamp(milliseconds: .min), .date(days: .max),
        .date(days: .min),
        .date(days: Int(Int32.max) + 10_957), .timestamps([.max]), .dates([.min]),
    ])
    func `a date or time out of range is rejected and never wraps around`(parameter: Parameter) async throws {
        try await TestServer.withConnection { connection in
            #expect(
                await errorKind { try await connection.run("select $1", parameter) }
                    == .encoding(parameter: 1, reason: "the date or time is out of range"))
        }
    }

    @Test func `a time that only the server rejects fails with the error of the server`() async throws {
        try await TestServer.withConnection { connection in
            await #expect {
                try await connection.run("select $1", .timestamp(milliseconds: -300_000_000_000_000))
            } throws: { error in
                (error as? DatabaseError)?.sqlState == SQLState("22008")
            }
        }
    }

    @Test func `values of two megabytes are transferred without loss`() async throws {
        let text = String(repeating: "Gehen wir. ", count: 200_000)
        let bytes = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0) }
        try await TestServer.withConnection { connection in
            let row = try await connection.run(
                "select $1 as text, $2 as bytes, length($1) as length", .text(text), .bytes(bytes)
            ).one()
            #expect(try row.get("text") == text)
            #expect(try row.get("bytes") == bytes)
            #expect(try row.get("length") == 2_200_000)
        }
    }

    @Test func `more than 65535 parameters are rejected`() async throws {
        let many = Arguments([Parameter](repeating: .int4(1), count: 65_536))
        try await TestServer.withConnection { connection in
            #expect(
                await errorKind {
                    _ = try await connection.query(Statement(name: "many", sql: "select 1"), many)
                }
                    == .encoding(parameter: nil, reason: "more than 65535 parameters"))
        }
    }

    @Test func `the value of a parameter is never shown`() {
        let parameter = Parameter.text("suicidal")
        var dumped = ""
        dump([parameter], to: &dumped)

        #expect(!dumped.contains("suicidal"))
        #expect(!"\(parameter)".contains("suicidal"))
        #expect(!String(reflecting: parameter).contains("suicidal"))
    }
}
