import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct DataPointRouteTests {
    private static let start = ServerFixture.now.adding(seconds: -900)
    /// Ten minutes.
    private static let span: JSON = [
        .instant(start), .instant(ServerFixture.now.adding(seconds: -300)),
    ]

    private static let heartRate: JSON = [
        "heart_rate": ["value": 88, "unit": "beats/min"],
        "temporal_relationship_to_physical_activity": "at rest",
    ]
    /// The distance and the duration of `span`.
    private static let activity: JSON = [
        "activity_name": "walking", "distance": ["value": 1.5, "unit": "mi"],
        "kcal_burned": ["value": 120, "unit": "kcal"], "duration": ["value": 10, "unit": "min"],
    ]

    @Test(
        arguments: [
            ("heart-rate", heartRate),
            ("respiratory-rate", ["respiratory_rate": ["value": 14.5, "unit": "breaths/min"]]),
            (
                "body-temperature",
                ["body_temperature": ["value": 97.5, "unit": "F"], "measurement_location": "oral"]
            ),
            (
                "blood-glucose",
                ["blood_glucose": ["value": 5.5, "unit": "mmol/L"], "specimen_source": "capillary blood"]
            ),
            ("oxygen-saturation", ["oxygen_saturation": ["value": 97, "unit": "%"]]),
            ("speed", ["speed": ["value": 4.5, "unit": "km/h"]]),
            ("pace", ["pace": ["value": 11.5, "unit": "min/km"]]),
            (
                "blood-pressure",
                [
                    "systolic_blood_pressure": ["value": 121, "unit": "mmHg"],
                    "diastolic_blood_pressure": ["value": 79, "unit": "mmHg"],
                ]
            ),
            (
                "step-count",
                ["step_count": ["value": 900, "unit": "steps"], "descriptive_statistic": "sum"]
            ), ("physical-activity", activity),
        ] as [(String, JSON)])
    func `a data point is returned as it was submitted`(_ schema: String, _ body: JSON) async throws {
        let hasSpan = ["step-count", "physical-activity"].contains(schema)
        let sent = SampleObservation.point(schema, body, at: hasSpan ? Self.span : .instant(Self.start))
        let other = SampleObservation.point(
            schema == "speed" ? "pace" : "speed",
            schema == "speed"
                ? ["pace": ["value": 11.5, "unit": "min/km"]] : ["speed": ["value": 4.5, "unit": "km/h"]])

        try await ServerFixture.withParticipant { ada async throws in
            let first = try await ada.post(ada.own("/data-points"), [sent, other])
            let second = try await ada.post(ada.own("/data-points"), sent)
            let found = try await ada.get(ada.own("/data-points?schema=\(schema)")).json["items"]?.array ?? []

            #expect(first.results == ["accepted", "accepted"])
            #expect(first.items.map { $0["id"] } == [sent["header"]?["id"], other["header"]?["id"]])
            #expect(second.results == ["replayed"])
            try #require(found.count == 1)
            #expect(found[0]["body"]?.canonicalText == sent["body"]?.canonicalText)
            let header = found[0]["header"]
            #expect(header?["id"] == sent["header"]?["id"])
            #expect(header?["uuid"] == sent["header"]?["id"])
            #expect(header?["modality"] == "sensed")
            #expect(header?["schema_id"]?["namespace"] == "omh")
            #expect(header?["schema_id"]?["name"]?.string == schema)
            #expect(
                header?["acquisition_provenance"]?.canonicalText
                    == sent["header"]?["acquisition_provenance"]?.canonicalText)
            #expect(try await !ada.get(ada.own("/data-points")).text.contains("ada@example.org"))
        }
    }

    @Test func `a header of IEEE 1752 is returned with all its members`() async throws {
        let members: JSON = [
            "schema_id": ["namespace": "ieee", "name": "physical-activity", "version": "1.0"],
            "modality": "self-reported",
            "acquisition_rate": ["number_of_times": 1, "time_window": ["value": 5, "unit": "min"]],
            "external_datasheets": [
                ["datasheet_type": "manufacturer", "datasheet_reference": "https://example.org/band-3"]
            ],
            "source_creation_date_time": "2026-05-01T10:05:00.000+02:00",
            // An unknown member.
            "firmware": ["name": "b", "build": 7.10],
        ]
        let sent = SampleObservation.point(
            "physical-activity", Self.activity, at: Self.span, header: members)

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.post(ada.own("/data-points"), sent)
            let found = try await ada.pages(ada.own("/data-points?limit=100"))

            #expect(answer.status == 200)
            try #require(found.count == 1)
            #expect(found[0]["body"]?.canonicalText == sent["body"]?.canonicalText)
            for member in members.object ?? [:] {
                #expect(found[0]["header"]?[member.name]?.canonicalText == member.value.canonicalText)
            }
            let names = Set((sent["header"]?.object ?? [:]).map(\.name))
            #expect(
                Set((found[0]["header"]?.object ?? [:]).map(\.name))
                    == names.subtracting(["user_id"]).union(["uuid"]))
        }
    }

    @Test func `a value over half a year is a data point, one over more than a year is not`() async throws {
        let weight: JSON = [
            "body_weight": ["value": 70.5, "unit": "kg"], "descriptive_statistic": "minimum",
        ]
        let end = JSON.instant(ServerFixture.now.adding(seconds: -60))
        let sent = [180, 400].map { days in
            let start = JSON.instant(ServerFixture.now.adding(seconds: -days * 86_400))
            return SampleObservation.point("body-weight", weight, at: [start, end])
        }

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.post(ada.own("/data-points"), .array(sent))
            let found = try await ada.pages(ada.own("/data-points?limit=100"))

            #expect(answer.results == ["accepted", "rejected"])
            #expect(found.map { $0["body"]?.canonicalText } == [sent[0]["body"]?.canonicalText])
        }
    }

    /// The time by the device's own clock is returned as the creation time of the source.
    @Test func `times of data points are corrected for the clock of the device`() async throws {
        let (ahead, clock) = (
            Self.start.adding(seconds: 3 * 3600), ServerFixture.now.adding(seconds: 3 * 3600)
        )
        let pulse = SampleObservation.pulse.with([
            "started_at": .instant(ahead), "ended_at": .instant(ahead.adding(seconds: 60)),
            "client_now": .instant(clock),
        ])
        let walk = SampleWalk.body([
            "started_at": .instant(ahead), "ended_at": .instant(ahead.adding(seconds: 600)),
            "pauses": [
                [
                    "from": .instant(ahead.adding(seconds: 240)), "to": .instant(ahead.adding(seconds: 360)),
                ]
            ],
            "client_now": .instant(clock),
        ])

        try await ServerFixture.withParticipant { ada async throws in
            _ = try await ada.create("observations", pulse)
            _ = try await ada.create("walks", walk)
            let points = try await ada.pages(ada.own("/data-points?limit=100"))
            let from = Self.start.adding(seconds: -60)
            let inTime = try await ada.pages(
                ada.own("/data-points?from=\(from)&to=\(ServerFixture.now)&limit=100"))

            let (first, last) = (try #require(points.first), try #require(points.last))
            #expect(first["body"]?["effective_time_frame"]?["date_time"] == .instant(Self.start))
            let frame = last["body"]?["effective_time_frame"]?["time_interval"]
            #expect(frame?["start_date_time"] == .instant(Self.start))
            #expect(first["header"]?["source_creation_date_time"] == .instant(ahead))
            #expect(
                last["header"]?["source_creation_date_time"] == .instant(ahead.adding(seconds: 600)))
            // Queries by time use the corrected time too.
            #expect(inTime.count == 4)
        }
    }

    @Test func `series and walks are paged data points`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            _ = try await ada.create("observations", SampleObservation.pulse)
            _ = try await ada.create("observations", SampleObservation.pressure())
            for _ in 0..<2 { _ = try await ada.create("walks", SampleWalk.body()) }

            let whole = try await ada.pages(ada.own("/data-points?limit=100"))

            #expect(
                whole.map { $0["header"]?["schema_id"]?["name"]?.string } == [
                    "heart-rate", "heart-rate", "heart-rate", "blood-pressure", "physical-activity",
                    "physical-activity",
                ])
            let values = whole.prefix(3).map { $0["body"]?["heart_rate"]?["value"] }
            #expect(values == [80, 82.5, 90])
            #expect(whole[3]["header"]?["modality"] == "self-reported")
            let distance = whole[4]["body"]?["distance"]
            #expect(distance?["value"] == 540 && distance?["unit"] == "m")
            #expect(Set(whole.map { $0["header"]?["id"] }).count == 6)
            for limit in [1, 2, 5, 6] {
                #expect(try await ada.pages(ada.own("/data-points?limit=\(limit)")) == whole)
            }
            // The query compares the time of each sample.
            let second = try #require(
                whole[1]["body"]?["effective_time_frame"]?["date_time"]?.string)
            let query = "/data-points?limit=100&schema=heart-rate"
            #expect(try await ada.pages(ada.own("\(query)&to=\(second)")) == [whole[0]])
            #expect(try await ada.pages(ada.own("\(query)&from=\(second)")) == Array(whole[1..<3]))
        }
    }

    @Test func `a query with an end before its start is rejected`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.get(
                ada.own("/data-points?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z"))

            answer.expectProblem(400, "request-invalid")
        }
    }
}
