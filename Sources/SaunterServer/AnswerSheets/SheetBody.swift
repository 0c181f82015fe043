import SaunterCore

/// The wire shape of a sheet: the only place where its JSON names meet Swift names. The schema has been checked before.
struct SheetBody {
    static let schema = Schema.named(
        "AnswerSheet",
        .object([
            .required("questionnaire", .string(minLength: 1, maxLength: 24)),
            .required("version", .string(minLength: 1, maxLength: 20)),
            .optional(
                "occasion_id", .nullable(.string(format: .uuid)),
                "Without it the sheet goes to the occasion of its questionnaire that is open at its completion."
            ),
            .optional(
                "walk_id", .nullable(.string(format: .uuid)),
                "The walk that it tells of. Without occasion_id it goes to the occasion that follows this walk, never to that of another; where none is open it is kept without an occasion, as out_of_window."
            ),
            .required("started_at", .string(format: .dateTime)),
            .required("completed_at", .string(format: .dateTime)),
            .required("time_zone", .string(format: .zone)),
            .required("client_now", .string(format: .dateTime)),
            .optional("language", .string(format: .language)),
            .required("answers", .map(of: .any)),
            .optional("reasons", .map(of: .any)),
            .optional(
                "presented", .map(of: .array(of: .any)),
                "The order in which options or items of what is shuffled were shown, by item."),
            .optional("timings", .map(of: .integer(min: 0, max: 86_400_000))),
        ]))

    var questionnaire: String
    var version: String
    var occasion: OccasionID?
    var walk: WalkID?
    var startedAt: Instant
    var completedAt: Instant
    var zone: Zone
    var clientNow: Instant
    var language: String?
    var answers: JSONObject
    var reasons: JSONObject
    var timings: JSON?
    var presented: JSONObject?
    /// What the body's identity is made of. `client_now` is no part of it: a device that sends again says a new one.
    var digest: [UInt8]
    var json: JSON

    /// Nil for what the schema would have refused.
    init?(_ body: JSON) {
        guard var object = body.object, let questionnaire = body["questionnaire"]?.string,
            let version = body["version"]?.string,
            let startedAt = body["started_at"]?.string.flatMap({ Instant($0) }),
            let completedAt = body["completed_at"]?.string.flatMap({ Instant($0) }),
            let zone = body["time_zone"]?.string.flatMap({ Zone($0) }),
            let clientNow = body["client_now"]?.string.flatMap({ Instant($0) }),
            let answers = body["answers"]?.object
        else { return nil }
        self.questionnaire = questionnaire
        self.version = version
        occasion = body["occasion_id"]?.string.flatMap { OccasionID($0) }
        walk = body["walk_id"]?.string.flatMap { WalkID($0) }
        self.startedAt = startedAt
        self.completedAt = completedAt
        self.zone = zone
        self.clientNow = clientNow
        language = body["language"]?.string
        self.answers = answers
        reasons = body["reasons"]?.object ?? [:]
        timings = body["timings"]
        presented = body["presented"]?.object
        json = body
        object["client_now"] = nil
        digest = JSON.object(object).sha256
    }
}
