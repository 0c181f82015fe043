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
        .required("code", .nullable(ObservationBody.codeSchema)), .required("unit", .string()),
        .required(
            "summary",
            .object([
                .required("count", .integer(min: 0), "The number of values that are not null."),
                .required("minimum", .nullable(.number())), .required("maximum", .nullable(.number())),
                .required("mean", .nullable(.number()), "The mean of the values, not weighted by time."),
            ])),
    ]

    private static func members(_ component: [Schema.Member]) -> [Schema.Member] {
        [
            .required("observation_id", .id), .required("revision", .integer(min: 1)),
            .required("code", ObservationBody.codeSchema),
            .required("started_at", .instant), .required("ended_at", .instant),
            .required("received_at", .instant),
            .required("time_zone", .zone),
            .required("modality", .string(values: Observation.Modality.allCases.map(\.rawValue))),
            .required("statistic", .nullable(.string())), .required("flags", .array(of: .string())),
            .required("samples", .integer(min: 0)), .required("components", .array(of: .object(component))),
        ]
    }

    static let listedSchema = Schema.named("StoredObservation", .object(members(componentMembers)))
    static let receiptSchema = Schema.named(
        "ObservationReceipt", .object(members(componentMembers) + [.required("replayed", .boolean)]))
    static let detailSchema = Schema.named(
        "ObservationDetail",
        .object(
            members(componentMembers + [.required("values", .array(of: .nullable(.number())))]) + [
                .required("device", .any),
                .required("provenance", .any, "For a data point: the provenance in its header."),
                .required(
                    "detail", .any, "For a data point: the members of its body that are not measured values."),
                .required("t_ms", .array(of: .integer())),
                .required("until_ms", .nullable(.array(of: .integer()))),
            ]))
}
