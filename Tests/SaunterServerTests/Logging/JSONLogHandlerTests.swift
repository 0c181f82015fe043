import Foundation
import Logging
import SaunterCore
import SaunterServer
import Synchronization
import Testing

@Suite struct JSONLogHandlerTests {
    /// Collects the output of a logger.
    private final class Output: Sendable {
        let lines = Mutex<[String]>([])

        func logger(_ format: JSONLogHandler.Format, provider: Logger.MetadataProvider? = nil) -> Logger {
            Logger(label: "saunter.test") { label in
                JSONLogHandler(
                    label: label, level: .info, format: format, metadataProvider: provider,
                    now: { Instant(milliseconds: 1_795_248_000_007) },
                    write: { line in self.lines.withLock { $0.append(line) } })
            }
        }

        var text: String { lines.withLock { $0.joined() } }
    }

    private struct Line: Decodable, Equatable {
        var ts: String
        var level: String
        var label: String
        var message: String
        var metadata: [String: String]?
    }

    @Test func `an event is one JSON object`() {
        let output = Output()
        var logger = output.logger(.json)
        logger[metadataKey: "request_id"] = "r1"

        logger.info("started", metadata: ["port": "\(8080)", "hosts": ["a", ["b": "c"]]])

        #expect(
            output.text == """
                {"ts":"2026-11-21T08:00:00.007Z","level":"info","label":"saunter.test","message":"started",\
                "metadata":{"hosts":["a",{"b":"c"}],"port":"8080","request_id":"r1"}}

                """)
    }

    @Test func `an event without metadata has no member metadata`() {
        let output = Output()

        output.logger(.json).error("x")

        #expect(
            output.text
                == #"{"ts":"2026-11-21T08:00:00.007Z","level":"error","label":"saunter.test","message":"x"}"#
                + "\n")
    }

    @Test func `for a terminal an event is a line of text`() {
        let output = Output()

        output.logger(.text).warning("slow", metadata: ["b": "2", "a": "1"])

        #expect(output.text == "2026-11-21T08:00:00.007Z warning  saunter.test: slow a=1 b=2\n")
    }

    @Test func `the metadata of the event overrides that of the logger and of the provider`() throws {
        let output = Output()
        var logger = output.logger(
            .json, provider: .init { ["a": "provider", "b": "provider", "c": "provider"] })
        logger[metadataKey: "c"] = "logger"
        logger[metadataKey: "d"] = "logger"

        logger.info("x", metadata: ["b": "event"])

        let line = try JSONDecoder().decode(Line.self, from: Data(output.text.utf8))
        #expect(line.metadata == ["a": "provider", "b": "event", "c": "provider", "d": "logger"])
    }

    @Test func `events below the level are not written`() {
        let output = Output()
        var logger = output.logger(.json)

        logger.debug("x")
        #expect(output.text.isEmpty)
        logger.logLevel = .debug
        logger.debug("x")

        #expect(!output.text.isEmpty)
    }

    @Test(arguments: [
        "two\nlines", "\r\n", "\u{0}\u{7}\u{1b}[2J\u{7f}", "\u{85}\u{9b}31m", "\u{2028}\u{2029}", "\"\\",
        "ü 🚶 \u{fffd}",
        "{\"level\":\"critical\"}", String(repeating: "é", count: 3),
    ])
    func `an event is one line, with any text`(hostile: String) throws {
        let (json, text) = (Output(), Output())

        json.logger(.json).info("\(hostile)", metadata: [hostile: "\(hostile)"])
        text.logger(.text).info("\(hostile)", metadata: ["key": "\(hostile)"])

        let line = try JSONDecoder().decode(Line.self, from: Data(json.text.utf8))
        #expect(line.message.unicodeScalars.elementsEqual(hostile.unicodeScalars))
        #expect(
            line.metadata?.keys.first.map { $0.unicodeScalars.elementsEqual(hostile.unicodeScalars) } == true)
        for written in [json.text, text.text] {
            let scalars = written.unicodeScalars
            #expect(scalars.last == "\n")
            #expect(
                scalars.dropLast().allSatisfy {
                    $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
                        && !(0x2028...0x2029).contains($0.value)
                })
        }
    }

    @Test func `a very long text is truncated`() throws {
        let output = Output()

        output.logger(.json).info("\(String(repeating: "ü", count: 1_000_000))")

        #expect(output.text.utf8.count < 9000)
        let line = try JSONDecoder().decode(Line.self, from: Data(output.text.utf8))
        #expect(line.message.hasSuffix("ü…"))
    }

    @Test func `an error is logged with its description`() throws {
        struct Broken: Error, CustomStringConvertible { var description: String { "it broke" } }
        let output = Output()

        output.logger(.json).error("no", error: Broken())

        let line = try JSONDecoder().decode(Line.self, from: Data(output.text.utf8))
        #expect(line.metadata == ["error": "it broke"])
    }

    @Test func `lines of many threads do not mix on standard error`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let logger = Logger(label: "saunter.test") {
                .standardError(label: $0, level: .info) as JSONLogHandler
            }
            await withTaskGroup { group in
                for number in 0..<200 {
                    group.addTask { logger.info("\(String(repeating: "x", count: 5000))\(number)") }
                }
            }
        }

        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("{\"ts\":") }
        let messages = try lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)).message }
        #expect(Set(messages.map { $0.drop { $0 == "x" } }) == Set((0..<200).map { "\($0)"[...] }))
    }
}
