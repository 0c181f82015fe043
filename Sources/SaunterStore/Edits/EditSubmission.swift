import Foundation
import Postgres
import SaunterCore

/// A validated edit to be stored.
package struct EditSubmission: Sendable {
    /// The code of the study. The batching queue serves studies round-robin.
    package var study: String
    /// The enrolment under which the edit is submitted.
    package var enrolment: EnrolmentID
    /// The edit, in the state `waiting`.
    package var edit: Edit

    /// Creates a submission for the batching queue.
    package init(study: String, enrolment: EnrolmentID, edit: Edit) {
        self.study = study
        self.enrolment = enrolment
        self.edit = edit
    }
}

/// The service that stores a record and the service that stores an edit both look for due edits after their own commit.
/// So one of them finds the edit, in whichever order they arrive.
extension EditSubmission: RowSubmission {
    package static var kind: SubmissionKind { .edit }
    package var recordID: UUID { edit.id.uuid }
    package var digest: [UInt8] { edit.digest }
    package var body: JSON { edit.body }
    package var receivedAt: Instant { edit.receivedAt }
    package var quarantineKind: String { edit.kind.rawValue }
    package var memory: Int { 256 }
    var insertion: (Statement, Arguments) { Store.insertCall(edit, of: enrolment, revision: nil) }
}
