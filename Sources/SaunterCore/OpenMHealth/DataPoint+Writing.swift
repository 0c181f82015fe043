extension DataPointSchema {
    /// The body of one sample: its numbers, its time, and what else the sender said of it.
    /// - Parameter values: by component, in the observation's order; nil where nothing was measured.
    /// - Returns: nil where the schema asks for a number that there is none of.
    package func body(
        _ parts: [(code: ObservationCode, unit: String, value: Double?)], time: DataPointTime,
        statistic: String?, detail: JSON?
    ) -> JSON? {
        var body = detail?.object ?? [:]
        for member in members where member.name != Self.duration {
            let found = parts.lazy.compactMap { part -> (String, Double)? in
                guard let value = part.value,
                    let unit = member.units.first(where: {
                        $0.code.names(part.code) && UCUMUnit.isSame($0.ucum, part.unit)
                    })
                else { return nil }
                return (unit.given, value)
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

    /// The header: what the sender said in its own stands, such as an acquisition rate, data sheets, and the version and namespace of the schema.
    /// The ids and times stand under both names: readers of Open mHealth 1 know one, those of IEEE 1752.1 the other.
    /// - Parameters:
    ///   - createdAt: when it was received.
    ///   - statedAt: when its source made it, by the source's own clock; where the provenance says it, that stands.
    package func header(
        id: String, createdAt: Instant, statedAt: Instant, modality: Observation.Modality, provenance: JSON?,
        source: String?
    ) -> JSON {
        let modality: JSON = modality == .sensed ? "sensed" : "self-reported"
        let given = provenance?["source_creation_date_time"] ?? provenance?["creation_date_time"]
        let acquired: JSON = ["source_name": .string(source ?? "unknown"), "modality": modality]
        var header = provenance?.object ?? [:]
        header["id"] = .string(id)
        header["uuid"] = .string(id)
        header["creation_date_time"] = .string(createdAt.description)
        header["source_creation_date_time"] = given ?? .string(statedAt.description)
        header["schema_id"] = schemaID(provenance?["schema_id"])
        header["modality"] = modality
        header["acquisition_provenance"] = provenance?["acquisition_provenance"] ?? acquired
        return .object(header)
    }

    /// As the sender named it, where that is whole.
    private func schemaID(_ given: JSON?) -> JSON {
        if let given, given["name"]?.string == name, given["namespace"]?.string != nil,
            given["version"] != nil
        {
            return given
        }
        return ["namespace": .string(Self.namespace), "name": .string(name), "version": .string(version)]
    }
}
