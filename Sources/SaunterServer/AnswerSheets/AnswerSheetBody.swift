import SaunterCore

/// The request body of an answer sheet. Only this type maps its JSON names to Swift names. The gateway validates the
/// body against `schema` first.
struct AnswerSheetBody {
    static let schema = Schema.named(
        "AnswerSheet",
        .object([
            .required(
                "questionnaire", .string(minLength: 1, maxLength: 24), "The code of the questionnaire."),
            .required(
                "version", .string(minLength: 1, maxLength: 20),
                "The version of the questionnaire that the participant answered."),
            .optional(
                "occasion_id", .nullable(.string(format: .uuid)),
                """
                The occasion that the sheet answers. Without it, the server uses the occasion of the questionnaire \
                that is open when the sheet is completed. A questionnaire that can be answered at any time needs no \
                occasion. If the study states that it settles a schedule, it answers the open occasion of that \
                schedule, unless another sheet has answered it.
                """
            ),
            .optional(
                "walk_id", .nullable(.string(format: .uuid)),
                """
                The walk that the sheet is about. Without `occasion_id`, the server uses an open occasion that follows \
                this walk, or else one that follows no walk, but never the occasion of another walk. If no such \
                occasion is open, the sheet is stored without an occasion, and its `standing` is `out_of_window`.
                """
            ),
            .optional(
                "refers_to", .nullable(.string(format: .uuid)),
                """
                The answer sheet that this sheet is about, such as the commitment that it ends. The study defines which \
                questionnaires refer to which.
                """
            ),
            .required(
                "started_at", .string(format: .dateTime), "When the participant began, by the device's clock."
            ),
            .required(
                "completed_at", .string(format: .dateTime),
                "When the participant finished, by the device's clock."),
            .required(
                "time_zone", .string(format: .zone),
                "The IANA time zone of the device when the participant finished."),
            .required(
                "client_now", .string(format: .dateTime),
                "The device's clock when it sends the request. The server corrects times with it."),
            .optional(
                "language", .string(format: .language), "The language in which the questionnaire was shown."),
            .required(
                "answers", .map(of: .any),
                "The answers by `linkId`. The type of the item defines the form of its answer."),
            .optional("reasons", .map(of: .any), "Why an item has no answer, by `linkId`."),
            .optional(
                "presented", .map(of: .array(of: .any)),
                "For each item whose options or child items are shuffled: the order in which the app showed them."
            ),
            .optional(
                "shown", .array(of: .string(minLength: 1, maxLength: 24), max: Questionnaire.maximumItems),
                """
                The `linkId` of each item that the app showed, groups and displays included. If the app did not show an \
                item that the server shows, the sheet has the flag `client_disagreed`.
                """
            ),
            .optional(
                "timings", .map(of: .integer(min: 0, max: 86_400_000)),
                "For each item: the time that the participant spent on it, in milliseconds."),
            .optional(
                "device", .map(of: .any),
                "The make, model and software of the device, and the version of the app in `app_version`."),
        ]))

    var questionnaire: String
    var version: String
    var occasion: OccasionID?
    var walk: WalkID?
    var refersTo: SheetID?
    var startedAt: Instant
    var completedAt: Instant
    var zone: Zone
    var clientNow: Instant
    var language: String?
    var answers: JSONObject
    var reasons: JSONObject
    var timings: JSON?
    var presented: JSONObject?
    /// The linkIds of the items that the app showed; nil if the app does not say so.
    var shown: Set<String>?
    var device: JSON?
    /// SHA-256 of the canonical body without `client_now`. Two bodies with the same digest are the same submission. A
    /// device that retries sends a new `client_now`.
    var digest: [UInt8]
    var json: JSON

    /// Nil if the body does not match `schema`.
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
        refersTo = body["refers_to"]?.string.flatMap { SheetID($0) }
        self.startedAt = startedAt
        self.completedAt = completedAt
        self.zone = zone
        self.clientNow = clientNow
        language = body["language"]?.string
        self.answers = answers
        reasons = body["reasons"]?.object ?? [:]
        timings = body["timings"]
        presented = body["presented"]?.object
        shown = body["shown"]?.array.map { Set($0.compactMap(\.string)) }
        device = body["device"]
        json = body
        object["client_now"] = nil
        digest = JSON.object(object).sha256
    }
}
