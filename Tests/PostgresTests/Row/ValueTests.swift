import Foundation
import Postgres
import Testing

@Suite("Value round trip") struct ValueTests {
    static let id = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 255, 254))

    /// Sends a parameter. Expects that the server returns the value `expected` and converts it to the text `text`.
    func check<Value: PostgresDecodable & Equatable>(
        _ parameter: Parameter, _ expected: Value, shownAs text: String
    ) async throws {
        try await TestServer.withConnection { connection in
            let row = try await connection.run("select $1 as value, $1::text as shown", parameter).one()
            #expect(try row.get("value") == expected)
            #expect(try row.get("shown") == text)
        }
    }

    @Test(arguments: ["", "plain", "Grüße, 世界 🚶‍♀️, e\u{301}", "quote ' \" \\ \r\n\t", "\u{1}\u{7F}"])
    func `texts are returned unchanged`(text: String) async throws {
        try await check(.text(text), text, shownAs: text)
    }

    @Test(arguments: [Int64.min, -1, 0, 1, .max])
    func `64-bit integers are returned unchanged`(number: Int64) async throws {
        try await check(.int8(number), number, shownAs: "\(number)")
    }

    @Test(arguments: [Int32.min, -1, 0, 1, .max])
    func `32-bit integers are returned unchanged`(number: Int32) async throws {
        try await check(.int4(number), number, shownAs: "\(number)")
    }

    @Test(arguments: [Int16.min, -1, 0, 1, .max])
    func `16-bit integers are returned unchanged`(number: Int16) async throws {
        try await check(.int2(number), number, shownAs: "\(number)")
    }

    @Test(arguments: [
        (0.1, "0.1"), (-0.0, "-0"), (1e308, "1e+308"), (.leastNonzeroMagnitude, "5e-324"),
        (.infinity, "Infinity"),
        (.pi, "3.141592653589793"),
    ])
    func `floating-point numbers are returned unchanged`(number: Double, text: String) async throws {
        try await check(.float8(number), number, shownAs: text)
    }

    @Test func `NaN is returned unchanged`() async throws {
        let value: Double = try await TestServer.withConnection {
            try await $0.value("select $1 as value", .float8(.nan))
        }

        #expect(value.isNaN)
    }

    @Test func `Booleans, UUIDs and byte arrays are returned unchanged`() async throws {
        try await check(.bool(true), true, shownAs: "true")
        try await check(.bool(false), false, shownAs: "false")
        try await check(.uuid(Self.id), Self.id, shownAs: "00010203-0405-0607-0809-0a0b0c0dfffe")
        try await check(.bytes([0, 255, 10]), [UInt8]([0, 255, 10]), shownAs: "\\x00ff0a")
        try await check(.bytes([]), [UInt8](), shownAs: "\\x")
    }

    @Test func `json is returned unchanged and jsonb is normalised`() async throws {
        try await check(
            .json(#"{"b": 1, "a": "ü"}"#), #"{"b": 1, "a": "ü"}"#, shownAs: #"{"b": 1, "a": "ü"}"#)
        try await check(.jsonb(#"{"b":1,"a":"ü"}"#), #"{"a": "ü", "b": 1}"#, shownAs: #"{"a": "ü", "b": 1}"#)
    }

    @Test func `arrays are returned unchanged`() async throws {
        try await check(.texts(["a", "", "ü,{}\""]), ["a", "", "ü,{}\""], shownAs: #"{a,"","ü,{}\""}"#)
        try await check(.texts(["a", nil]), ["a", nil] as [String?], shownAs: "{a,NULL}")
        try await check(.texts([]), [String](), shownAs: "{}")
        try await check(.uuids([Self.id]), [Self.id], shownAs: "{00010203-0405-0607-0809-0a0b0c0dfffe}")
        try await check(.bools([true, nil, false]), [true, nil, false] as [Bool?], shownAs: "{t,NULL,f}")
        try await check(.int2s([1, -2]), [1, -2] as [Int16], shownAs: "{1,-2}")
        try await check(.int4s([nil, 3]), [nil, 3] as [Int?], shownAs: "{NULL,3}")
        try await check(.int8s([.max]), [Int64.max], shownAs: "{9223372036854775807}")
        try await check(.float8s([0.5, nil]), [0.5, nil] as [Double?], shownAs: "{0.5,NULL}")
        try await check(.bytesArray([[0], []]), [[0], []] as [[UInt8]], shownAs: #"{"\\x00","\\x"}"#)
    }

    @Test(
        arguments: [
            (0, "1970-01-01 00:00:00+00"), (-1, "1969-12-31 23:59:59.999+00"),
            (946_684_799_999, "1999-12-31 23:59:59.999+00"),
            (1_795_255_200_123, "2026-11-21 10:00:00.123+00"),
            (-62_135_596_800_000, "0001-01-01 00:00:00+00"),
        ] as [(Int64, String)])
    func `timestamps are returned unchanged`(milliseconds: Int64, text: String) async throws {
        try await TestServer.withConnection { connection in
            try await connection.execute(script: "set timezone to 'UTC'")
            let row = try await connection.run(
                "select $1 as value, $1::text as shown, array[$1, $1] as several",
                .timestamp(milliseconds: milliseconds)
            ).one()
            #expect(try row.timestamp("value") == milliseconds)
            #expect(try row.get("shown") == text)
            #expect(try row.timestamps("several") == [milliseconds, milliseconds])
        }
    }

    @Test func `a timestamp with microseconds is rounded down to milliseconds`() async throws {
        try await TestServer.withConnection { connection in
            let row = try await connection.run(
                "select '1969-12-31 23:59:59.9985Z'::timestamptz as before, '1970-01-01 00:00:00.0015Z'::timestamptz as after"
            ).one()
            #expect(try row.timestamp("before") == -2)
            #expect(try row.timestamp("after") == 1)
        }
    }

    @Test(arguments: [(0, "1970-01-01"), (-1, "1969-12-31"), (20_778, "2026-11-21")])
    func `dates are returned unchanged`(days: Int, text: String) async throws {
        try await TestServer.withConnection { connection in
            let row = try await connection.run(
                "select $1 as value, $1::text as shown, array[$1] as several", .date(days: days)
            ).one()
            #expect(try row.date("value") == days)
            #expect(try row.get("shown") == text)
            #expect(try row.dates("several") == [days])
        }
    }

    @Test func `arrays of timestamps and dates are returned unchanged, and NULL elements are rejected`()
        async throws
    {
        try await TestServer.withConnection { connection in
            let row = try await connection.run(
                "select $1 as timestamps, $2 as dates, $3 as dates_with_null", .timestamps([0, 1500]),
                .dates([0, -1]),
                .dates([nil])
            ).one()
            #expect(try row.timestamps("timestamps") == [0, 1500])
            #expect(try row.dates("dates") == [0, -1])
            #expect(throws: DatabaseError.self) { try row.dates("dates_with_null") }
        }
    }

    @Test func `nil is sent as NULL for every parameter type`() async throws {
        let parameters: [Parameter] = [
            .text(nil), .uuid(nil), .bool(nil), .int2(nil), .int4(nil), .int8(nil), .float8(nil), .bytes(nil),
            .json(nil), .jsonb(nil), .timestamp(milliseconds: nil), .date(days: nil), .texts(nil),
            .uuids(nil),
            .bools(nil), .int2s(nil), .int4s(nil), .int8s(nil), .float8s(nil), .bytesArray(nil),
            .timestamps(nil), .dates(nil),
        ]
        try await TestServer.withConnection { connection in
            for parameter in parameters {
                let row = try await connection.run("select $1 as value", parameter).one()
                #expect(parameter.isNull)
                #expect(try row.isNull("value"))
                #expect(try row.getOptional("value", as: String.self) == nil)
            }
        }
    }

    @Test(arguments: [
        ("0", 0), ("-12.5", -12.5), ("0.1", 0.1),
        ("123456789012345678901234567890", 123456789012345678901234567890.0),
        ("0.00000000000000000001", 1e-20), ("1e400", .infinity), ("10000", 10_000),
        ("100010001.0001", 100_010_001.0001),
        ("9007199254740993", 9_007_199_254_740_992), ("'infinity'", .infinity),
    ])
    func `a numeric value is read as the nearest floating-point number`(literal: String, expected: Double)
        async throws
    {
        let value: Double = try await TestServer.withConnection {
            try await $0.value("select \(literal)::numeric as value")
        }

        #expect(value == expected)
    }

    @Test func `varchar, char, name and enum values are read and written as text`() async throws {
        try await TestServer.withConnection { connection in
            try await connection.execute(script: "create type pg_temp.mood as enum ('low', 'high')")
            let row = try await connection.run(
                """
                select 'a'::varchar(3) as a, 'b'::char(2) as b, 'c'::name as c, 'high'::pg_temp.mood as d,
                    array['low', 'high']::pg_temp.mood[] as e, $1::pg_temp.mood as f
                """, .text("low")
            ).one()
            #expect(try row.get("a") == "a")
            #expect(try row.get("b") == "b ")
            #expect(try row.get("c") == "c")
            #expect(try row.get("d") == "high")
            #expect(try row.get("e", as: [String].self) == ["low", "high"])
            #expect(try row.get("f") == "low")
        }
    }

    @Test func `an integer is read into every integer type that can hold it`() async throws {
        try await TestServer.withConnection { connection in
            let row = try await connection.run(
                "select 7::int2 as two, 70000::int4 as four, 5000000000::int8 as eight"
            ).one()
            #expect(try row.get("two", as: Int64.self) == 7)
            #expect(try row.get("four", as: Int.self) == 70_000)
            #expect(try row.get("four", as: Double.self) == 70_000)
            #expect(try row.get("eight", as: Int.self) == 5_000_000_000)
            #expect(throws: DatabaseError.self) { try row.get("four", as: Int16.self) }
            #expect(throws: DatabaseError.self) { try row.get("eight", as: Int32.self) }
        }
    }
}
