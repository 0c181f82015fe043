import SaunterCore
import SaunterStore

/// Response bodies for observations.
enum ObservationResponse {
    /// An observation in a list, without its samples.
    static func listed(_ observation: StoredObservation) -> JSON {
        .object(fields(of: observation, components: observation.components.map { .object(fields(of: $0)) }))
    }

    /// The receipt of a submitted observation.
    static func receipt(_ observation: StoredObservation, replayed: Bool) -> JSON {
        var object = listed(observation).object ?? [:]
        object["replayed"] = .bool(replayed)
        return .object(object)
    }

    /// An observation with its samples.
    static func detail(_ observation: StoredObservation) -> JSON {
        guard let detail = observation.detail else { return listed(observation) }
        let components = zip(observation.components, detail.values).map { component, values in
            var object = fields(of: component)
            object["values"] = .array(values.map { .optional($0, JSON.double) })
            return JSON.object(object)
        }
        var object = fields(of: observation, components: components)
        object["device"] = detail.device ?? .null
        object["provenance"] = detail.provenance ?? .null
        object["detail"] = detail.detail ?? .null
        object["t_ms"] = .array(detail.tMs.map(JSON.int))
        object["until_ms"] = .optional(detail.untilMs) { .array($0.map(JSON.int)) }
        return .object(object)
    }

    private static func fields(of observation: StoredObservation, components: [JSON]) -> JSONObject {
        [
            "observation_id": .id(observation.id), "revision": .int(observation.revision),
            "code": code(observation.code),
            "started_at": .instant(observation.startedAt), "ended_at": .instant(observation.endedAt),
            "received_at": .instant(observation.receivedAt), "time_zone": .string(observation.zone.id),
            "modality": .string(observation.modality.rawValue),
            "statistic": .optional(observation.statistic, JSON.string), "flags": .strings(observation.flags),
            "samples": .int(observation.sampleCount), "components": .array(components),
        ]
    }

    private static func fields(of component: StoredObservation.Component) -> JSONObject {
        let summary = component.summary
        return [
            "code": .optional(component.code, code), "unit": .string(component.unit),
            "summary": [
                "count": .int(summary.count), "minimum": .optional(summary.minimum, JSON.double),
                "maximum": .optional(summary.maximum, JSON.double),
                "mean": .optional(summary.mean, JSON.double),
            ],
        ]
    }

    private static func code(_ code: ObservationCode) -> JSON {
        [
            "system": .string(code.system), "code": .string(code.code),
            "display": .optional(code.display, JSON.string),
        ]
    }

    private static let componentMembers: [Schema.Member] = [
        .required(
            "code", .nullable(ObservationBody.codeSchema),
            "The code of what the component measures; null if the code of the observation names it."),
        .required("unit", .string(), "The unit of the values, as a UCUM code."),
        .required(
            "summary",
            .object([
                .required("count", .integer(min: 0), "The number of values that are not null."),
                .required("minimum", .nullable(.number()), "The smallest value; null if there is none."),
                .required("maximum", .nullable(.number()), "The largest value; null if there is none."),
                .required("mean", .nullable(.number()), "The mean of the values, not weighted by time."),
            ]), "Statistics of the values."),
    ]

    private static func members(_ component: [Schema.Member]) -> [Schema.Member] {
        [
            .required("observation_id", .id, "The id of the observation, which the client created."),
            .required(
                "revision", .integer(min: 1),
                "The revision that the client stated; 1 if it stated none. A higher revision replaces a lower one."
            ),
            .required("code", ObservationBody.codeSchema, "The code of what was measured."),
            .required("started_at", .instant, "When the observation began."),
            .required("ended_at", .instant, "When the observation ended."),
            .required(
                "received_at", .instant, "When the server received the observation, by the server's clock."),
            .required("time_zone", .zone, "The IANA time zone of the participant during the observation."),
            .required(
                "modality", .string(values: Observation.Modality.allCases.map(\.rawValue)),
                "How the values were obtained."),
            .required(
                "statistic", .nullable(.string()),
                "How each value summarises several measurements, such as `average`; null if each value is one measurement."
            ),
            .required(
                "flags", .array(of: .string()),
                "What is unusual about the record, such as a clock that was wrong."),
            .required("samples", .integer(min: 0), "The number of samples."),
            .required("components", .array(of: .object(component)), "The measured quantities."),
        ]
    }

    static let listedSchema = Schema.named("StoredObservation", .object(members(componentMembers)))
    static let receiptSchema = Schema.named(
        "ObservationReceipt",
        .object(
            members(componentMembers) + [
                .required("replayed", .boolean, "True if the server already had this record.")
            ]))
    static let detailSchema = Schema.named(
        "ObservationDetail",
        .object(
            members(
                componentMembers + [
                    .required(
                        "values", .array(of: .nullable(.number())),
                        "The values, one per sample; null where there is none.")
                ]) + [
                    .required("device", .any, "What the client stated about the measuring device."),
                    .required(
                        "provenance", .any,
                        "For a data point (Open mHealth): the provenance in its header. Null for other observations."
                    ),
                    .required(
                        "detail", .any,
                        "For a data point (Open mHealth): the members of its body that are not measured values. Null for other observations."
                    ),
                    .required(
                        "t_ms", .array(of: .integer()),
                        "When each sample was taken or began, in milliseconds after `started_at`."),
                    .required(
                        "until_ms", .nullable(.array(of: .integer())),
                        "When each sample ended, in milliseconds after `started_at`; null if the samples are instants, not intervals."
                    ),
                ]))
}
