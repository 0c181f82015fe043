import SaunterCore

/// One line of a study's feed: a thing that was made, changed or taken away, as it stands now.
package struct Change: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case enrolment, calibration, occasion, walk, observation
        case usageEvent = "usage_event"
        case answerSheet = "answer_sheet"
    }

    /// Rises along the feed; a thing that changes again gets a new one and leaves its old place.
    package var sequence: Int64
    package var kind: Kind
    /// Of the thing; nil for somebody who was erased.
    package var subject: String?
    /// The same for everything of one enrolment, and all that is left of an erased one.
    package var enrolmentRef: String
    /// Nil for what is gone.
    package var participantID: String?
    /// Nil for what is gone: deleted, erased, or of somebody who is left out of datasets.
    package var body: JSON?
    /// The answers and scores of a sheet that is not gone.
    package var sheet: StoredSheet?
}
