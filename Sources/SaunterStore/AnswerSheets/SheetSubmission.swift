import SaunterCore

/// A checked answer sheet on its way into the database, with everything that was decided about it.
package struct SheetSubmission: Sendable {
    /// The study's code: studies take turns when much is handed in at once.
    package var study: String
    package var enrolment: EnrolmentID
    package var sheet: SheetID
    package var occasion: OccasionID?
    package var questionnaire: String
    package var version: String
    package var studyVersion: String
    package var consentVersion: String
    package var language: String
    package var startedAt: Instant
    /// By the device's clock, as it said.
    package var completedAt: Instant
    /// By the corrected clock: what the occasion is judged by.
    package var correctedCompletedAt: Instant
    package var receivedAt: Instant
    package var zone: Zone
    /// The device's clock against the server's, in milliseconds: received − client_now.
    package var skewMs: Int64
    package var standing: Standing
    package var lateS: Int64?
    package var flags: [String]
    /// Whether it settles its occasion (if no other sheet did before).
    package var completes: Bool
    package var walk: WalkID?
    package var answers: StoredAnswers
    package var cleared: [String]
    package var timings: JSON?
    /// As `PresentedOrder.json`; nil where nothing was recorded.
    package var presented: JSON?
    package var scores: [Score]
    package var keyVersion: String?
    package var keyDigest: String?
    /// What was known of the person when the sheet was scored (`covariates` of a score); nil where the key asks
    /// for nothing.
    package var covariates: String?
    /// SHA-256 of the canonical body.
    package var digest: [UInt8]
    /// The body, kept aside when its id is taken by another.
    package var body: JSON

    package init(
        study: String, enrolment: EnrolmentID, sheet: SheetID, occasion: OccasionID?, questionnaire: String,
        version: String,
        studyVersion: String, consentVersion: String, language: String, startedAt: Instant,
        completedAt: Instant,
        correctedCompletedAt: Instant, receivedAt: Instant, zone: Zone, skewMs: Int64, standing: Standing,
        lateS: Int64?, flags: [String],
        completes: Bool, walk: WalkID?, answers: StoredAnswers, cleared: [String], timings: JSON?,
        scores: [Score],
        keyVersion: String?, keyDigest: String?, covariates: String? = nil, digest: [UInt8], body: JSON,
        presented: JSON? = nil
    ) {
        self.study = study
        self.enrolment = enrolment
        self.sheet = sheet
        self.occasion = occasion
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
        self.standing = standing
        self.lateS = lateS
        self.flags = flags
        self.completes = completes
        self.walk = walk
        self.answers = answers
        self.cleared = cleared
        self.timings = timings
        self.presented = presented
        self.scores = scores
        self.keyVersion = keyVersion
        self.keyDigest = keyDigest
        self.covariates = covariates
        self.digest = digest
        self.body = body
    }
}

/// What the database holds for a sheet after its commit.
package enum SheetReceipt: Sendable, Hashable {
    /// New. `duplicateOf` names the sheet that had settled the occasion before.
    case stored(duplicateOf: SheetID?)
    /// The same body under the same id was there before.
    case replayed
    /// Another body stands under this id; this one was put in quarantine.
    case conflict
    /// The enrolment, or the occasion, was erased meanwhile.
    case gone
}
