import Foundation
import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Imports of recordings: an export of HealthKit, and files that are rejected.
@Suite struct WalkImportTests {
    /// Two minutes of walking with a pause from 1:00 to 1:30, and a stated distance of 120 m.
    private static let export = """
        <?xml version="1.0"?><!DOCTYPE HealthData [<!ELEMENT HealthData ANY>]><HealthData locale="en_GB">
        <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Ada Canary’s Watch" unit="count/min" \
        startDate="2026-05-01 10:00:00 +0200" endDate="2026-05-01 10:00:00 +0200" value="90"/>
        <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Ada Canary’s Watch" unit="count/min" \
        startDate="2026-05-01 10:00:20 +0200" endDate="2026-05-01 10:00:20 +0200" value="96"/>
        <Workout workoutActivityType="HKWorkoutActivityTypeWalking" duration="1.5" durationUnit="min" \
        sourceName="Ada Canary’s Watch" startDate="2026-05-01 10:00:00 +0200" endDate="2026-05-01 10:02:00 +0200">
        <WorkoutEvent type="HKWorkoutEventTypePause" date="2026-05-01 10:01:00 +0200"/>
        <WorkoutEvent type="HKWorkoutEventTypeResume" date="2026-05-01 10:01:30 +0200"/>
        <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" sum="0.12" unit="km"/></Workout></HealthData>
        """

    private static func `import`(
        _ bytes: [UInt8], _ caller: APICaller, type: String = "application/xml",
        query: String = ""
    ) async throws -> Answer {
        let headers: HTTPFields = [.contentType: type]
        return try await caller.send(
            .post, caller.own("/walk-imports\(query)"), bytes: bytes, headers: headers)
    }

    private static func `import`(
        _ export: String, _ caller: APICaller, query: String = ""
    ) async throws -> Answer {
        try await `import`(Array(export.utf8), caller, query: query)
    }

    private static func walks(of caller: APICaller) async throws -> [String?] {
        try await caller.pages(caller.own("/walks?limit=100")).map { $0["walk_id"]?.string }
    }

    // MARK: HealthKit

    @Test func `a walk from HealthKit does not contain the name of its owner`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await Self.import(Self.export, ada)
            let item = try #require(answer.json["items"]?.array?.first)
            let stored = try await ada.get(ada.own("/walks/\(item["id"]?.string ?? "")"))

            #expect(answer.status == 201)
            #expect(answer.json["format"] == "healthkit")
            let summary = item["receipt"]?["summary"]
            #expect(summary?["active_s"] == 90)
            #expect(summary?["distance_m"] == 120)
            #expect(summary?["mean_heart_rate_bpm"] == 90)
            #expect(stored.status == 200)
            #expect(!stored.text.contains("Canary"))
        }
    }

    /// A manual pause from 1:00 to 1:30, and an automatic pause from 1:10 to 1:50.
    @Test func `overlapping pauses of a recording are joined`() async throws {
        let motion = """
            <WorkoutEvent type="HKWorkoutEventTypeMotionPaused" date="2026-05-01 10:01:10 +0200"/>\
            <WorkoutEvent type="HKWorkoutEventTypeMotionResumed" date="2026-05-01 10:01:50 +0200"/><WorkoutStatistics
            """
        let export = Self.export.replacing("<WorkoutStatistics", with: motion)
            .replacing(#"duration="1.5" durationUnit="min""#, with: #"duration="70" durationUnit="s""#)

        try await ServerFixture.withParticipant { ada async throws in
            let item = try #require(try await Self.import(export, ada).json["items"]?.array?.first)
            let walk = try await ada.get(ada.own("/walks/\(item["id"]?.string ?? "")")).json

            #expect(item["receipt"]?["summary"]?["active_s"] == 70)
            let pauses = walk["pauses"]?.array ?? []
            #expect(pauses.map { $0["from"] } == ["2026-05-01T08:01:00.000Z"])
            #expect(pauses.map { $0["to"] } == ["2026-05-01T08:01:50.000Z"])
        }
    }

    @Test(
        arguments: [
            // The records do not begin and end with the walk. Half of the first and of the last one is inside the walk.
            [
                ("09:59:30", "10:00:30", 60), ("10:00:30", "10:01:00", 30), ("10:01:00", "10:01:30", 30),
                ("10:01:30", "10:02:30", 60),
            ],
            // The first half is four times as fast as the second half.
            [("10:00:00", "10:01:00", 96), ("10:01:00", "10:02:00", 24)],
        ] as [[(String, String, Int)]])
    func `the records of a walk are scaled to its stated distance`(
        _ records: [(String, String, Int)]
    ) async throws {
        let counted = records.map { start, end, metres in
            """
            <Record type="HKQuantityTypeIdentifierDistanceWalkingRunning" sourceName="Phone" unit="m" \
            startDate="2026-05-01 \(start) +0200" endDate="2026-05-01 \(end) +0200" value="\(metres)"/>
            """
        }
        let export = Self.export.replacing("<WorkoutEvent", with: "<Unused")
            .replacing(#"duration="1.5""#, with: #"duration="2""#)
            .replacing("<Workout ", with: counted.joined() + "<Workout ", maxReplacements: 1)

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await Self.import(export, ada)

            #expect(answer.status == 201, "\(answer.text)")
            let receipt = answer.json["items"]?.array?.first?["receipt"]
            #expect(receipt?["summary"]?["distance_m"] == 120)
        }
    }

    /// A later export: one more record in the walk of the first export, and another walk.
    private static func later(_ export: String) throws -> String {
        let head = try #require(export.split(separator: "<Workout", maxSplits: 1).first)
        let record = try #require(head.split(separator: "<Record").dropFirst().first)
        let more = "<Record\(record)".replacing("10:00:00", with: "10:00:40")
        let workout = try #require(
            export.split(separator: "<Workout ", maxSplits: 1).last?.split(separator: "</Workout>").first)
        let walk = "<Workout \(workout)</Workout>".replacing(" 10:0", with: " 11:0")
        return export.replacing("<Workout ", with: more + "<Workout ", maxReplacements: 1)
            .replacing("</HealthData>", with: walk + "</HealthData>")
    }

    /// Also with another time zone, and after the deletion of the earlier walk.
    @Test func `a later export adds its new walk and confirms the earlier one`() async throws {
        let grown = try Self.later(Self.export)

        try await ServerFixture.withParticipant { ada async throws in
            let first = try await Self.import(Self.export, ada)
            let second = try await Self.import(grown, ada)

            #expect(first.status == 201)
            #expect(second.status == 201)
            #expect(second.results == ["replayed", "accepted"])
            let receipt = first.items.first?["receipt"]?.with(["replayed": true])
            #expect(second.items.first?["receipt"]?.canonicalText == receipt?.canonicalText)

            let id = first.items.first?["id"]?.string ?? ""
            #expect(try await ada.send(.delete, ada.own("/walks/\(id)")).status == 204)
            let repeated = [
                try await Self.import(grown, ada),
                try await Self.import(Self.export, ada, query: "?time_zone=Asia/Tokyo"),
            ]
            for answer in repeated {
                #expect(answer.status == 200)
                #expect(Set(answer.results) == ["replayed"])
                #expect(answer.items.first?["receipt"]?.canonicalText == receipt?.canonicalText)
            }
            #expect(try await Self.walks(of: ada) == [second.items.last?["id"]?.string])
        }
    }

    // MARK: Rejected files

    @Test(
        arguments: [
            ("application/octet-stream", String(repeating: "\0", count: 100)),
            ("application/gpx+xml", "<gpx/>"), ("application/gpx+xml", "<gpx>"),
            ("application/gpx+xml", "<kml/>"), ("application/vnd.ant.fit", "<gpx/>"),
            (
                "application/xml",
                #"<!DOCTYPE g [<!ENTITY e SYSTEM "file:///etc/passwd">]><gpx><trk><name>&e;</name></trk></gpx>"#
            ), ("application/xml", String(repeating: "<a>", count: 100_000)),
        ])
    func `a file without a walk is rejected`(_ type: String, _ text: String) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await Self.import(Array(text.utf8), ada, type: type)

            answer.expectProblem(422, "recording-invalid")
            #expect(answer.json["errors"]?.array?.isEmpty == false)
            #expect(!answer.text.contains("root:"))
        }
    }

    @Test func `another media type or format is rejected`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let json = try await Self.import(Array("{}".utf8), ada, type: "application/json")
            let format = try await Self.import(
                Array("x".utf8), ada, type: "text/xml", query: "?format=kml")

            json.expectProblem(415, "media-type-unsupported")
            format.expectProblem(400, "request-invalid")
        }
    }
}
