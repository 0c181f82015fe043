import Testing

@testable import SaunterCore

@Suite struct JSONWriterTests {
    @Test func `members keep their order, and there is no white space`() {
        let value: JSON = ["b": [1, 2.5, true, nil], "a": ["c": "d"], "": [:], "e": []]

        #expect(value.text == #"{"b":[1,2.5,true,null],"a":{"c":"d"},"":{},"e":[]}"#)
    }

    @Test func `text that is written piece by piece equals the text of the value`() throws {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("list")
            writer.array([1, 2]) { writer, number in
                writer.object { writer in
                    writer.member("number", .int(number))
                    writer.name("inner")
                    writer.object { $0.member("text", "a\"b") }
                    writer.member("none", nil as String?)
                }
            }
            writer.name("empty")
            writer.object { _ in }
            writer.name("nothing")
            writer.array([Int]()) { writer, _ in writer.write(.null) }
            writer.member("last", .bool(true))
        }

        let value: JSON = [
            "list": [
                ["number": 1, "inner": ["text": "a\"b"], "none": nil],
                ["number": 2, "inner": ["text": "a\"b"], "none": nil],
            ], "empty": [:], "nothing": [], "last": true,
        ]
        #expect(writer.bytes == value.bytes)
        #expect(try JSONReader.read(writer.bytes) == value)
    }

    @Test func `control characters, quotes and backslashes are escaped, and nothing else`() {
        let text =
            String(String.UnicodeScalarView((0...0x1f).compactMap { Unicode.Scalar($0) }))
            + "\"\\/ä\u{7f}\u{2028}😀"

        let written = JSON.string(text).text

        let expected =
            #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\t\n\u000b\u000c\r\u000e\u000f"#
            + #"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f"#
            + "\\\"\\\\/ä\u{7f}\u{2028}😀\""
        #expect(written == expected)
    }

    @Test func `the canonical form sorts members by bytes at every level`() {
        let value: JSON = ["b": 1, "a": ["z": 1, "ä": 2, "Z": 3], "aa": 4, "B": 5]

        #expect(
            String(decoding: value.canonicalBytes, as: UTF8.self)
                == #"{"B":5,"a":{"Z":3,"z":1,"ä":2},"aa":4,"b":1}"#)
    }

    @Test(arguments: [
        (["1", "1.0", "1e0", "10e-1", "0.1e1", "1.00000000000000000000000000"], "1"),
        (["0", "-0", "0.0", "-0.0e7", "0e99"], "0"), (["0.5", "5e-1", "0.50", "50E-2"], "0.5"),
        (["-120", "-1.2e2"], "-120"), (["9007199254740991"], "9007199254740991"),
        (["9007199254740993", "9007199254740993.0"], "9007199254740993e0"),
        (["1e400", "10e399"], "1e400"), (["1e-400", "0.1e-399"], "1e-400"),
        (["0.12345678901234567890", "1.234567890123456789e-1"], "1234567890123456789e-19"),
    ])
    func `equal numbers have the same canonical text`(literals: [String], canonical: String) throws {
        for literal in literals {
            #expect(String(decoding: try JSONReader.read(literal).canonicalBytes, as: UTF8.self) == canonical)
        }
    }

    @Test func `different numbers have different canonical texts`() throws {
        let literals = [
            "9007199254740992", "9007199254740993", "0.1", "0.10000000000000001",
            "0.1000000000000000055511151231257827",
            "1e400", "1e401", "-1e400", "1e999999", "4503599627370496.3", "4503599627370496",
        ]

        let canonical = try Set(literals.map { try JSONReader.read($0).canonicalBytes })

        #expect(canonical.count == literals.count)
    }

    @Test func `a number without an exponent equals its spelling with one`() throws {
        var random = QuestionnaireRandom(state: 4)
        for _ in 0..<20_000 {
            let digits = String(random.next() % 10_000_000_000_000_000 / UInt64(pow(10, random.next() % 17)))
            let places = Int(random.next() % 18)
            let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
            let point = padded.index(padded.endIndex, offsetBy: -places)
            let plain =
                (random.next() % 2 == 0 ? "-" : "") + padded[..<point]
                + (places > 0 ? "." + padded[point...] : "")

            let (short, long) = (try JSONReader.read(plain), try JSONReader.read(plain + "e0"))

            #expect(short.text == plain)
            #expect(long.text == plain + "e0")
            #expect(short.canonicalBytes == long.canonicalBytes, "\(plain)")
            #expect(short.double?.bitPattern == Double(plain)?.bitPattern, "\(plain)")
            #expect(short.int == long.int, "\(plain)")
        }
    }

    /// A power of ten.
    private func pow(_ base: Int, _ exponent: UInt64) -> Int {
        (0..<exponent).reduce(1) { power, _ in power * base }
    }

    @Test func `a number that JSON cannot represent is null`() {
        #expect(JSON.double(.nan) == .null)
        #expect(JSON.double(-.infinity) == .null)
        #expect(JSON.double(1e300).text == "1e+300")
    }

    @Test func `doubles survive a round trip`() throws {
        var random = QuestionnaireRandom(state: 9)
        for _ in 0..<5000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            #expect(try JSONReader.read(JSON.double(value).bytes).double == value)
        }
    }
}
