/// A schema of Open mHealth or IEEE 1752.1, and what its numbers are as an observation.
///
/// From the published schemas (openmhealth.org, IEEE 1752.1-2021): names of members, their units, and which of them must be
/// there.
package struct DataPointSchema: Sendable {
    /// A number of the body, with its unit.
    struct Member: Sendable {
        /// In the body.
        let name: String
        /// The schema's units and UCUM's, with the code that each is measured under.
        let units: [(given: String, ucum: String, code: ObservationCode)]
        let isRequired: Bool
    }

    package let name: String
    /// That a data point is given with, where its sender names none.
    package let version: String
    /// Of the observation.
    let code: ObservationCode
    let members: [Member]
    /// Codes that the observation itself may have: the schema's own, or by unit.
    package var codes: [ObservationCode] { members.count == 1 ? members[0].units.map(\.code) : [code] }

    package static let namespace = "omh"

    /// Nil for a schema that is not known.
    package static func of(_ name: String) -> DataPointSchema? { byName[name] }
    /// In the order of their names.
    package static let names = byName.keys.sorted()

    /// Those whose observations have this code.
    package static func of(_ code: ObservationCode) -> DataPointSchema? {
        all.first { $0.codes.contains { $0.names(code) } }
    }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    private static let all: [DataPointSchema] = [
        single("heart-rate", "2.0", "heart_rate", .heartRate, [("beats/min", "/min")]),
        single("step-count", "3.0", "step_count", .steps, [("steps", "{steps}")]),
        single("respiratory-rate", "2.0", "respiratory_rate", .respiratoryRate, [("breaths/min", "/min")]),
        single(
            "body-temperature", "4.0", "body_temperature", .temperature,
            [("C", "Cel"), ("F", "[degF]"), ("K", "K")]),
        single("oxygen-saturation", "2.0", "oxygen_saturation", .saturation, [("%", "%")]),
        single("body-weight", "3.0", "body_weight", .weight, [("kg", "kg"), ("g", "g"), ("lb", "[lb_av]")]),
        DataPointSchema(
            name: "blood-glucose", version: "4.0", code: MeasuredQuantity.glucoseMass.code,
            members: [
                Member(
                    name: "blood_glucose",
                    units: [
                        ("mg/dL", "mg/dL", MeasuredQuantity.glucoseMass.code),
                        ("mmol/L", "mmol/L", MeasuredQuantity.glucoseMoles.code),
                    ], isRequired: true)
            ]),
        DataPointSchema(
            name: "blood-pressure", version: "4.0",
            code: ObservationCode(loinc: "85354-9", "Blood pressure panel"),
            members: [
                member("systolic_blood_pressure", .systolic, [("mmHg", "mm[Hg]")], isRequired: true),
                member("diastolic_blood_pressure", .diastolic, [("mmHg", "mm[Hg]")], isRequired: true),
            ]),
        DataPointSchema(
            name: "physical-activity", version: "1.2",
            code: ObservationCode(loinc: "73985-4", "Exercise activity"),
            members: [
                member("distance", .distance, lengths, isRequired: false),
                member("kcal_burned", .energy, [("kcal", "kcal")], isRequired: false),
                member("base_movement_quantity", .steps, [("steps", "{steps}")], isRequired: false),
                member(duration, .duration, [("sec", "s"), ("min", "min"), ("h", "h")], isRequired: false),
            ]),
        DataPointSchema(
            name: "speed", version: "1.0", code: speed,
            members: [
                Member(
                    name: "speed", units: [("m/s", "m/s", speed), ("km/h", "km/h", speed)], isRequired: true)
            ]),
        DataPointSchema(
            name: "pace", version: "1.0", code: pace,
            members: [
                Member(
                    name: "pace", units: [("min/km", "min/km", pace), ("min/mi", "min/[mi_i]", pace)],
                    isRequired: true)
            ]),
    ]

    /// Of a physical activity; told by its time frame, unless the body says otherwise.
    static let duration = "duration"
    /// LOINC names no speed of a whole body.
    private static let speed = ObservationCode(
        system: "urn:saunter:observation", code: "speed", display: "Speed")
    /// Nor a pace.
    private static let pace = ObservationCode(
        system: "urn:saunter:observation", code: "pace", display: "Pace")
    private static let lengths = [
        ("m", "m"), ("km", "km"), ("cm", "cm"), ("mi", "[mi_i]"), ("yd", "[yd_i]"), ("ft", "[ft_i]"),
        ("in", "[in_i]"),
    ]

    private static func single(
        _ name: String, _ version: String, _ member: String, _ quantity: MeasuredQuantity,
        _ units: [(String, String)]
    ) -> DataPointSchema {
        DataPointSchema(
            name: name, version: version, code: quantity.code,
            members: [Self.member(member, quantity, units, isRequired: true)])
    }

    private static func member(
        _ name: String, _ quantity: MeasuredQuantity, _ units: [(String, String)], isRequired: Bool
    ) -> Member {
        Member(name: name, units: units.map { ($0.0, $0.1, quantity.code) }, isRequired: isRequired)
    }
}
