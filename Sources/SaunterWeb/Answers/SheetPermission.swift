import SaunterCore

/// Whether the participant may still change or delete a sheet.
struct SheetPermission {
    let mayEdit: Bool
    let mayDelete: Bool

    /// - Parameters:
    ///   - edit: the member `edit` of the questionnaire; nil forbids both.
    ///   - received: when the sheet arrived.
    init(_ edit: JSON?, from received: Instant?, isActive: Bool, now: Instant) {
        func isPermitted(always: String, seconds: String) -> Bool {
            guard isActive, let edit else { return false }
            if edit[always]?.bool == true { return true }
            guard let limit = edit[seconds]?.int, let received else { return false }
            return now < received.adding(seconds: limit)
        }
        mayEdit = isPermitted(always: "correct_always", seconds: "correct_within_s")
        mayDelete = isPermitted(always: "delete_always", seconds: "delete_within_s")
    }
}
