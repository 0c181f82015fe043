import Compression
import Foundation
import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Bytes that are not JSON, and JSON that the server must not store, as bodies of an answer sheet.
@Suite struct InvalidBodyTests {
    @Test(arguments: InvalidBody.all)
    func `a body that is not valid JSON is rejected with the position`(_ body: InvalidBody) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let path = ada.newRecord("answer-sheets")

            let answer = try await ada.send(.put, path, bytes: body.bytes)

            answer.expectProblem(body.status, body.slug, body.pointers)
            try await ada.get(path).expectProblem(404, "not-found")
        }
    }

    @Test(arguments: MediaTypeCase.all)
    func `a body with another media type or coding is rejected`(_ body: MediaTypeCase) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let path = ada.newRecord("answer-sheets")

            let answer = try await ada.send(.put, path, bytes: body.bytes(), headers: body.headers)

            answer.expectProblem(body.status, body.slug, [])
            try await ada.get(path).expectProblem(404, "not-found")
        }
    }

    @Test(arguments: ["450.0", "4.5e2", "45E+1"])
    func `numbers are compared by value`(_ number: String) async throws {
        let text = SampleSheet.text.replacingOccurrences(of: ":450", with: ":\(number)")
        #expect(text != SampleSheet.text)

        try await ServerFixture.withParticipant { ada async throws in
            let path = ada.newRecord("answer-sheets")
            let answer = try await ada.put(path, text: text)
            let stored = try await ada.get(path)

            #expect(answer.status == 201, "\(answer.text)")
            #expect(stored.json["answers"]?["sleep_minutes"] == 450)
        }
    }

    @Test(arguments: [
        "caf\u{E9}", "cafe\u{301}", "\u{202E}right to left", "zero\u{200B}width",
        "\u{1F469}\u{200D}\u{1F467}", "'; drop table research.enrolment; --", "=cmd|' /C calc'!A0",
        "<script>alert(1)</script>", #"\u0000 written out"#, "tab\tand\r\nlines", "line\u{2028}separator",
        "\u{FFFE}\u{FFFF}", String(repeating: "x", count: 2000),
    ])
    func `texts are returned byte for byte`(_ note: String) async throws {
        let sheet = SampleSheet.body("daily_evening", SampleSheet.daily.with(["note": .string(note)]))

        try await ServerFixture.withParticipant { ada async throws in
            let path = ada.newRecord("answer-sheets")
            let answer = try await ada.put(path, sheet)
            let stored = try await ada.get(path).json["answers"]?["note"]?.string

            #expect(answer.status == 201, "\(answer.text)")
            #expect(stored.map { Array($0.utf8) } == Array(note.utf8))
        }
    }
}

/// A body, and the problem document that it results in.
struct InvalidBody: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let status: Int
    let slug: String
    let pointers: Set<String>

    /// Bytes that are not JSON.
    private static func unreadable(_ title: String, _ bytes: [UInt8]) -> InvalidBody {
        InvalidBody(testDescription: title, bytes: bytes, status: 400, slug: "body-unreadable", pointers: [])
    }

    /// The sheet's text with one replacement, which results in text that is not JSON.
    private static func unreadable(_ title: String, _ old: String, _ new: String) -> InvalidBody {
        unreadable(title, replaced(old, Array(new.utf8)))
    }

    /// The sheet's text with one replacement.
    private static func invalid(
        _ title: String, _ old: String, _ new: String, _ pointers: Set<String>,
        slug: String = "body-invalid"
    ) -> InvalidBody {
        InvalidBody(
            testDescription: title, bytes: replaced(old, Array(new.utf8)), status: 422, slug: slug,
            pointers: pointers)
    }

    /// JSON that is not a sheet.
    private static func notASheet(_ title: String, _ text: String, _ pointers: Set<String>) -> InvalidBody {
        InvalidBody(
            testDescription: title, bytes: Array(text.utf8), status: 422, slug: "body-invalid",
            pointers: pointers)
    }

    private static func replaced(_ old: String, _ new: [UInt8]) -> [UInt8] {
        let text = SampleSheet.text
        let ranges = text.ranges(of: old)
        precondition(ranges.count == 1, "\(old) does not occur exactly once in \(text)")
        return Array(text[..<ranges[0].lowerBound].utf8) + new + Array(text[ranges[0].upperBound...].utf8)
    }

    private static let mood = #""mood":5"#
    private static let sleep = #""sleep_minutes":450"#
    private static let note = #""note":"plain""#
    private static let version = #""version":"1.0.0""#
    private static let startedAt = #""started_at":"2026-11-21T17:30:00.000Z""#
    private static let completedAt = #""completed_at":"2026-11-21T17:30:00.000Z""#
    private static let sheet = Array(SampleSheet.text.utf8)

    static let all = contents + names + numbers + syntax + encodings + nesting + shapes + instants

    private static let contents = [
        invalid("U+0000 as an escape", note, #""note":"cut\u0000here""#, ["/answers/note"]),
        invalid("U+0000 in the name of a member", note, #""note\u0000":"x""#, ["/answers"]),
        unreadable("U+0000 as a byte", note, "\"note\":\"cut\u{0}here\""),
        unreadable("a line feed as a byte", note, "\"note\":\"cut\nhere\""),
        unreadable("a lone high surrogate", note, #""note":"\ud83d""#),
        unreadable("a lone low surrogate", note, #""note":"\ude00\ud83d""#),
    ]

    private static let names = [
        invalid("a duplicate member", mood, #""mood":5,"mood":1"#, ["/answers/mood"]),
        invalid("a duplicate member with an escape", mood, #""mood":5,"\u006dood":1"#, ["/answers/mood"]),
        invalid(
            "a duplicate member of the sheet", version, #""version":"1.0.0","version":"2.0.0""#, ["/version"]
        ),
        invalid(
            "names that differ in their normalisation", mood,
            "\"mood\":5,\"caf\u{E9}\":1,\"cafe\u{301}\":2",
            [#"/answers/caf\u{00E9}"#, #"/answers/cafe\u{0301}"#], slug: "answer-sheet-invalid"),
        invalid(
            "a name that looks like the name of an item", mood, "\"m\u{43E}od\":5",
            [#"/answers/m\u{043E}od"#, "/answers/mood"], slug: "answer-sheet-invalid"),
    ]

    private static let numbers =
        [
            ("2^53 + 1", "9007199254740993"), ("1e400", "1e400"), ("1e-400", "1e-400"),
            ("1e999999999", "1e999999999"), ("half a minute", "450.5"),
        ].map {
            invalid(
                $0, sleep, "\"sleep_minutes\":\($1)", ["/answers/sleep_minutes"],
                slug: "answer-sheet-invalid")
        } + [
            invalid(
                "2^53 + 1 as an option", mood, #""mood":9007199254740993"#, ["/answers/mood"],
                slug: "answer-sheet-invalid"),
            unreadable(
                "a number of 100,000 digits", sleep,
                "\"sleep_minutes\":" + String(repeating: "9", count: 100_000)),
            unreadable("NaN", sleep, #""sleep_minutes":NaN"#),
            unreadable("Infinity", sleep, #""sleep_minutes":-Infinity"#),
            unreadable("a hexadecimal number", sleep, #""sleep_minutes":0x10"#),
            unreadable("a leading zero", sleep, #""sleep_minutes":0450"#),
        ]

    private static let syntax = [
        unreadable("a trailing comma", mood, mood + ",,"),
        unreadable("a trailing comma at the end of an object", #""note":"plain"}"#, #""note":"plain",}"#),
        unreadable("a comment", mood, mood + " /* five */"),
        unreadable("single quotes", mood, "'mood':5"),
        unreadable("text after the end", sheet + Array("{}".utf8)),
        unreadable("half of the text", Array(sheet[..<(sheet.count / 2)])),
        unreadable("nothing", []),
        unreadable("spaces", Array("  \n ".utf8)),
    ]

    private static let encodings = [
        unreadable("a byte order mark", [0xEF, 0xBB, 0xBF] + sheet),
        unreadable("UTF-16", [0xFF, 0xFE] + sheet.flatMap { [$0, 0] }),
        unreadable("UTF-16 without a byte order mark", sheet.flatMap { [$0, 0] }),
        unreadable("UTF-32", [0xFF, 0xFE, 0, 0] + sheet.flatMap { [$0, 0, 0, 0] }),
        unreadable("a surrogate in UTF-8", replaced("plain", [0xED, 0xA0, 0x80])),
        unreadable("a byte that never occurs in UTF-8", replaced("plain", [0xFF])),
        unreadable("an overlong form", replaced("plain", [0xC0, 0xAF])),
    ]

    private static let nesting = [
        unreadable(
            "33 levels", note,
            "\"note\":" + String(repeating: "[", count: 32) + String(repeating: "]", count: 32)),
        unreadable("200,000 levels", Array(repeating: UInt8(ascii: "["), count: 200_000)),
        unreadable(
            "200,000 levels of objects", Array(String(repeating: #"{"a":"#, count: 200_000).utf8)),
    ]

    private static let shapes = [
        notASheet("null", "null", [""]),
        notASheet("an array", "[]", [""]),
        notASheet("a string", #""sheet""#, [""]),
        notASheet(
            "an object without members", "{}",
            [
                "/questionnaire", "/version", "/started_at", "/completed_at", "/time_zone", "/client_now",
                "/answers",
            ]),
        invalid(
            "several faults", version, #""version":1,"role":"admin","scores":[]"#,
            ["/version", "/role", "/scores"]),
    ]

    private static let instants = [
        invalid(
            "30 February", startedAt, #""started_at":"2026-02-30T17:30:00.000Z""#, ["/started_at"]),
        invalid(
            "a leap second", completedAt, #""completed_at":"2026-11-21T23:59:60Z""#, ["/completed_at"]),
        invalid(
            "an instant without an offset", startedAt, #""started_at":"2026-11-21T17:30:00.000""#,
            ["/started_at"]),
        invalid(
            "the year 10000", startedAt, #""started_at":"10000-01-01T00:00:00Z""#, ["/started_at"]),
    ]
}

/// A body with headers that the server does not accept.
struct MediaTypeCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    let slug: String
    let headers: HTTPFields
    let bytes: @Sendable () throws -> [UInt8]

    /// A valid sheet with headers that do not match.
    private static func unsupported(type: String = "application/json", coding: String? = nil) -> Self {
        MediaTypeCase(
            testDescription: "type \"\(type)\", coding \(coding ?? "none")", status: 415,
            slug: "media-type-unsupported", headers: headers(type, coding), bytes: { sheet })
    }

    /// A body that announces gzip.
    private static func gzip(
        _ title: String, _ status: Int = 400, _ slug: String = "body-unreadable",
        _ bytes: @escaping @Sendable () throws -> [UInt8]
    ) -> Self {
        MediaTypeCase(
            testDescription: title, status: status, slug: slug,
            headers: headers("application/json", "gzip"), bytes: bytes)
    }

    private static func headers(_ type: String, _ coding: String?) -> HTTPFields {
        var headers: HTTPFields = [.contentType: type]
        headers[.contentEncoding] = coding
        return headers
    }

    private static let sheet = Array(SampleSheet.text.utf8)

    private static func compressed(_ bytes: [UInt8] = sheet, level: Int32 = 6) throws -> [UInt8] {
        try Compressor.compress(bytes, .gzip, level: level)
    }

    static let all = [
        unsupported(type: "text/plain"),
        unsupported(type: "application/x-www-form-urlencoded"),
        unsupported(type: "application/json; charset=utf-16"),
        unsupported(type: ""),
        unsupported(coding: "br"),
        unsupported(coding: "gzip, gzip"),
        gzip("text that is not compressed") { sheet },
        gzip("a compressed body without its end") { try compressed().dropLast(9) },
        gzip("a compressed body with a wrong checksum") {
            try compressed().dropLast(8) + Array(repeating: 0, count: 8)
        },
        gzip("text after a compressed body") { try compressed() + Array("more".utf8) },
        gzip("50 MB in a small compressed body", 413, "body-too-large") {
            try compressed(Array(repeating: UInt8(ascii: " "), count: 50_000_000), level: 1)
        },
        MediaTypeCase(
            testDescription: "1 MiB and a byte", status: 413, slug: "body-too-large",
            headers: headers("application/json", nil)
        ) { Array(repeating: UInt8(ascii: " "), count: 1024 * 1024 + 1) },
    ]
}
