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
    /// A random UUID that research tables use; it identifies no account.
    package var id: EnrolmentID
    /// The code of the study.
    package var study: String
    /// The version that the enrolment follows.
    package var studyVersion: String
    /// The pseudonym of the participant in the study.
    package var participantID: String
    /// The code of the present arm.
    package var arm: String
    /// The consent text to which the participant last agreed.
    package var consentVersion: String
    /// When the participant last agreed.
    package var consentedAt: Instant
    /// When the participant enrolled, by the server's clock.
    package var enrolledAt: Instant
    /// The local date of the enrolment, day 0 of the study.
    package var enrolledOn: LocalDate
    /// The participant's present time zone.
    package var zone: Zone
    /// The language of messages, as a BCP 47 tag.
    package var language: String
    /// Whether the enrolment is active, or how it ended.
    package var state: EnrolmentState
    /// When the participant left the study; nil while the enrolment is active.
    package var endedAt: Instant?
    /// The participant's time for the daily mail; nil for the default of the study.
    package var reminderAt: LocalTime?
    /// Whether the participant wants messages.
    package var remindersOn: Bool
    /// The channels of messages, in the participant's order of preference. Never empty.
    package var channels: [ReminderChannel]
    /// When the reminders are checked next; nil if nothing is planned.
    package var nextReminderAt: Instant?
    /// The last local date whose occasions are stored.
    package var plannedThrough: LocalDate
}

/// The input of an enrolment.
package struct EnrolmentDraft: Sendable {
    /// The id of the new enrolment.
    package var id: EnrolmentID
    /// The account that joins.
    package var account: AccountID
    /// The live version of the study.
    package var study: Study
    /// A new pseudonym. If it is taken, the store makes another one.
    package var participantID: String
    /// The participant's levels of the allocation factors.
    package var levels: FactorLevels
    /// The time zone that the participant chose.
    package var zone: Zone
    /// The language of messages, as a BCP 47 tag.
    package var language: String
    /// The secret of the study. Arms and random instants follow from it.
    package var seed: [UInt8]
    /// The code that the participant typed. It is checked and used in the transaction that enrols.
    package var code: EnrolmentCodeSecret?
    /// The codes of the kinds of data that the participant permits.
    package var dataKinds: [String]
    /// The `X-Request-ID` of the request, for the audit.
    package var requestID: String?

    /// Creates a draft that is not stored yet.
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
