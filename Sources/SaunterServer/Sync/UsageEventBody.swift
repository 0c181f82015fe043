import SaunterCore
import SaunterStore

/// The request body of a usage event, which devices submit only in batch uploads. The caller validates the body against
/// `schema` first.
struct UsageEventBody {
    private static let maximumProperties = 20
    /// One day. A longer duration means that the app stayed open without being used.
    private static let maximumSeconds = 86_400.0
    /// The only properties of a crash. A text such as a message or a call stack could contain answers.
    private static let crashProperties = ["code", "version"]

    static let schema = Schema.named(
        "UsageEvent",
        .object([
            .required(
                "event", .string(values: UsageEventKind.allCases.map(\.rawValue)),
                "What happened in the app."),
            .required("at", .instant, "When the event happened, by the device's clock."),
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
                "feature", .nullable(.string(minLength: 1, maxLength: 40)),
                "The code of the study's feature to which the event belongs. An event `feature_opened` requires it."
            ),
            .optional(
                "collection", .nullable(.string(minLength: 1, maxLength: 40)),
                "The code of the collection whose content was shown or played. Events of content require it."),
            .optional(
                "item", .nullable(.string(minLength: 1, maxLength: 80)),
                "The id of the content in the collection. Events of content require it."),
            .optional(
                "seconds", .nullable(.number(min: 0, max: maximumSeconds)),
                "How long the event lasted, in seconds; null if the event has no duration."),
            .optional(
                "properties", .map(of: .any),
                """
                At most \(maximumProperties) properties. A value is a number, a boolean, null, or a text of up to 200 \
                characters. Send no answers and nothing that identifies the participant. An event `app_crashed` has \
                only `code` and `version`, each a number or up to 64 characters of A-Z, a-z, 0-9 and `._+:-`.
                """
            ),
        ]))

    let event: UsageEventKind
    let at: Instant
    let zone: Zone
    let clientNow: Instant?
    let occasion: OccasionID?
    let questionnaire: String?
    let feature: String?
    let collection: String?
    let item: String?
    let seconds: Double?
    let properties: JSON?
    /// SHA-256 of the canonical body without `client_now`, which differs in each attempt.
    let digest: [UInt8]
    let json: JSON

    /// - Parameter features: the codes of the features that the study versions of the enrolment have.
    /// - Throws: every fault that the schema does not find.
    init(_ body: JSON, features: Set<String>) throws(Faults) {
        guard var object = body.object,
            let event = body["event"]?.string.flatMap({ UsageEventKind(rawValue: $0) }),
            let at = body["at"]?.string.flatMap({ Instant($0) }),
            let zone = body["time_zone"]?.string.flatMap({ Zone($0) })
        else {
            throw Faults([Fault(pointer: "", code: "unreadable", detail: "The body is not a usage event.")])
        }
        let properties = body["properties"]?.object ?? [:]
        let faults =
            Self.faults(of: properties) + (event == .appCrashed ? Self.crashFaults(of: properties) : [])
            + Self.subjectFaults(of: body, event, features)
        guard faults.isEmpty else { throw Faults(faults) }
        self.event = event
        self.at = at
        self.zone = zone
        clientNow = body["client_now"]?.string.flatMap { Instant($0) }
        occasion = body["occasion_id"]?.string.flatMap { OccasionID($0) }
        questionnaire = body["questionnaire"]?.string
        feature = body["feature"]?.string
        collection = body["collection"]?.string
        item = body["item"]?.string
        seconds = body["seconds"]?.double
        self.properties = body["properties"]
        json = body
        object["client_now"] = nil
        digest = JSON.object(object).sha256
    }

    /// The faults of what the event is about: its feature and its content.
    private static func subjectFaults(
        of body: JSON, _ event: UsageEventKind, _ features: Set<String>
    ) -> [Fault] {
        var faults: [Fault] = []
        func require(_ member: String) {
            guard body[member]?.string == nil else { return }
            faults.append(
                Fault(
                    pointer: "/\(member)", code: "required",
                    detail: "An event \(event.rawValue) needs `\(member)`."))
        }
        switch event {
        case .featureOpened: require("feature")
        case .contentShown, .contentPlayed, .contentCompleted:
            require("collection")
            require("item")
        default: break
        }
        if let feature = body["feature"]?.string, !features.contains(feature) {
            faults.append(
                Fault(
                    pointer: "/feature", code: "unknown_feature",
                    detail: "The study has no feature with this code."))
        }
        return faults
    }

    private static func crashFaults(of properties: JSONObject) -> [Fault] {
        properties.compactMap { member in
            guard crashProperties.contains(member.name) else {
                return Fault(
                    pointer: "/properties/\(Fault.escape(member.name))", code: "unknown_property",
                    detail: "A crash has only the properties `code` and `version`.")
            }
            let isPlain =
                switch member.value {
                case .number, .null: true
                case .string(let text): isIdentifier(text)
                case .bool, .array, .object: false
                }
            guard !isPlain else { return nil }
            return Fault(
                pointer: "/properties/\(member.name)", code: "wrong_property",
                detail: "The value must be a number, or 1 to 64 characters of A-Z, a-z, 0-9 and `._+:-`.")
        }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || "._+:-".utf8.contains(byte)
            }
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
