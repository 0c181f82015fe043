import Testing

@testable import SaunterCore

@Suite struct JSONReaderTests {
    @Test(
        arguments: [
            ("null", JSON.null), (" true\n", true), ("false", false), ("0", 0), ("-12", -12), (#""""#, ""),
            ("[]", []), ("{}", [:]),
            ("\t[ 1 , \"a\" , null ]\r\n", [1, "a", nil]), (#"{"b":{"a":[[]]}}"#, ["b": ["a": [[]]]]),
            (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{c}\n\r\t")), (#""\u00e4\u0041""#, "äA"),
            (#""\ud83d\ude00""#, "😀"),
            (#""\uD83D\uDE00x""#, "😀x"), ("\"\u{7f}\u{85}\u{2028}\"", "\u{7f}\u{85}\u{2028}"),
            (#""\uffff""#, "\u{ffff}"),
        ] as [(String, JSON)])
    func `JSON texts are parsed`(text: String, value: JSON) throws {
        #expect(try JSONReader.read(text) == value)
    }

    @Test(arguments: [
        "0", "-0", "1.50", "1e5", "1E+05", "-1.25e-3", "9007199254740993", "1e400",
        "0.10000000000000000000000000000000001",
    ])
    func `a number keeps its digits`(literal: String) throws {
        #expect(try JSONReader.read(literal).text == literal)
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "tru", "NaN", "Infinity", "-Infinity", "01", "-", "+1", ".5", "5.",
        "1e", "1e+", "0x10", "1_0",
        "--1", "1.e1", "-01", "'a'", "\"a", "\"\t\"", "\"\n\"", #""\x41""#, #""\u12""#, #""\u12g4""#,
        #""\u+123""#, "[", "[1", "[1,", "[1,]", "[,1]",
        "[1 2]", "[1}", "{", "{1:2}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\" 1}", "{,}",
        "{\"a\":1 \"b\":2}", "1 2", "[] []", "// c\n1",
        "[1] x", "\u{feff}[]", "\u{a0}1", #""\ud83d""#, #""\ud83dx""#, #""\ud83d\u0041""#, #""\ude00""#,
        #""\ud83d\ud83d""#, "\"",
        #""\"#, #""\u"#, #""\ud83d\"#, #""\ud83d\u"#, "1234567890123456789012345678901234567890.1",
    ])
    func `any other text is rejected`(text: String) {
        #expect(throws: JSONFault.self) { try JSONReader.read(text) }
    }

    @Test(arguments: [
        [0x22, 0xFF, 0x22] as [UInt8], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
        [0x22, 0xED, 0xA0, 0x80, 0x22],
        [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0x80, 0x22], [0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00],
        [0x5B, 0x00, 0x5D],
        [0x22, 0x5C, 0x6E, 0xFF, 0x22], [0xEF, 0xBB, 0xBF, 0x5B, 0x5D],
    ])
    func `bytes that are not UTF-8 are rejected`(bytes: [UInt8]) {
        #expect(throws: JSONFault.self) { try JSONReader.read(bytes) }
    }

    @Test func `32 levels are accepted and 33 are rejected`() throws {
        func nested(_ depth: Int, _ open: String, _ close: String, _ inside: String) -> String {
            String(repeating: open, count: depth) + inside + String(repeating: close, count: depth)
        }

        #expect(throws: Never.self) { try JSONReader.read(nested(32, "[", "]", "1")) }
        #expect(throws: Never.self) { try JSONReader.read(nested(32, "{\"a\":", "}", "1")) }
        #expect(throws: JSONFault.self) { try JSONReader.read(nested(33, "[", "]", "")) }
        #expect(throws: JSONFault.self) { try JSONReader.read(nested(33, "{\"a\":", "}", "1")) }
        #expect(throws: JSONFault.self) { try JSONReader.read(String(repeating: "[", count: 1_000_000)) }
    }

    @Test func `U+0000 and duplicate members are all reported with pointers`() {
        let text = #"{"a":"x\u0000","b":[0,{"c/d":1,"c/d":2}],"e~":"\u0000\u0000","n\u0000":1}"#

        #expect {
            try JSONReader.read(text)
        } throws: { error in
            guard case .rejected(let faults)? = error as? JSONFault else { return false }
            return faults.list.map { "\($0.pointer) \($0.code)" } == [
                "/a nul_character", "/b/1/c~1d duplicate_member", "/e~0 nul_character", "/e~0 nul_character",
                " nul_character",
            ]
        }
    }

    @Test func `names that look equal but differ in bytes are two members`() throws {
        let object = try JSONReader.read("{\"\u{e9}\":1,\"e\u{301}\":2}").object

        #expect(object?.count == 2)
        #expect(object?["\u{e9}"] == 1)
        #expect(object?["e\u{301}"] == 2)
    }

    @Test func `a million duplicate members cause a hundred faults`() {
        let text = "{" + Array(repeating: "\"a\":1", count: 100_000).joined(separator: ",") + "}"

        #expect {
            try JSONReader.read(text)
        } throws: { error in
            guard case .rejected(let faults)? = error as? JSONFault else { return false }
            return faults.list.count == 100
        }
    }

    @Test func `the offset is the position where the reader stopped`() {
        #expect {
            try JSONReader.read("[1, 2, x]")
        } throws: { error in
            guard case .unreadable(7, _)? = error as? JSONFault else { return false }
            return true
        }
    }

    @Test func `damaged texts never crash, and accepted texts survive a round trip`() throws {
        var random = QuestionnaireRandom(state: 5)
        let seed = Array(
            #"{"a":[1,-2.5e3,true,null,"x\u00e4\n\ud83d\ude00"],"b":{"c":"\\","d":[[],{}]},"e":9007199254740993}"#
                .utf8)
        var readable = 0
        for _ in 0..<20_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                guard !bytes.isEmpty else { break }
                let offset = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[offset] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: offset)
                case 2: bytes.insert(seed[Int.random(in: 0..<seed.count, using: &random)], at: offset)
                default: bytes = Array(bytes[..<offset]) + [UInt8(ascii: "]")]
                }
            }
            guard let value = try? JSONReader.read(bytes) else { continue }
            readable += 1
            #expect(try JSONReader.read(value.bytes) == value)
            #expect(try JSONReader.read(value.canonicalBytes).canonicalBytes == value.canonicalBytes)
        }
        #expect(readable > 500)
    }
}
