import SaunterCore

/// A validated answer sheet to be stored, with everything that was decided about it.
package struct SheetSubmission: Sendable {
    /// The code of the study. The batching queue serves studies round-robin.
    package var study: String
    package var enrolment: EnrolmentID
    package var sheet: SheetID
    package var occasion: OccasionID?
    /// Whether the sheet is stored without its occasion, and not as a duplicate, if another sheet has fulfilled the
    /// occasion. The server found the occasion of an entry by `settles`.
    package var yieldsOccasion: Bool
    /// The sheet that this sheet is about (`refers_to`); nil for none.
    package var refersTo: SheetID?
    /// `participant`, or the code of the partner that wrote the sheet.
    package var source: String
    package var questionnaire: String
    package var version: String
    package var studyVersion: String
    package var consentVersion: String
    package var language: String
    package var startedAt: Instant
    /// By the device's clock, as reported.
    package var completedAt: Instant
    /// By the corrected clock. The timeliness follows from it.
    package var correctedCompletedAt: Instant
    package var receivedAt: Instant
    package var zone: Zone
    /// Skew of the device's clock in milliseconds: received_at − client_now.
    package var skewMs: Int64
    package var timeliness: Timeliness
    package var lateS: Int64?
    package var flags: [String]
    /// Whether the sheet fulfils its occasion, unless another sheet has already fulfilled it.
    package var completes: Bool
    package var walk: WalkID?
    package var answers: StoredAnswers
    package var cleared: [String]
    package var timings: JSON?
    /// In the form of `PresentedOrder.json`; nil if the client recorded no order.
    package var presented: JSON?
    /// The device as it describes itself; nil if it does not.
    package var device: JSON?
    package var scores: [Score]
    package var keyVersion: String?
    package var keyDigest: String?
    /// The covariates that were known when the sheet was scored (`covariates` of a score); nil if the key needs none.
    package var covariates: String?
    /// SHA-256 of the canonical body.
    package var digest: [UInt8]
    /// The body. It is quarantined if another body has the same id.
    package var body: JSON

    package init(
        study: String, enrolment: EnrolmentID, sheet: SheetID, occasion: OccasionID?, questionnaire: String,
        version: String,
        studyVersion: String, consentVersion: String, language: String, startedAt: Instant,
        completedAt: Instant,
        correctedCompletedAt: Instant, receivedAt: Instant, zone: Zone, skewMs: Int64, timeliness: Timeliness,
        lateS: Int64?, flags: [String],
        completes: Bool, walk: WalkID?, answers: StoredAnswers, cleared: [String], timings: JSON?,
        scores: [Score],
        keyVersion: String?, keyDigest: String?, covariates: String? = nil, digest: [UInt8], body: JSON,
        presented: JSON? = nil, device: JSON? = nil, yieldsOccasion: Bool = false, refersTo: SheetID? = nil,
        source: String = Self.participant
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
        self.completes = completes
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
    }

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
        sheet.completes = false
        return sheet
    }
}

/// How a sheet is stored after the commit.
package enum SheetReceipt: Sendable, Hashable {
    /// New. `duplicateOf` is the sheet that had already fulfilled the occasion.
    case stored(duplicateOf: SheetID?)
    /// The same body is already stored under this id.
    case replayed
    /// Another body is stored under this id. This body was quarantined.
    case conflict
    /// The enrolment or the occasion was erased concurrently.
    case gone
}
