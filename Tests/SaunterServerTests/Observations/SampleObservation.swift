import SaunterCore

@testable import SaunterServer

/// Bodies of observations and data points of ten minutes before the time of the fixture.
enum SampleObservation {
    /// A heart rate every ten seconds. The third value is missing.
    static let pulse: JSON = [
        "code": loinc("8867-4"), "started_at": .instant(ServerFixture.now.adding(seconds: -600)),
        "ended_at": .instant(ServerFixture.now.adding(seconds: -540)),
        "time_zone": .string(ServerFixture.zone.id), "device": ["model": "Band 3"],
        "t_ms": [0, 10_000, 20_000, 30_000],
        "components": [["unit": "/min", "values": [80, 82.5, nil, 90]]],
    ]

    /// A blood pressure that the participant entered.
    static func pressure(at moment: Instant = ServerFixture.now) -> JSON {
        [
            "code": loinc("85354-9"), "started_at": .instant(moment), "ended_at": .instant(moment),
            "time_zone": .string(ServerFixture.zone.id), "modality": "self_reported", "t_ms": [0],
            "components": [
                ["code": loinc("8480-6"), "unit": "mm[Hg]", "values": [121]],
                ["code": loinc("8462-4"), "unit": "mm[Hg]", "values": [79]],
            ],
        ]
    }

    static func loinc(_ code: String) -> JSON { ["system": "http://loinc.org", "code": .string(code)] }

    /// A data point of Open mHealth.
    /// - Parameters:
    ///   - time: the instant, or an array of start and end.
    ///   - changes: other members of the header.
    static func point(
        _ schema: String, _ body: JSON, at time: JSON = .instant(ServerFixture.now),
        header changes: JSON = [:]
    ) -> JSON {
        let header: JSON = [
            "id": .string(SampleBatch.newID()), "creation_date_time": .instant(ServerFixture.now),
            "schema_id": ["namespace": "omh", "name": .string(schema), "version": "1.0"],
            "acquisition_provenance": ["source_name": "Band 3", "modality": "sensed"],
            "user_id": "ada@example.org",
        ]
        let frame: JSON =
            time.array.map {
                ["time_interval": ["start_date_time": $0[0], "end_date_time": $0[1]]]
            } ?? ["date_time": time]
        return [
            "header": header.with(changes), "body": body.with(["effective_time_frame": frame]),
        ]
    }
}
