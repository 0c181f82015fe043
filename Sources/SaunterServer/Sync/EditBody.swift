import SaunterCore
import SaunterStore

/// The request body of an edit: a correction of an answer sheet, or the deletion of a record. The device generates the
/// id.
struct EditBody {
    static let correctionSchema = Schema.named(
        "SheetCorrection",
        .object([
            .required("sheet_id", .id, "The sheet to correct."),
            .required(
                "corrected_at", .instant, "When the participant made the correction, by the device's clock."),
            .optional(
                "client_now", .instant,
                "The device's clock when it sends the request. The server corrects times with it."),
            .required(
                "answers", .map(of: .any),
                "All answers of the corrected sheet. They replace all earlier answers."),
            .optional("reasons", .map(of: .any), "Why an item has no answer, by `linkId`."),
            .optional(
                "reason", .nullable(.string(maxLength: 500)),
                "The reason for the correction, in the participant's words."),
        ]))

    static let deletionSchema = Schema.named(
        "Deletion",
        .object([
            .optional("sheet_id", .id, "The answer sheet to delete. Send exactly one of the three ids."),
            .optional("walk_id", .id, "The walk to delete."),
            .optional("observation_id", .id, "The observation to delete."),
            .required(
                "deleted_at", .instant, "When the participant deleted the record, by the device's clock."),
            .optional(
                "client_now", .instant,
                "The device's clock when it sends the request. The server corrects times with it."),
        ]))

    let subject: Edit.Subject
    let moment: Instant
    let clientNow: Instant?
    /// The body without `client_now`, which differs in each attempt.
    let json: JSON

    /// - Throws: faults that the schema does not find.
    init(_ body: JSON, _ kind: Edit.Kind) throws {
        let member = kind == .correction ? "corrected_at" : "deleted_at"
        let subjects = [
            body["sheet_id"]?.string.flatMap { SheetID($0) }.map(Edit.Subject.sheet),
            body["walk_id"]?.string.flatMap { WalkID($0) }.map(Edit.Subject.walk),
            body["observation_id"]?.string.flatMap { ObservationID($0) }.map(Edit.Subject.observation),
        ].compactMap { $0 }
        guard var object = body.object, let subject = subjects.first, subjects.count == 1,
            let moment = body[member]?.string.flatMap({ Instant($0) })
        else {
            throw Fault(
                pointer: "", code: "one_of",
                detail: "The body must contain exactly one of `sheet_id`, `walk_id` and `observation_id`.")
        }
        if kind == .correction { try AnswerSheetRoutes.checkNamedItemCount(body) }
        self.subject = subject
        self.moment = moment
        clientNow = body["client_now"]?.string.flatMap { Instant($0) }
        object["client_now"] = nil
        json = .object(object)
    }
}
