import Testing

@testable import SaunterCore

@Suite struct DataPointTests {
    private func point(_ schema: String, _ body: JSONObject, header: JSONObject = [:]) throws -> DataPoint {
        var body = body
        if body["effective_time_frame"] == nil {
            body["effective_time_frame"] = ["date_time": "2026-05-01T10:00:00+02:00"]
        }
        var whole = header
        whole["schema_id"] = ["namespace": "omh", "name": .string(schema), "version": "1.0"]
        return try DataPoint(["header": .object(whole), "body": .object(body)])
    }

    private static let numbers: [(String, JSONObject, [(String, String, Double)])] = [
        ("heart-rate", ["heart_rate": ["value": 88, "unit": "beats/min"]], [("8867-4", "/min", 88)]),
        ("step-count", ["step_count": ["value": 900, "unit": "steps"]], [("55423-8", "{steps}", 900)]),
        ("step-count", ["step_count": 901], [("55423-8", "{steps}", 901)]),
        (
            "respiratory-rate", ["respiratory_rate": ["value": 14.5, "unit": "breaths/min"]],
            [("9279-1", "/min", 14.5)]
        ),
        (
            "body-temperature", ["body_temperature": ["value": 97.5, "unit": "F"]],
            [("8310-5", "[degF]", 97.5)]
        ),
        ("blood-glucose", ["blood_glucose": ["value": 95, "unit": "mg/dL"]], [("2339-0", "mg/dL", 95)]),
        ("blood-glucose", ["blood_glucose": ["value": 5.5, "unit": "mmol/L"]], [("15074-8", "mmol/L", 5.5)]),
        ("oxygen-saturation", ["oxygen_saturation": ["value": 97, "unit": "%"]], [("59408-5", "%", 97)]),
        ("body-weight", ["body_weight": ["value": 150, "unit": "lb"]], [("29463-7", "[lb_av]", 150)]),
        ("speed", ["speed": ["value": 4.5, "unit": "km/h"]], [("speed", "km/h", 4.5)]),
        ("pace", ["pace": ["value": 11.5, "unit": "min/km"]], [("pace", "min/km", 11.5)]),
        ("pace", ["pace": ["value": 18, "unit": "min/mi"]], [("pace", "min/[mi_i]", 18)]),
        (
            "blood-pressure",
            [
                "systolic_blood_pressure": ["value": 121, "unit": "mmHg"],
                "diastolic_blood_pressure": ["value": 79, "unit": "mmHg"],
            ], [("8480-6", "mm[Hg]", 121), ("8462-4", "mm[Hg]", 79)]
        ),
        (
            "physical-activity",
            [
                "activity_name": "walking", "distance": ["value": 1.5, "unit": "mi"],
                "kcal_burned": ["value": 120, "unit": "kcal"],
            ], [("55430-3", "[mi_i]", 1.5), ("55424-6", "kcal", 120)]
        ),
    ]

    @Test(arguments: DataPointTests.numbers.indices)
    func `a data point and its observation have the same numbers`(index: Int) throws {
        let (schema, body, expected) = Self.numbers[index]

        let point = try point(schema, body)
        let observation = point.observation
        let parts = observation.components.map {
            (code: $0.code ?? observation.code, unit: $0.unit, value: $0.values[0])
        }
        let written = DataPointSchema.of(observation.code)?.body(
            parts, time: DataPointTime(from: observation.startedAt, to: observation.endedAt, offsetMin: 0),
            statistic: nil, detail: point.detail)
        let again = try self.point(schema, try #require(written?.object))

        #expect(parts.map(\.code.code) == expected.map(\.0))
        #expect(parts.map(\.unit) == expected.map(\.1))
        #expect(parts.map(\.value) == expected.map(\.2))
        #expect(point.offsetMin == 120)
        #expect(again.observation == observation)
        #expect(again.detail == point.detail)
    }

    @Test func `steps are exported with a time span, even if it has length 0`() {
        let at = Instant(milliseconds: 0)
        let exported = DataPointSchema.of("step-count")?.body(
            [(MeasuredQuantity.steps.code, "{steps}", 900)],
            time: DataPointTime(from: at, to: at, offsetMin: 0),
            statistic: nil, detail: nil)
        #expect(
            exported?["effective_time_frame"] == [
                "time_interval": [
                    "start_date_time": "1970-01-01T00:00:00.000Z",
                    "end_date_time": "1970-01-01T00:00:00.000Z",
                ]
            ])
    }

    @Test(arguments: [
        (#"{"date_time": "2026-05-01T10:00:00Z"}"#, 0, 0),
        (
            #"{"time_interval": {"start_date_time": "2026-05-01T10:00:00Z", "end_date_time": "2026-05-01T10:01:00Z"}}"#,
            0, 60
        ),
        (
            #"{"time_interval": {"start_date_time": "2026-05-01T10:00:00Z", "duration": {"value": 1.5, "unit": "min"}}}"#,
            0, 90
        ),
        (
            #"{"time_interval": {"end_date_time": "2026-05-01T10:00:00Z", "duration": {"value": 1, "unit": "h"}}}"#,
            -3600, 0
        ),
    ])
    func `two of start, end and duration determine the time span`(frame: String, from: Int, to: Int) throws {
        let noon = try #require(Instant("2026-05-01T10:00:00Z"))
        let time = try #require(DataPointTime(try JSONReader.read(frame)))
        #expect(time.from == noon.adding(seconds: from) && time.to == noon.adding(seconds: to))
    }

    @Test(arguments: [
        "{}", #"{"date_time": "2026-05-01T10:00:00"}"#, #"{"date_time": 7}"#,
        #"{"date_time": "2026-05-01T10:00:00Z", "time_interval": {}}"#,
        #"{"time_interval": {"start_date_time": "2026-05-01T10:00:00Z"}}"#,
        #"{"time_interval": {"date": "2026-05-01", "part_of_day": "morning"}}"#,
        #"{"time_interval": {"start_date_time": "x", "end_date_time": "2026-05-01T10:00:00Z", "duration": {"value": 1, "unit": "h"}}}"#,
        #"{"time_interval": {"start_date_time": "2026-05-01T10:00:00Z", "duration": {"value": 1, "unit": "Mo"}}}"#,
        #"{"time_interval": {"start_date_time": "2026-05-01T10:00:00Z", "duration": {"value": 1e300, "unit": "h"}}}"#,
        #"{"time_interval": {"start_date_time": "2026-05-01T10:00:00Z", "duration": {"value": -1, "unit": "h"}}}"#,
    ])
    func `an ambiguous time is rejected`(frame: String) throws {
        #expect(DataPointTime(try JSONReader.read(frame)) == nil)
    }

    @Test func `the person of a data point is not stored, but its other content is`() throws {
        let point = try point(
            "heart-rate",
            [
                "heart_rate": ["value": 88, "unit": "beats/min"], "descriptive_statistic": "average",
                "temporal_relationship_to_physical_activity": "at rest",
            ],
            header: [
                "id": "a-1", "user_id": "ada@example.org", "creation_date_time": "2026-05-01T10:05:00Z",
                "acquisition_provenance": ["source_name": "Band", "modality": "self-reported"],
            ])

        #expect(point.id == "a-1")
        #expect(!point.provenance.text.contains("ada@example.org"))
        #expect(point.provenance["acquisition_provenance"]?["source_name"] == "Band")
        #expect(point.observation.modality == .selfReported)
        #expect(point.observation.statistic == "average")
        #expect(point.detail == ["temporal_relationship_to_physical_activity": "at rest"])
    }

    @Test func `the other content of the header and the duration survive a round trip`() throws {
        let duration: JSON = ["value": 10, "unit": "min"]
        let header: JSONObject = [
            "uuid": "a-1", "source_creation_date_time": "2026-05-01T10:05:00+02:00", "modality": "sensed",
            "acquisition_rate": ["number_of_times": 1, "time_window": ["value": 5, "unit": "min"]],
            "external_datasheets": [["datasheet_type": "manufacturer", "datasheet_reference": "Band"]],
        ]
        let schema: JSON = ["namespace": "ieee", "name": "physical-activity", "version": "1.0"]
        var whole = header
        whole["schema_id"] = schema
        let point = try DataPoint([
            "header": .object(whole),
            "body": [
                "activity_name": "walking", "duration": duration,
                "effective_time_frame": [
                    "time_interval": [
                        "start_date_time": "2026-05-01T10:00:00Z", "end_date_time": "2026-05-01T10:10:00Z",
                    ]
                ],
            ],
        ])
        let at = point.observation.endedAt
        let exported = point.schema.header(
            id: "b-2", createdAt: at, sourceCreatedAt: at, modality: .sensed, provenance: point.provenance,
            source: nil)
        let body = point.schema.body(
            [], time: DataPointTime(from: point.observation.startedAt, to: at, offsetMin: 0), statistic: nil,
            detail: point.detail)

        for name in ["source_creation_date_time", "modality", "acquisition_rate", "external_datasheets"] {
            #expect(exported[name] == header[name], "\(name)")
        }
        #expect(exported["schema_id"] == schema)
        #expect(exported["uuid"] == "b-2" && exported["id"] == "b-2")
        #expect(body?["duration"] == duration)
    }

    @Test(
        arguments: [
            (nil, 1), (.int(3), 3), (.int(1), 1), (.int(1_000_000), 1_000_000), (.string("b"), 1), (.null, 1),
        ] as [(JSON?, Int)])
    func `a number in the header is the revision, and a text is stored unchanged`(
        given: JSON?, revision: Int
    ) throws {
        var header = JSONObject()
        header["revision"] = given
        let point = try point(
            "heart-rate", ["heart_rate": ["value": 88, "unit": "beats/min"]], header: header)

        #expect(point.revision == revision)
        #expect(point.provenance["revision"] == given)
    }

    @Test(arguments: [.int(0), .int(-1), .int(1_000_001), .double(1.5), .double(1e300)] as [JSON])
    func `a revision outside the range is rejected`(given: JSON) {
        #expect(
            throws: Faults([
                Fault(
                    pointer: "/header/revision", code: "out_of_range",
                    detail: "A revision must be a whole number from 1 to 1000000.")
            ])
        ) {
            try point(
                "heart-rate", ["heart_rate": ["value": 88, "unit": "beats/min"]],
                header: ["revision": given])
        }
    }

    @Test func `a plain number of steps is exported with its unit and the matching schema version`() throws {
        let point = try point("step-count", ["step_count": 901])
        let at = point.observation.endedAt

        let exported = point.schema.header(
            id: "b-2", createdAt: at, sourceCreatedAt: at.adding(milliseconds: -5000), modality: .sensed,
            provenance: point.provenance, source: nil)

        #expect(exported["schema_id"]?["version"] == "3.0")
        #expect(exported["source_creation_date_time"] == .string(at.adding(milliseconds: -5000).description))
        #expect(exported["acquisition_provenance"]?["source_name"] == "unknown")
    }

    @Test(
        arguments: [
            (["modality": "guessed"], [:], ["/header/modality unknown_modality"]),
            (
                ["acquisition_provenance": ["source_name": "Band", "modality": "Sensed"]], [:],
                ["/header/acquisition_provenance/modality unknown_modality"]
            ),
            (
                ["modality": "sensed", "acquisition_provenance": ["modality": 1]], [:],
                ["/header/acquisition_provenance/modality unknown_modality"]
            ),
            (["creation_date_time": "yesterday"], [:], ["/header/creation_date_time not_a_time"]),
            (
                ["source_creation_date_time": "2026-05-01T10:05:00"], [:],
                ["/header/source_creation_date_time not_a_time"]
            ),
            (
                ["acquisition_provenance": ["source_creation_date_time": 7]], [:],
                ["/header/acquisition_provenance/source_creation_date_time not_a_time"]
            ),
            (
                [
                    "acquisition_rate": [
                        "number_of_times": 1, "time_window": ["value": 5, "unit": "minutes"],
                    ]
                ],
                [:], ["/header/acquisition_rate/time_window not_a_unit_value"]
            ),
            ([:], ["descriptive_statistic": "mean"], ["/body/descriptive_statistic unknown_statistic"]),
            ([:], ["descriptive_statistic": ["average"]], ["/body/descriptive_statistic unknown_statistic"]),
        ] as [(JSONObject, JSONObject, [String])])
    func `words, times and units that the schemas do not have are rejected`(
        header: JSONObject, more: JSONObject, expected: [String]
    ) {
        let body = JSONObject(
            [.init(name: "heart_rate", value: ["value": 88, "unit": "beats/min"])] + Array(more))

        let faults = #expect(throws: Faults.self) { try point("heart-rate", body, header: header) }

        #expect(faults?.list.map { "\($0.pointer) \($0.code)" } == expected)
    }

    @Test(arguments: ["average", "standard deviation", "80th percentile", "1st quintile"])
    func `the words of the schema for statistics are accepted`(statistic: String) throws {
        let body: JSONObject = [
            "heart_rate": ["value": 88, "unit": "beats/min"], "descriptive_statistic": .string(statistic),
        ]

        #expect(try point("heart-rate", body).observation.statistic == statistic)
    }

    @Test func `every fault has a pointer`() throws {
        func faults(_ schema: String, _ body: JSONObject, header: JSONObject = [:]) -> [String] {
            do {
                _ = try point(schema, body, header: header)
                return []
            } catch {
                return (error as? Faults)?.list.map { "\($0.pointer) \($0.code)" } ?? ["\(error)"]
            }
        }
        #expect(faults("astrology", [:]) == ["/header/schema_id/name unknown_schema"])
        #expect(faults("heart-rate", [:]) == ["/body/heart_rate required"])
        #expect(
            faults("blood-pressure", ["systolic_blood_pressure": ["value": 121, "unit": "bar"]])
                == [
                    "/body/systolic_blood_pressure not_a_unit_value",
                    "/body/diastolic_blood_pressure required",
                ])
        #expect(
            faults("heart-rate", ["heart_rate": ["value": 700, "unit": "beats/min"]]) == [
                "/body out_of_range"
            ])
        #expect(
            faults(
                "heart-rate", ["heart_rate": 88, "effective_time_frame": [:]], header: ["revision": 0]) == [
                    "/header/revision out_of_range", "/body/effective_time_frame no_time",
                    "/body/heart_rate not_a_unit_value",
                ])
        #expect(
            faults("astrology", ["effective_time_frame": [:]], header: ["revision": 1.5]) == [
                "/header/schema_id/name unknown_schema", "/header/revision out_of_range",
                "/body/effective_time_frame no_time",
            ])
        #expect(throws: Faults.self) { try DataPoint(["header": ["schema_id": ["name": "heart-rate"]]]) }
    }
}
