import Crypto
import Foundation
import SaunterCore

@testable import SaunterStore

extension SheetSubmission {
    /// A sheet as the server submits it: two coded answers, a number, a text, a score.
    static func make(
        _ enrolment: EnrolmentID, _ occasion: OccasionID? = nil, id: SheetID = SheetID(UUID()),
        body: String = "body",
        fulfilsOccasion: Bool = true, timeliness: Timeliness = .onTime, receivedAt: Instant = .start,
        text: String = "calm", study: String = "walks"
    ) -> SheetSubmission {
        SheetSubmission(
            study: study, enrolment: enrolment, sheet: id, occasion: occasion, questionnaire: "daily_evening",
            version: "1.0.0",
            studyVersion: "1.0.0", consentVersion: "1", language: "en",
            startedAt: receivedAt.adding(seconds: -60),
            completedAt: receivedAt, correctedCompletedAt: receivedAt, receivedAt: receivedAt, zone: .utc,
            skewMs: 12, timeliness: timeliness, lateS: nil,
            flags: [], fulfilsOccasion: fulfilsOccasion, walk: nil,
            answers: StoredAnswers(slots: [3, 0, -998], numbers: [7.5], texts: ["note": text]), cleared: [],
            timings: ["mood": 1200],
            scores: [
                Score(
                    scale: "mood", value: 3, reason: nil, band: "mid", itemCount: 1, answeredCount: 1,
                    imputedCount: 0)
            ], keyVersion: "1", keyDigest: "k1", digest: Array(SHA256.hash(data: Data(body.utf8))),
            body: .string(body))
    }

    func with(body: String) -> SheetSubmission {
        var copy = self
        copy.digest = Array(SHA256.hash(data: Data(body.utf8)))
        copy.body = .string(body)
        return copy
    }
}
