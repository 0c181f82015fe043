import SaunterCore
import SaunterStore

/// The request body of a usage event, which devices submit only in batch uploads. The caller validates the body against
/// `schema` first.
struct UsageEventBody {
    private static let maximumProperties = 20

    static let schema = Schema.named(
        "UsageEvent",
        .object([
            .required(
                "event", .string(values: UsageEventSubmission.Event.allCases.map(\.rawValue)),
                "What happened in the app."),
            .required("at", .instant, "When it happened, by the device's clock."),
            .required("time_zone", .zone, "The IANA time zone of the device."),
            .optional(
                "client_now", .instant,
                "The device's clock when it sends the request. The server corrects times with it."),
            .optional(
                "occasion_id", .nullable(.id),
                "The occasion to which the event belongs; null if there is none."),
            .optional(
                "questionnaire", .nullable(.string(minLength: 1, maxLength: 24)),
                "The code of the questionnaire to which the event belongs; null if there is none."),
            .optional(
                "properties", .map(of: .any),
                """
                At most \(maximumProperties) properties. A value is a number, a boolean, null, or a text of up to 200 \
                characters. Send no answers and nothing that identifies the participant.
                """
            ),
        ]))

    let event: UsageEventSubmission.Event
    let at: Instant
    let zone: Zone
    let clientNow: Instant?
    let occasion: OccasionID?
    let questionnaire: String?
    let properties: JSON?
    /// SHA-256 of the canonical body without `client_now`, which differs in each attempt.
    let digest: [UInt8]
    let json: JSON

    /// - Throws: every fault that the schema does not find.
    init(_ body: JSON) throws(Faults) {
        guard var object = body.object,
            let event = body["event"]?.string.flatMap({ UsageEventSubmission.Event(rawValue: $0) }),
            let at = body["at"]?.string.flatMap({ Instant($0) }),
            let zone = body["time_zone"]?.string.flatMap({ Zone($0) })
        else {
            throw Faults([Fault(pointer: "", code: "unreadable", detail: "The body is not a usage event.")])
        }
        let faults = Self.faults(of: body["properties"]?.object ?? [:])
        guard faults.isEmpty else { throw Faults(faults) }
        self.event = event
        self.at = at
        self.zone = zone
        clientNow = body["client_now"]?.string.flatMap { Instant($0) }
        occasion = body["occasion_id"]?.string.flatMap { OccasionID($0) }
        questionnaire = body["questionnaire"]?.string
        properties = body["properties"]
        json = body
        object["client_now"] = nil
        digest = JSON.object(object).sha256
    }

    private static func faults(of properties: JSONObject) -> [Fault] {
        guard properties.count <= maximumProperties else {
            return [
                Fault(
                    pointer: "/properties", code: "too_many",
                    detail: "An event has at most \(maximumProperties) properties.")
            ]
        }
        return properties.compactMap { member in
            let isShort = member.name.utf8.count <= 64
            let isPlain =
                switch member.value {
                case .string(let text): text.count <= 200
                case .number, .bool, .null: true
                case .array, .object: false
                }
            guard !isShort || !isPlain else { return nil }
            return Fault(
                pointer: "/properties", code: "wrong_property",
                detail: """
                    A property has a name of up to 64 bytes. Its value is a number, a boolean, null, or a text of up \
                    to 200 characters.
                    """)
        }
    }
}
