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

    /// The header. The ids and times stand under both names: readers of Open mHealth 1 know one, those of IEEE 1752.1 the
    /// other.
    package func header(
        id: String, createdAt: Instant, modality: Observation.Modality, provenance: JSON?, source: String?
    )
        -> JSON
    {
        let modality: JSON = modality == .sensed ? "sensed" : "self-reported"
        let created = JSON.string(createdAt.description)
        return [
            "id": .string(id), "uuid": .string(id), "creation_date_time": created,
            "source_creation_date_time": provenance?["source_creation_date_time"] ?? provenance?[
                "creation_date_time"]
                ?? created,
            "schema_id": [
                "namespace": .string(Self.namespace), "name": .string(name), "version": .string(version),
            ],
            "modality": modality,
            "acquisition_provenance": provenance?["acquisition_provenance"] ?? [
                "source_name": .string(source ?? "unknown"), "modality": modality,
            ],
        ]
    }
}
