import SaunterCore

/// A validated answer sheet to be stored, with everything that was decided about it.
package struct SheetSubmission: Sendable {
    /// The code of the study. The batching queue serves studies round-robin.
    package var study: String
    /// The enrolment under which the sheet is submitted.
    package var enrolment: EnrolmentID
    /// The UUID that the device generated.
    package var sheet: SheetID
    /// The occasion that the sheet names or that was found for it; nil for none.
    package var occasion: OccasionID?
    /// Whether the sheet is stored without its occasion, and not as a duplicate, if another sheet has fulfilled the
    /// occasion. True for an entry whose occasion the server found by `settles`.
    package var yieldsOccasion: Bool
    /// The sheet that this sheet is about (`refers_to`); nil for none.
    package var refersTo: SheetID?
    /// `participant`, or the code of the partner that wrote the sheet.
    package var source: String
    /// The code of the questionnaire.
    package var questionnaire: String
    /// The answered version of the questionnaire.
    package var version: String
    /// The version of the study that the enrolment follows.
    package var studyVersion: String
    /// The consent text to which the participant agreed.
    package var consentVersion: String
    /// The language in which the questionnaire was shown, as a BCP 47 tag.
    package var language: String
    /// By the device's clock, uncorrected.
    package var startedAt: Instant
    /// By the device's clock, as reported.
    package var completedAt: Instant
    /// By the corrected clock. The timeliness follows from it.
    package var correctedCompletedAt: Instant
    /// When the server received it, by the server's clock.
    package var receivedAt: Instant
    /// The participant's time zone at the completion.
    package var zone: Zone
    /// Skew of the device's clock in milliseconds: received_at − client_now.
    package var skewMs: Int64
    /// Whether the sheet is early, on time, late or out of its window.
    package var timeliness: Timeliness
    /// Seconds from the due time to the completion; nil if the sheet is not late.
    package var lateS: Int64?
    /// Codes of what is unusual, such as `clock_skew`.
    package var flags: [String]
    /// Whether the sheet fulfils its occasion, unless another sheet has already fulfilled it.
    package var fulfilsOccasion: Bool
    /// The walk that the sheet is about; nil for none.
    package var walk: WalkID?
    /// The answers, with the reasons of missing ones.
    package var answers: StoredAnswers
    /// The linkIds of answers that the server removed because their item was not shown.
    package var cleared: [String]
    /// Milliseconds per linkId, as reported; nil if the client recorded none.
    package var timings: JSON?
    /// In the form of `PresentedOrder.json`; nil if the client recorded no order.
    package var presented: JSON?
    /// The device as it describes itself; nil if it does not.
    package var device: JSON?
    /// The scores by the active key; empty if there is none.
    package var scores: [Score]
    /// The version of the active key; nil if there is none.
    package var keyVersion: String?
    /// SHA-256 of the active key, in hexadecimal digits; nil if there is none.
    package var keyDigest: String?
    /// The covariates that were known when the sheet was scored (`covariates` of a score); nil if the key needs none.
    package var covariates: String?
    /// SHA-256 of the canonical body.
    package var digest: [UInt8]
    /// The body. It is quarantined if another body has the same id.
    package var body: JSON
    /// What follows from the sheet; nil for nothing.
    package var followUps: FollowUps?

    /// Creates a submission. By default the participant wrote the sheet and named no other one.
    package init(
        study: String, enrolment: EnrolmentID, sheet: SheetID, occasion: OccasionID?, questionnaire: String,
        version: String,
        studyVersion: String, consentVersion: String, language: String, startedAt: Instant,
        completedAt: Instant,
        correctedCompletedAt: Instant, receivedAt: Instant, zone: Zone, skewMs: Int64, timeliness: Timeliness,
        lateS: Int64?, flags: [String],
        fulfilsOccasion: Bool, walk: WalkID?, answers: StoredAnswers, cleared: [String], timings: JSON?,
        scores: [Score],
        keyVersion: String?, keyDigest: String?, covariates: String? = nil, digest: [UInt8], body: JSON,
        presented: JSON? = nil, device: JSON? = nil, yieldsOccasion: Bool = false, refersTo: SheetID? = nil,
        source: String = Self.participant, followUps: FollowUps? = nil
    ) {
        self.study = study
        self.enrolment = enrolment
        self.sheet = sheet
        self.occasion = occasion
        self.yieldsOccasion = yieldsOccasion
        self.refersTo = refersTo
        self.source = source
        self.questionnaire = questionnaire
        self.version = version
        self.studyVersion = studyVersion
        self.consentVersion = consentVersion
        self.language = language
        self.startedAt = startedAt
        self.completedAt = completedAt
        self.correctedCompletedAt = correctedCompletedAt
        self.receivedAt = receivedAt
        self.zone = zone
        self.skewMs = skewMs
        self.timeliness = timeliness
        self.lateS = lateS
        self.flags = flags
        self.fulfilsOccasion = fulfilsOccasion
        self.walk = walk
        self.answers = answers
        self.cleared = cleared
        self.timings = timings
        self.presented = presented
        self.device = device
        self.scores = scores
        self.keyVersion = keyVersion
        self.keyDigest = keyDigest
        self.covariates = covariates
        self.digest = digest
        self.body = body
        self.followUps = followUps
    }

    /// Whether the sheet may lack an occasion only because its walk is not stored yet.
    package var mayPrecedeItsWalk: Bool { walk != nil && occasion == nil && timeliness == .outOfWindow }

    /// The participant's local date when the sheet was completed, by the corrected clock and the zone of the device.
    package var localDate: LocalDate {
        LocalDate(of: correctedCompletedAt, offsetMinutes: zone.offset(at: completedAt) / 60)
    }

    /// The `source` of a sheet that the participant wrote.
    package static let participant = "participant"

    /// The same sheet without an occasion. It fulfils nothing.
    var withoutOccasion: SheetSubmission {
        var sheet = self
        sheet.occasion = nil
        sheet.yieldsOccasion = false
        sheet.timeliness = .unscheduled
        sheet.lateS = nil
        sheet.fulfilsOccasion = false
        return sheet
    }
}
