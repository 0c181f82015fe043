import Postgres
import Testing

@Suite("Parameter") struct ParameterTests {
    @Test(arguments: [
        Parameter.text("before\0after"), .json("\"\0\""), .jsonb("\0"), .texts(["fine", "\0"]),
        .jsonbs(["\0"]),
    ])
    func `a text with U+0000 is refused, never cut`(parameter: Parameter) async throws {
        try await TestServer.withConnection { connection in
            #expect(
                await kind { try await connection.run("select $1, $2", .int4(1), parameter) }
                    == .encoding(parameter: 2, reason: "a text with U+0000 cannot be stored"))
            #expect(await connection.isUsable)
        }
    }

    @Test(arguments: [
        Parameter.timestamp(milliseconds: .max), .timestamp(milliseconds: .min), .date(days: .max),
        .date(days: .min),
        .date(days: Int(Int32.max) + 10_957), .timestamps([.max]), .dates([.min]),
    ])
    func `a time out of range is refused, never wrapped round`(parameter: Parameter) async throws {
        try await TestServer.withConnection { connection in
            #expect(
                await kind { try await connection.run("select $1", parameter) }
                    == .encoding(parameter: 1, reason: "a date or time out of range"))
        }
    }

    @Test func `a time that only the server knows to be out of range is its error`() async throws {
        try await TestServer.withConnection { connection in
            await #expect {
                try await connection.run("select $1", .timestamp(milliseconds: -300_000_000_000_000))
            } throws: { error in
                (error as? DatabaseError)?.sqlState == SQLState("22008")
            }
        }
    }

    @Test func `two megabytes arrive whole`() async throws {
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

    @Test func `more parameters than the protocol counts are refused`() async throws {
        let many = [Parameter](repeating: .int4(1), count: 65_536)
        try await TestServer.withConnection { connection in
            #expect(
                await kind { _ = try await connection.query(Statement(name: "many", sql: "select 1"), many) }
                    == .encoding(parameter: nil, reason: "more than 65535 parameters"))
        }
    }

    @Test func `nothing shows a parameter's value`() {
        let parameter = Parameter.text("suicidal")
        var dumped = ""
        dump([parameter], to: &dumped)

        #expect(!dumped.contains("suicidal"))
        #expect(!"\(parameter)".contains("suicidal"))
        #expect(!String(reflecting: parameter).contains("suicidal"))
    }
}
