import SaunterCore
import SaunterStore

/// The wire shape of a usage event, which outboxes alone hold. The schema has been checked before.
struct UsageEventBody {
    private static let mostProperties = 20

    static let schema = Schema.named(
        "UsageEvent",
        .object([
            .required(
                "event", .string(values: UsageEventSubmission.Event.allCases.map(\.rawValue)),
                "What happened."),
            .required("at", .instant, "By the device's clock."),
            .required("time_zone", .zone), .optional("client_now", .instant),
            .optional("occasion_id", .nullable(.id)),
            .optional("questionnaire", .nullable(.string(minLength: 1, maxLength: 24))),
            .optional(
                "properties", .map(of: .any),
                "At most \(mostProperties): numbers, booleans, and texts of up to 200 characters. No answers, and nothing that tells who it is."
            ),
        ]))

    let event: UsageEventSubmission.Event
    let at: Instant
    let zone: Zone
    let clientNow: Instant?
    let occasion: OccasionID?
    let questionnaire: String?
    let properties: JSON?
    /// Without `client_now`, which a device says anew each time it sends.
    let digest: [UInt8]
    let json: JSON

    /// - Throws: every fault that the schema cannot tell.
    init(_ body: JSON) throws(Faults) {
        guard var object = body.object,
            let event = body["event"]?.string.flatMap({ UsageEventSubmission.Event(rawValue: $0) }),
            let at = body["at"]?.string.flatMap({ Instant($0) }),
            let zone = body["time_zone"]?.string.flatMap({ Zone($0) })
        else { throw Faults([Fault(pointer: "", code: "unreadable", detail: "This is no usage event.")]) }
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
        guard properties.count <= mostProperties else {
            return [
                Fault(
                    pointer: "/properties", code: "too_many",
                    detail: "At most \(mostProperties) properties are taken.")
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
                detail: "A property has a name of up to 64 bytes and is a number, a boolean or a short text.")
        }
    }
}

/// Takes usage events in.
struct UsageEventDesk: Sendable {
    let context: ServerContext

    /// Checks and stores an event. What happened after the participant had left is not taken.
    func put(
        _ id: UsageEventID, _ json: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> (json: JSON, isNew: Bool) {
        let body = try UsageEventBody(json)
        let skew = now.skew(of: body.clientNow)
        let happenedAt = body.at.adding(milliseconds: skew)
        if let endedAt = enrolment.endedAt, happenedAt >= endedAt {
            // One that was stored before the participant left is confirmed again.
            let isStored = try await context.store.isStored(id, of: enrolment.id, digest: body.digest)
            if isStored { return (["event_id": .id(id), "replayed": .bool(true)], false) }
            throw Problem(.enrolmentWithdrawn, "It happened after the participant had left the study.")
        }
        let receipt = try await context.ingest.submit(
            UsageEventSubmission(
                study: enrolment.study, enrolment: enrolment.id, id: id, event: body.event,
                happenedAt: body.at, receivedAt: now, zone: body.zone, skewMs: skew, occasion: body.occasion,
                questionnaire: body.questionnaire, properties: body.properties, digest: body.digest,
                body: body.json))
        guard receipt != .conflict else {
            throw Problem(
                .idReused,
                "Another event was handed in under this id. It is put aside, as the first thousand of an enrolment are."
            )
        }
        return (["event_id": .id(id), "replayed": .bool(receipt == .replayed)], receipt == .stored)
    }
}
