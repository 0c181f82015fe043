import SaunterCore

package enum EnrolmentState: String, Sendable, Hashable, CaseIterable {
    case active
    /// Prompts have ended, the data stays.
    case stopped
    /// The data stays out of every dataset.
    case excluded
}

/// One participant in one study, under a pseudonym.
package struct Enrolment: Sendable {
    package var id: EnrolmentID
    package var study: String
    package var studyVersion: String
    package var participantID: String
    package var arm: String
    package var consentVersion: String
    package var consentedAt: Instant
    package var enrolledAt: Instant
    package var enrolledOn: LocalDate
    package var zone: Zone
    package var language: String
    package var state: EnrolmentState
    package var endedAt: Instant?
    /// The participant's own hour for the daily mail.
    package var reminderAt: LocalTime?
    package var remindersOn: Bool
    /// By which messages go out, in the order of the participant's wish; never empty.
    package var channels: [ReminderChannel]
    package var nextReminderAt: Instant?
    package var plannedThrough: LocalDate
}

/// What enrolling needs to know before the database is asked.
package struct EnrolmentDraft: Sendable {
    package var id: EnrolmentID
    package var account: AccountID
    package var study: Study
    package var participantID: String
    /// What the participant told of the allocation's factors.
    package var levels: FactorLevels
    package var zone: Zone
    package var language: String
    /// Secret of the study: arms and random moments follow from it.
    package var seed: [UInt8]
    package var requestID: String?

    package init(
        id: EnrolmentID, account: AccountID, study: Study, participantID: String,
        levels: FactorLevels = .nothing, zone: Zone,
        language: String, seed: [UInt8], requestID: String?
    ) {
        self.id = id
        self.account = account
        self.study = study
        self.participantID = participantID
        self.levels = levels
        self.zone = zone
        self.language = language
        self.seed = seed
        self.requestID = requestID
    }
}
