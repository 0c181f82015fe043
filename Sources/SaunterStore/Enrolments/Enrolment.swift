import SaunterCore

/// Whether an enrolment collects data, and whether datasets contain its data.
package enum EnrolmentState: String, Sendable, Hashable, CaseIterable {
    case active
    /// Reminders have ended; the data stays.
    case stopped
    /// No dataset contains the data.
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
    /// The participant's time for the daily mail; nil for the default of the study.
    package var reminderAt: LocalTime?
    package var remindersOn: Bool
    /// The channels of messages, in the participant's order of preference. Never empty.
    package var channels: [ReminderChannel]
    package var nextReminderAt: Instant?
    package var plannedThrough: LocalDate
}

/// The input of an enrolment.
package struct EnrolmentDraft: Sendable {
    package var id: EnrolmentID
    package var account: AccountID
    package var study: Study
    package var participantID: String
    /// The participant's levels of the allocation factors.
    package var levels: FactorLevels
    package var zone: Zone
    package var language: String
    /// The secret of the study. Arms and random instants follow from it.
    package var seed: [UInt8]
    /// The code that the participant typed. It is checked and used in the transaction that enrols.
    package var code: EnrolmentCodeSecret?
    /// The codes of the kinds of data that the participant permits.
    package var dataKinds: [String]
    package var requestID: String?

    package init(
        id: EnrolmentID, account: AccountID, study: Study, participantID: String,
        levels: FactorLevels = .empty, zone: Zone,
        language: String, seed: [UInt8], code: EnrolmentCodeSecret? = nil,
        dataKinds: [String] = [], requestID: String?
    ) {
        self.id = id
        self.account = account
        self.study = study
        self.participantID = participantID
        self.levels = levels
        self.zone = zone
        self.language = language
        self.seed = seed
        self.code = code
        self.dataKinds = dataKinds
        self.requestID = requestID
    }
}
