import Foundation
import SaunterCore
import SaunterServer
import Testing

@testable import SaunterWeb

/// The form of a rehearsal, whose address contains everything.
@Suite struct RehearsalFormTests {
    private static let now = Instant("2026-11-21T17:30:00.000Z") ?? .minimum
    private static let berlin = Zone("Europe/Berlin") ?? .utc
    private static let occasion = "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40"

    private static func form(_ values: [String: String] = [:]) throws -> RehearsalForm {
        try RehearsalForm({ values[$0] }, zone: berlin, now: now)
    }

    @Test func `without a query it is noon of the day of enrolment, which is today`() throws {
        let form = try Self.form()

        #expect(form.enrolledAt.description == "2026-11-21T07:00:00.000Z")
        #expect(form.moment.description == "2026-11-21T11:00:00.000Z")
        #expect(form.version == nil && form.arm == nil && form.language == nil && form.answers.isEmpty)
    }

    @Test(arguments: [
        ("12", "18:30", "Europe/Berlin", "2026-12-03T17:30:00.000Z"),
        ("0", "07:00", "Europe/Berlin", "2026-11-21T07:00:00.000Z"),
        ("1", "00:00", "Asia/Tokyo", "2026-11-21T15:00:00.000Z"),
        // The clock shows this time twice on the last Sunday of October, and never on that of March.
        ("344", "02:30", "Europe/Berlin", "2027-10-31T00:30:00.000Z"),
        ("127", "02:30", "Europe/Berlin", "2027-03-28T01:00:00.000Z"),
    ])
    func `the moment is a local time of the zone, and not before the enrolment`(
        day: String, time: String, zone: String, moment: String
    ) throws {
        let form = try Self.form(["day": day, "time": time, "zone": zone, "enrolled": "2026-11-21T08:00"])

        #expect(form.moment.description == moment)
    }

    @Test func `the address keeps everything, and changes replace a part of it`() throws {
        let values = [
            "version": "1.1.0", "enrolled": "2026-11-20T09:15", "day": "3", "time": "18:30", "arm": "control",
            "language": "de", "zone": "Europe/Berlin", "answered": "\(Self.occasion).4000~log.12",
        ]
        let form = try Self.form(values)
        let address = form.address("/staff/x/draft/try")
        let query = Dictionary(
            address.split(separator: "?")[1].split(separator: "&").map { pair in
                let parts = pair.split(separator: "=")
                return (String(parts[0]), String(parts[1]).removingPercentEncoding ?? "")
            }, uniquingKeysWith: { first, _ in first })

        #expect(query == values)
        #expect(try Self.form(query).fields.map(\.value) == form.fields.map(\.value))
        #expect(form.address("/t", ["day": "4"]).contains("day=4"))
        #expect(!form.address("/t", ["answered": ""]).contains("answered"))
        #expect(!form.address("/t", ["day": "4"]).contains("day=3"))
    }

    @Test func `an answer is added with the minutes since the enrolment, and the oldest one is left out`()
        throws
    {
        let form = try Self.form(["day": "1", "time": "08:30"])
        #expect(form.answering("log").answers.map(\.text) == ["log.1470"])

        let many = (0..<RehearsalForm.maximumAnswers).map { "log.\($0)" }.joined(separator: "~")
        let full = try Self.form(["answered": many, "day": "1"]).answering(Self.occasion)
        #expect(full.answers.count == RehearsalForm.maximumAnswers)
        #expect(full.answers.first?.text == "log.1")
        #expect(full.answers.last?.subject == Self.occasion)
        #expect(full.address("").count < 2400)
    }

    @Test func `the request names occasions and questionnaires`() throws {
        let form = try Self.form([
            "answered": "\(Self.occasion).60~log.90", "arm": "control", "enrolled": "2026-11-21T08:00",
        ])

        #expect(
            form.body["answered"] == [
                ["occasion_id": .string(Self.occasion), "at": "2026-11-21T08:00:00.000Z"],
                ["questionnaire": "log", "at": "2026-11-21T08:30:00.000Z"],
            ])
        #expect(form.body["arm"] == "control" && form.body["language"] == nil)
    }

    @Test func `every value that cannot be read is a fault`() throws {
        let fault = #expect(throws: Problem.self) {
            try Self.form([
                "day": "-1", "time": "25:00", "zone": "Mars/Olympus", "enrolled": "tomorrow",
                "answered": "log~log.x",
            ])
        }
        #expect(
            Set(fault?.faults.map(\.pointer) ?? []) == ["/day", "/time", "/zone", "/enrolled", "/answered"])
    }
}
