import Foundation
import SaunterCore
import Testing

@testable import SaunterWeb

/// The figure of a walk, and the file of an import.
struct WalkTests {
    /// A walk of three hours with a sample a second, above the target from the second hour on. It has a pause of five
    /// minutes, and no speed for one minute.
    private static let walk: JSON = {
        let seconds = (0..<10_800).filter { !(3600..<3900).contains($0) }
        let speeds = seconds.map { second -> JSON in
            (600..<660).contains(second)
                ? .null : .double(second >= 7200 ? 4.5 : 3.5 + Double(second % 2) / 10)
        }
        return [
            "started_at": "2026-11-21T08:00:00.000Z", "ended_at": "2026-11-21T11:00:00.000Z",
            "summary": ["target_speed_kmh": 4],
            "pauses": [["from": "2026-11-21T09:00:00.000Z", "to": "2026-11-21T09:05:00.000Z"]],
            "series": ["t_ms": .array(seconds.map { .int($0 * 1000) }), "speed_kmh": .array(speeds)],
        ]
    }()

    private static func english() throws -> Words.Language {
        try #require(try Words(WebFiles(folder: nil)).languages.first)
    }

    @Test func `gaps and pauses divide a series`() {
        let samples = WalkSamples(Self.walk)

        let runs = samples.runs(samples.speed)

        #expect(runs.map(\.count) == [600, 2940, 6900])
        #expect(samples.heartRate.isEmpty)
        #expect(samples.pauses.map(\.from) == [60] && samples.pauses.map(\.to) == [65])
    }

    @Test func `a long walk has few points, and the least and the greatest values`() throws {
        let svg = try #require(
            WalkFigure(WalkSamples(Self.walk), try Self.english()).svg(finding: "It got faster."))

        let lines = svg.matches(of: /<polyline class="line" points="([^"]*)"/)
        let points = lines.map { $0.1.split(separator: " ").count }
        #expect(points.count == 3 && points.reduce(0, +) <= 1500 && points.reduce(0, +) > 500)
        #expect(svg.contains("<desc>It got faster.</desc>") && svg.contains("role=\"img\""))
        #expect(svg.matches(of: /class="above"/).count == 1)
        #expect(svg.matches(of: /class="pause"/).count == 1)
    }

    @Test(
        arguments: [
            ("10:40:00", ["0 middle", "20 middle", "40 middle", "60 middle", "80 middle", "100 end"]),
            ("12:00:00", ["0 middle", "50 middle", "100 middle", "150 middle"]),
        ])
    func `a label at the right edge ends there, and the others are centred`(
        end: String, labels: [String]
    ) throws {
        let walk: JSON = [
            "started_at": "2026-11-21T09:00:00.000Z", "ended_at": .string("2026-11-21T\(end).000Z"),
            "series": ["t_ms": [0, 60_000], "speed_kmh": [4, 5]],
        ]
        let svg = try #require(
            WalkFigure(WalkSamples(walk), try Self.english()).svg(finding: "It got faster."))

        let found = svg.matches(of: /text-anchor="([a-z]+)">([0-9]+) min</).map { "\($0.2) \($0.1)" }
        #expect(found == labels)
    }

    @Test func `the table of a long walk has at most sixty rows`() throws {
        let rows = WalkFigure.table(WalkSamples(Self.walk), try Self.english())

        #expect(rows.count == 60)
        #expect(rows.first?["speed"] as? String == "3.6" || rows.first?["speed"] as? String == "3.5")
        #expect(rows.last?["heart"] as? String == "–")
    }

    @Test func `a file is found between the fields of a form`() throws {
        let content: [UInt8] = [0, 13, 10, 45, 45, 255]
        let head = "--xY\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nfile\r\n--xY\r\n"
        let file =
            "Content-Disposition: form-data; name=\"file\"; filename=\"a.fit\"\r\nContent-Type: x/y\r\n\r\n"
        let body = Array(head.utf8) + Array(file.utf8) + content + Array("\r\n--xY--\r\n".utf8)

        let found = UploadedFile(field: "file", in: body, contentType: "multipart/form-data; boundary=\"xY\"")

        #expect(found?.bytes == content)
        #expect(
            UploadedFile(field: "other", in: body, contentType: "multipart/form-data; boundary=xY") == nil)
        #expect(UploadedFile(field: "file", in: body, contentType: "multipart/form-data") == nil)
    }

    @Test func `a form that is cut off has no file`() {
        let body = Array("--xY\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nabc".utf8)

        #expect(UploadedFile(field: "file", in: body, contentType: "multipart/form-data; boundary=xY") == nil)
    }
}
