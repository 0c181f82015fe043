import SaunterCore

/// One entry of a study's change feed: a record that was created, changed or deleted, in its current state.
package struct Change: Sendable {
    /// The kinds of records in the feed.
    package enum Kind: String, Sendable, CaseIterable {
        case enrolment, calibration, occasion, walk, observation
        case usageEvent = "usage_event"
        case answerSheet = "answer_sheet"
    }

    /// Increases along the feed. A record that changes again gets a new number and loses its old one.
    package var sequence: Int64
    /// The kind of the record that changed.
    package var kind: Kind
    /// The id of the record; nil for an erased participant.
    package var subject: String?
    /// A reference to the enrolment, the same in all its changes. It is also set for an erased participant.
    package var enrolmentRef: String
    /// The participant's pseudonym; nil if `body` is nil.
    package var participantID: String?
    /// Nil for a record that is deleted, erased, or excluded from datasets with its participant.
    package var body: JSON?
    /// The answers and scores of a sheet that still exists.
    package var sheet: StoredSheet?
}
