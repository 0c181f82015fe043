/// A data point of Open mHealth or IEEE 1752.1: the observation in it, and its other content.
package struct DataPoint: Sendable {
    /// The schema of the data point.
    package var schema: DataPointSchema
    /// The id of the data point from the sender; nil without one.
    package var id: String?
    /// The revision. A higher revision replaces a data point that was submitted before. No schema defines it: it is the
    /// number `revision` of the header, otherwise 1.
    package var revision: Int
    /// The observation in the data point.
    package var observation: Observation
    /// The sender's offset in minutes east of UTC: at the start, or at the end if the start is not given.
    package var offsetMin: Int
    /// The header without the ids of the data point and the participant: the source of the data, and how it was
    /// acquired.
    package var provenance: JSON
    /// The other content of the body besides numbers and time, such as the body site of a temperature. It includes the
    /// duration of an activity.
    package var detail: JSON?

    /// The members of the header that are not stored, because they identify the data point or the participant.
    private static let unstoredMembers: Set<String> = ["id", "uuid", "user_id"]
    /// The words of `descriptive_statistic`, from the schema descriptive-statistic 1.0.
    private static let statistics: Set<String> = [
        "average", "count", "maximum", "median", "minimum", "standard deviation", "sum", "variance",
        "20th percentile", "80th percentile", "lower quartile", "upper quartile", "quartile deviation",
        "1st quintile", "2nd quintile", "3rd quintile", "4th quintile",
    ]
    /// The maximum size of `provenance` and of `detail`, in bytes.
    private static let maximumBytes = 8192

    /// Parses a data point: `{"header": …, "body": …}`.
    /// - Throws: all faults.
    package init(_ json: JSON) throws(Faults) {
        let header = json["header"]
        let parts = try Self.parts(of: json)
        let (schema, body, time) = (parts.schema, parts.body, parts.time)
        let (code, components) = Self.measured(parts)
        self.schema = schema
        id = header?["id"]?.string ?? header?["uuid"]?.string
        revision = parts.revision
        offsetMin = time.offsetMin
        let length = Int(clamping: time.to.milliseconds(since: time.from))
        do {
            observation = try Observation(
                code: code, startedAt: time.from, endedAt: time.to, modality: parts.modality,
                statistic: body["descriptive_statistic"]?.string, tMs: [0],
                untilMs: length > 0 ? [length] : nil,
                components: components, pointers: { _ in "/body" })
        } catch {
            throw Faults(error.list.map { Self.inBody($0) })
        }
        // A plain number is exported as a value with a unit, which its schema version does not have. The schema id is
        // therefore not stored.
        let unstored =
            Self.hasPlainNumber(body) ? Self.unstoredMembers.union(["schema_id"]) : Self.unstoredMembers
        provenance = .object(JSONObject((header?.object ?? [:]).filter { !unstored.contains($0.name) }))
        // The submitted duration is stored in `detail`, because it can differ from the time frame.
        let known = Set(schema.members.map(\.name)).subtracting([DataPointSchema.duration])
            .union(["effective_time_frame", "descriptive_statistic"])
        let rest = JSONObject(body.filter { !known.contains($0.name) })
        detail = rest.isEmpty ? nil : .object(rest)
        guard provenance.bytes.count <= Self.maximumBytes, (detail?.bytes.count ?? 0) <= Self.maximumBytes
        else {
            throw Faults([
                Fault(
                    pointer: "", code: "too_long",
                    detail:
                        "The header and the other content of the body must have at most \(Self.maximumBytes) bytes each."
                )
            ])
        }
    }

    /// The parts of a data point from which the observation is created.
    private struct Parts {
        var schema: DataPointSchema
        var revision: Int
        var body: JSONObject
        var time: DataPointTime
        var modality: Observation.Modality
        /// The components from the members of the schema.
        var components: [Observation.Component]
    }

    private static func parts(of json: JSON) throws(Faults) -> Parts {
        let header = json["header"]
        let schema = header?["schema_id"]?["name"]?.string.flatMap { DataPointSchema.of($0) }
        let revision = Self.revision(header?["revision"])
        let body = json["body"]?.object
        let time = DataPointTime(body?["effective_time_frame"])
        var faults: [Fault] = []
        if schema == nil {
            faults.append(
                Fault(
                    pointer: "/header/schema_id/name", code: "unknown_schema",
                    detail: "The schema must be one of \(DataPointSchema.names.joined(separator: ", "))."))
        }
        if revision == nil {
            faults.append(
                Fault(
                    pointer: "/header/revision", code: "out_of_range",
                    detail: "A revision must be a whole number from 1 to \(Observation.maximumRevision)."))
        }
        if body == nil {
            faults.append(
                Fault(pointer: "/body", code: "required", detail: "A data point must have a body."))
        } else if time == nil {
            faults.append(
                Fault(
                    pointer: "/body/effective_time_frame", code: "no_time",
                    detail:
                        "The time must be a date_time, or a time_interval with two of start, end and duration. Times need an offset."
                ))
        }
        let modality = Self.modality(header, &faults)
        Self.checkTimes(of: header, &faults)
        if let statistic = body?["descriptive_statistic"],
            statistic.string.map({ !Self.statistics.contains($0) }) ?? true
        {
            faults.append(
                Fault(
                    pointer: "/body/descriptive_statistic", code: "unknown_statistic",
                    detail:
                        "The statistic must be one of \(Self.statistics.sorted().joined(separator: ", "))."))
        }
        var components: [Observation.Component] = []
        if let schema, let body { components = Self.components(of: schema, body, &faults) }
        guard let schema, let revision, let body, let time, faults.isEmpty else { throw Faults(faults) }
        return Parts(
            schema: schema, revision: revision, body: body, time: time, modality: modality,
            components: components)
    }

    private static func components(
        of schema: DataPointSchema, _ body: JSONObject, _ faults: inout [Fault]
    ) -> [Observation.Component] {
        var components: [Observation.Component] = []
        for member in schema.members {
            guard let given = body[member.name] else {
                if member.isRequired {
                    faults.append(
                        Fault(
                            pointer: "/body/\(member.name)", code: "required",
                            detail: "The schema requires this member."))
                }
                continue
            }
            let isPlain = member.name == "step_count" && Self.hasPlainNumber(body)
            let value = isPlain ? given.double : given["value"]?.double
            let name = isPlain ? member.units[0].schemaUnit : given["unit"]?.string
            guard let value, let unit = member.units.first(where: { $0.schemaUnit == name }) else {
                faults.append(
                    Fault(
                        pointer: "/body/\(member.name)", code: "not_a_unit_value",
                        detail: "The member must have a number as value, and one of these as unit: "
                            + member.units.map(\.schemaUnit).joined(separator: ", ") + "."))
                continue
            }
            components.append(.init(code: unit.code, unit: unit.ucum, values: [value]))
        }
        return components
    }

    /// The code and the components of the observation. A schema with one member uses the code of the member. A physical
    /// activity without a duration receives the duration of its time frame.
    private static func measured(_ parts: Parts) -> (ObservationCode, [Observation.Component]) {
        let schema = parts.schema
        var components = parts.components
        if schema.members.count == 1, var only = components.first {
            let code = only.code ?? schema.code
            only.code = nil
            return (code, [only])
        }
        let length = parts.time.to.milliseconds(since: parts.time.from)
        if length > 0, schema.members.contains(where: { $0.name == DataPointSchema.duration }),
            parts.body[DataPointSchema.duration] == nil
        {
            components.append(
                .init(code: MeasuredQuantity.duration.code, unit: "s", values: [Double(length) / 1000]))
        }
        return (schema.code, components)
    }

    /// Whether the step count is a plain number, as in the first versions of the schema.
    private static func hasPlainNumber(_ body: JSONObject) -> Bool { body["step_count"]?.double != nil }

    /// The revision; 1 without one. A text is the revision of another program, and stays in the header. Nil for a
    /// number that is not a valid revision.
    private static func revision(_ given: JSON?) -> Int? {
        guard let given, given.double != nil else { return 1 }
        guard let revision = given.int, (1...Observation.maximumRevision).contains(revision) else {
            return nil
        }
        return revision
    }

    /// The modality; sensed without one. IEEE 1752.1 has it in the header, and Open mHealth in the provenance.
    private static func modality(_ header: JSON?, _ faults: inout [Fault]) -> Observation.Modality {
        let words: [String: Observation.Modality] = ["sensed": .sensed, "self-reported": .selfReported]
        var found: [Observation.Modality] = []
        for (pointer, given) in [
            ("/header/modality", header?["modality"]),
            (
                "/header/acquisition_provenance/modality",
                header?["acquisition_provenance"]?["modality"]
            ),
        ] {
            guard let given else { continue }
            if let modality = given.string.flatMap({ words[$0] }) {
                found.append(modality)
            } else {
                faults.append(
                    Fault(
                        pointer: pointer, code: "unknown_modality",
                        detail: "The modality must be sensed or self-reported."))
            }
        }
        return found.first ?? .sensed
    }

    /// Checks the creation times, and the unit of the acquisition rate. They are stored and exported unchanged.
    private static func checkTimes(of header: JSON?, _ faults: inout [Fault]) {
        let provenance = header?["acquisition_provenance"]
        for (pointer, given) in [
            ("/header/creation_date_time", header?["creation_date_time"]),
            ("/header/source_creation_date_time", header?["source_creation_date_time"]),
            (
                "/header/acquisition_provenance/source_creation_date_time",
                provenance?["source_creation_date_time"]
            ),
        ] {
            guard let given, given.string.flatMap({ Instant($0) }) == nil else { continue }
            faults.append(
                Fault(
                    pointer: pointer, code: "not_a_time",
                    detail: "The time must be an instant with an offset, such as 2026-11-21T08:05:00Z."))
        }
        if let window = header?["acquisition_rate"]?["time_window"], !DataPointTime.isDuration(window) {
            faults.append(
                Fault(
                    pointer: "/header/acquisition_rate/time_window", code: "not_a_unit_value",
                    detail: "The member must have a number as value, and a unit of time as unit."))
        }
    }

    /// Maps a fault of the observation to the data point. A data point has no lists, so the fault belongs to the
    /// complete body or to the time frame.
    private static func inBody(_ fault: Fault) -> Fault {
        guard !fault.pointer.hasPrefix("/body") else {
            return Fault(pointer: "/body", code: fault.code, detail: fault.detail)
        }
        return Fault(pointer: "/body/effective_time_frame", code: fault.code, detail: fault.detail)
    }
}
