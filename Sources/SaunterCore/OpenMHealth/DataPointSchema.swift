/// A schema of Open mHealth or IEEE 1752.1, and its mapping to an observation.
///
/// Member names, units and required members are from the published schemas (openmhealth.org, IEEE 1752.1-2021).
package struct DataPointSchema: Sendable {
    /// A number in the body, with its unit.
    struct Member: Sendable {
        /// The name in the body.
        let name: String
        /// The units of the schema, the UCUM units, and the code for each.
        let units: [(schemaUnit: String, ucum: String, code: ObservationCode)]
        let isRequired: Bool
    }

    /// The name of the schema, such as `heart-rate`.
    package let name: String
    /// The exported version of the schema, if the sender named none.
    package let version: String
    /// The code of the observation.
    let code: ObservationCode
    let members: [Member]
    /// The codes that the observation can have: the code of the schema, or the codes of the units.
    package var codes: [ObservationCode] { members.count == 1 ? members[0].units.map(\.code) : [code] }

    /// The namespace of exported schema ids.
    package static let namespace = "omh"

    /// The schema of this name; nil for an unknown name.
    package static func of(_ name: String) -> DataPointSchema? { byName[name] }
    /// All names in alphabetical order.
    package static let names = byName.keys.sorted()

    /// The schema for observations with this code; nil if there is none.
    package static func of(_ code: ObservationCode) -> DataPointSchema? {
        all.first { $0.codes.contains { $0.isSameCode(as: code) } }
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

    /// The duration of a physical activity. It comes from the time frame, unless the body contains it.
    static let duration = "duration"
    /// LOINC has no code for the speed of a person.
    private static let speed = ObservationCode(
        system: "urn:saunter:observation", code: "speed", display: "Speed")
    /// LOINC has no code for a pace.
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

extension DataPointSchema {
    /// Creates the body of one sample: its numbers, its time and the sender's other content.
    /// - Parameter parts: the components of the observation, in order, with their values; nil where nothing was
    ///   measured.
    /// - Returns: nil if a required number is missing.
    package func body(
        _ parts: [(code: ObservationCode, unit: String, value: Double?)], time: DataPointTime,
        statistic: String?, detail: JSON?
    ) -> JSON? {
        var body = detail?.object ?? [:]
        for member in members where member.name != Self.duration {
            let found = parts.lazy.compactMap { part -> (String, Double)? in
                guard let value = part.value,
                    let unit = member.units.first(where: {
                        $0.code.isSameCode(as: part.code) && UCUMUnit.areEquivalent($0.ucum, part.unit)
                    })
                else { return nil }
                return (unit.schemaUnit, value)
            }.first
            guard let (unit, value) = found else {
                if member.isRequired { return nil }
                continue
            }
            body[member.name] = ["value": .double(value), "unit": .string(unit)]
        }
        body["effective_time_frame"] = time.json(isSpan: name == "step-count")
        if let statistic { body["descriptive_statistic"] = .string(statistic) }
        if name == "physical-activity", body["activity_name"] == nil { body["activity_name"] = "exercise" }
        return .object(body)
    }

    /// Creates the header. It keeps the sender's header, such as an acquisition rate, data sheets, and the version and
    /// namespace of the schema. Ids and times have two names each: one for readers of Open mHealth 1, and one for
    /// readers of IEEE 1752.1.
    /// - Parameters:
    ///   - createdAt: when the server received the measurement.
    ///   - sourceCreatedAt: when the source created the measurement, by the source's clock. A time in `provenance` has
    ///     priority.
    package func header(
        id: String, createdAt: Instant, sourceCreatedAt: Instant, modality: Observation.Modality,
        provenance: JSON?, source: String?
    ) -> JSON {
        let modality: JSON = modality == .sensed ? "sensed" : "self-reported"
        let given = provenance?["source_creation_date_time"] ?? provenance?["creation_date_time"]
        let acquired: JSON = ["source_name": .string(source ?? "unknown"), "modality": modality]
        var header = provenance?.object ?? [:]
        header["id"] = .string(id)
        header["uuid"] = .string(id)
        header["creation_date_time"] = .string(createdAt.description)
        header["source_creation_date_time"] = given ?? .string(sourceCreatedAt.description)
        header["schema_id"] = schemaID(provenance?["schema_id"])
        header["modality"] = modality
        header["acquisition_provenance"] = provenance?["acquisition_provenance"] ?? acquired
        return .object(header)
    }

    /// The schema id from the sender, if it is complete; otherwise the default.
    private func schemaID(_ given: JSON?) -> JSON {
        if let given, given["name"]?.string == name, given["namespace"]?.string != nil,
            given["version"] != nil
        {
            return given
        }
        return ["namespace": .string(Self.namespace), "name": .string(name), "version": .string(version)]
    }
}
