import SaunterCore
import SaunterStore

/// The request body of an observation. The caller validates the body against `schema` first.
struct ObservationBody {
    private static let values = Schema.array(
        of: .nullable(.number()), min: 1, max: Observation.maximumSamples)

    static let codeSchema = Schema.named(
        "Code",
        .object([
            .required(
                "system", .string(minLength: 1, maxLength: 200),
                "The URI of the code system, such as http://loinc.org. Use another URI for local codes."),
            .required("code", .string(minLength: 1, maxLength: 100), "The code within its system."),
            .optional(
                "display", .nullable(.string(minLength: 1, maxLength: 400)),
                "A text for people; null if there is none."),
        ]))

    static let schema = Schema.named(
        "Observation",
        .object([
            .required("code", codeSchema, "The quantity or the panel that was measured."),
            .required("started_at", .instant, "When the observation began."),
            .required("ended_at", .instant, "The end. For a single reading, the same as `started_at`."),
            .required("time_zone", .zone, "The IANA time zone of the participant during the observation."),
            .optional(
                "client_now", .instant,
                "The device's clock when it sends the request. The server corrects times with it."),
            .optional(
                "revision", .integer(min: 1, max: Observation.maximumRevision),
                """
                The revision of the observation; 1 if omitted. A higher revision replaces the stored observation with \
                this id. A deleted observation stays deleted.
                """
            ),
            .optional("device", .nullable(.map(of: .any)), "The make, model and software of the device."),
            .optional(
                "modality", .string(values: Observation.Modality.allCases.map(\.rawValue)),
                "How the values were obtained; `sensed` if omitted."),
            .optional(
                "statistic", .nullable(.string(minLength: 1, maxLength: 100)),
                "The statistic that each value represents for its time span, such as `average`."),
            .required(
                "t_ms", .array(of: .integer(), min: 1, max: Observation.maximumSamples),
                "The times of the values, in increasing milliseconds since `started_at`."),
            .optional(
                "until_ms", .nullable(.array(of: .integer(), min: 1, max: Observation.maximumSamples)),
                """
                The end of the time span of each value, in milliseconds since `started_at`. Omit it if each value \
                belongs to a single instant.
                """),
            .required(
                "components",
                .array(
                    of: .object([
                        .optional(
                            "code", .nullable(codeSchema),
                            "The quantity of this series. Omit it if the observation's `code` names the quantity."
                        ),
                        .required(
                            "unit", .string(minLength: 1, maxLength: UCUMUnit.maximumLength), "The UCUM unit."
                        ),
                        .required(
                            "values", values,
                            "One value for each time in `t_ms`; null if nothing was measured."),
                    ]), min: 1, max: Observation.maximumComponents),
                "One series for each quantity that was measured."),
        ]))

    /// An example: one blood pressure reading.
    static let example: JSON = [
        "code": ["system": "http://loinc.org", "code": "85354-9", "display": "Blood pressure panel"],
        "started_at": "2026-11-21T08:00:00.000Z", "ended_at": "2026-11-21T08:00:00.000Z",
        "time_zone": "Europe/Berlin", "device": ["model": "Cuff 2"], "t_ms": [0],
        "components": [
            ["code": ["system": "http://loinc.org", "code": "8480-6"], "unit": "mm[Hg]", "values": [121]],
            ["code": ["system": "http://loinc.org", "code": "8462-4"], "unit": "mm[Hg]", "values": [79]],
        ],
    ]

    let observation: Observation
    let revision: Int
    let zone: Zone
    let device: JSON?
    let clientNow: Instant?
    /// SHA-256 of the canonical body without `client_now`, which differs in each attempt.
    let digest: [UInt8]
    let json: JSON

    /// - Throws: every fault of the observation.
    init(_ body: JSON) throws(Faults) {
        guard var object = body.object, let code = Self.code(body["code"]),
            let startedAt = body["started_at"]?.string.flatMap({ Instant($0) }),
            let endedAt = body["ended_at"]?.string.flatMap({ Instant($0) }),
            let zone = body["time_zone"]?.string.flatMap({ Zone($0) })
        else {
            throw Faults([Fault(pointer: "", code: "unreadable", detail: "The body is not an observation.")])
        }
        self.zone = zone
        revision = body["revision"]?.int ?? 1
        device = body["device"].flatMap { $0.isNull ? Optional.none : $0 }
        clientNow = body["client_now"]?.string.flatMap { Instant($0) }
        observation = try Observation(
            code: code, startedAt: startedAt, endedAt: endedAt,
            modality: body["modality"]?.string.flatMap { .init(rawValue: $0) } ?? .sensed,
            statistic: body["statistic"]?.string, tMs: Self.times(body["t_ms"]) ?? [],
            untilMs: Self.times(body["until_ms"]),
            components: (body["components"]?.array ?? []).map { part in
                Observation.Component(
                    code: Self.code(part["code"]), unit: part["unit"]?.string ?? "",
                    values: (part["values"]?.array ?? []).map(\.double))
            })
        json = body
        object["client_now"] = nil
        digest = JSON.object(object).sha256
    }

    private static func times(_ json: JSON?) -> [Int]? { json?.array?.map { $0.int ?? -1 } }

    private static func code(_ json: JSON?) -> ObservationCode? {
        guard let system = json?["system"]?.string, let code = json?["code"]?.string else { return nil }
        return ObservationCode(system: system, code: code, display: json?["display"]?.string)
    }
}
