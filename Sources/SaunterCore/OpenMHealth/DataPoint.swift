/// A data point that was read: the observation that it is, and what else it says.
package struct DataPoint: Sendable {
    package var schema: DataPointSchema
    /// As the sender names it; nil where it does not.
    package var id: String?
    /// A higher one takes the place of a point that was handed in before. No schema has it: a number as `revision` of the header, else 1.
    package var revision: Int
    package var observation: Observation
    package var offsetMin: Int
    /// Of the header: what recorded it and how. Whose it is, is left out.
    package var provenance: JSON
    /// What the body says beside its numbers and its time, such as where a temperature was taken; and how long it says that an activity took.
    package var detail: JSON?

    /// Members of a header that are not kept: they name the point itself, or the person.
    private static let dropped: Set<String> = ["id", "uuid", "user_id"]
    /// Bytes of what is kept verbatim.
    private static let longest = 8192

    /// Reads a data point: `{"header": …, "body": …}`.
    /// - Throws: every fault that is found.
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
                code: code, startedAt: time.from, endedAt: time.to, modality: Self.modality(header),
                statistic: body["descriptive_statistic"]?.string, tMs: [0],
                untilMs: length > 0 ? [length] : nil,
                components: components, pointers: { _ in "/body" })
        } catch {
            throw Faults(error.list.map { Self.inBody($0) })
        }
        // A bare number is told as a value with its unit, and so no longer by the version that had it.
        let dropped = Self.isBare(body) ? Self.dropped.union(["schema_id"]) : Self.dropped
        provenance = .object(JSONObject((header?.object ?? [:]).filter { !dropped.contains($0.name) }))
        // A duration is told as it was given: it need not be that of the time frame.
        let known = Set(schema.members.map(\.name)).subtracting([DataPointSchema.duration])
            .union(["effective_time_frame", "descriptive_statistic"])
        let rest = JSONObject(body.filter { !known.contains($0.name) })
        detail = rest.isEmpty ? nil : .object(rest)
        guard provenance.bytes.count <= Self.longest, (detail?.bytes.count ?? 0) <= Self.longest,
            (observation.statistic?.utf8.count ?? 0) <= 100
        else {
            throw Faults([
                Fault(
                    pointer: "", code: "too_long",
                    detail: "What a data point says beside its numbers is too long.")
            ])
        }
    }

    /// What all else is told by.
    private struct Parts {
        var schema: DataPointSchema
        var revision: Int
        var body: JSONObject
        var time: DataPointTime
        /// Of the schema's members.
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
                    detail: "It must be one of \(DataPointSchema.names.joined(separator: ", "))."))
        }
        if revision == nil {
            faults.append(
                Fault(
                    pointer: "/header/revision", code: "out_of_range",
                    detail: "A revision is a whole number from 1 to \(Observation.maximumRevision)."))
        }
        if body == nil {
            faults.append(
                Fault(pointer: "/body", code: "required", detail: "A data point has a body."))
        } else if time == nil {
            faults.append(
                Fault(
                    pointer: "/body/effective_time_frame", code: "no_time",
                    detail:
                        "It must be a date_time, or a time_interval with two of start, end and duration, each with an offset."
                ))
        }
        var components: [Observation.Component] = []
        if let schema, let body { components = Self.components(of: schema, body, &faults) }
        guard let schema, let revision, let body, let time, faults.isEmpty else { throw Faults(faults) }
        return Parts(schema: schema, revision: revision, body: body, time: time, components: components)
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
                            detail: "The schema asks for it."))
                }
                continue
            }
            let isBare = member.name == "step_count" && Self.isBare(body)
            let value = isBare ? given.double : given["value"]?.double
            let name = isBare ? member.units[0].given : given["unit"]?.string
            guard let value, let unit = member.units.first(where: { $0.given == name }) else {
                faults.append(
                    Fault(
                        pointer: "/body/\(member.name)", code: "not_a_unit_value",
                        detail: "It has a number as value, and one of these as unit: "
                            + member.units.map(\.given).joined(separator: ", ") + "."))
                continue
            }
            components.append(.init(code: unit.code, unit: unit.ucum, values: [value]))
        }
        return components
    }

    /// What was measured: of a schema with one member its own code, and of an activity without a duration that of its time frame.
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

    /// The first versions of step-count have a bare number.
    private static func isBare(_ body: JSONObject) -> Bool { body["step_count"]?.double != nil }

    /// Words are some other program's own, and carried like all that a header says. Nil for a number that is no revision.
    private static func revision(_ given: JSON?) -> Int? {
        guard let given, given.double != nil else { return 1 }
        guard let revision = given.int, (1...Observation.maximumRevision).contains(revision) else {
            return nil
        }
        return revision
    }

    private static func modality(_ header: JSON?) -> Observation.Modality {
        let said = header?["modality"]?.string ?? header?["acquisition_provenance"]?["modality"]?.string
        return said == "self-reported" ? .selfReported : .sensed
    }

    /// A data point has one value of each, and no place of its own for an observation's columns.
    private static func inBody(_ fault: Fault) -> Fault {
        guard !fault.pointer.hasPrefix("/body") else {
            return Fault(pointer: "/body", code: fault.code, detail: fault.detail)
        }
        return Fault(pointer: "/body/effective_time_frame", code: fault.code, detail: fault.detail)
    }
}
