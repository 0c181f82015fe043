import SaunterCore
import SaunterStore

/// The wire shapes of what a device says of something that it handed in. Their ids are the device's own.
struct AmendmentBody {
    static let correctionSchema = Schema.named(
        "SheetCorrection",
        .object([
            .required("sheet_id", .id), .required("corrected_at", .instant, "By the device's clock."),
            .optional("client_now", .instant),
            .required(
                "answers", .map(of: .any), "All of them as they are now; they take the place of all before."),
            .optional("reasons", .map(of: .any)),
            .optional("reason", .nullable(.string(maxLength: 500)), "Why, in the participant's words."),
        ]))

    static let deletionSchema = Schema.named(
        "Deletion",
        .object([
            .optional("sheet_id", .id, "What is taken back: this …"),
            .optional("walk_id", .id, "… or this …"),
            .optional("observation_id", .id, "… or this."),
            .required("deleted_at", .instant, "By the device's clock."), .optional("client_now", .instant),
        ]))

    let subject: Amendment.Subject
    let moment: Instant
    let clientNow: Instant?
    /// Without `client_now`, which a device says anew each time it sends.
    let json: JSON

    /// - Throws: what the schema cannot tell.
    init(_ body: JSON, _ kind: Amendment.Kind) throws {
        let member = kind == .correction ? "corrected_at" : "deleted_at"
        let subjects = [
            body["sheet_id"]?.string.flatMap { SheetID($0) }.map(Amendment.Subject.sheet),
            body["walk_id"]?.string.flatMap { WalkID($0) }.map(Amendment.Subject.walk),
            body["observation_id"]?.string.flatMap { ObservationID($0) }.map(Amendment.Subject.observation),
        ].compactMap { $0 }
        guard var object = body.object, let subject = subjects.first, subjects.count == 1,
            let moment = body[member]?.string.flatMap({ Instant($0) })
        else {
            throw Fault(
                pointer: "", code: "one_of",
                detail: "It names one sheet_id, one walk_id or one observation_id.")
        }
        if kind == .correction { try AnswerSheetRoutes.checkSize(body) }
        self.subject = subject
        self.moment = moment
        clientNow = body["client_now"]?.string.flatMap { Instant($0) }
        object["client_now"] = nil
        json = .object(object)
    }
}
