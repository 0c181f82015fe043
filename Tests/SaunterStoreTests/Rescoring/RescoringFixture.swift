import Foundation
import Postgres
import SaunterCore

@testable import SaunterStore

/// A study with one questionnaire of two ratings. A later version corrects its key.
enum RescoringFixture {
    /// Sum of q1 and q2, 0 to 3 each; low below 3.
    static let mood = questionnaire("1.0.0", key: "1.0.0") { _ in }
    /// q2 is reversed, and a sum of 3 is low as well.
    static let correctedMood = questionnaire("1.0.1", key: "1.0.1") { scale in
        scale.reverse = ["q2"]
        scale.bands = [Band(id: "low", below: 4), Band(id: "high", from: 4)]
    }

    static func questionnaire(_ version: String, key: String, _ change: (inout Scale) -> Void)
        -> Questionnaire
    {
        var scale = Scale(
            id: "total", items: ["q1", "q2"], method: .sum,
            bands: [Band(id: "low", below: 3), Band(id: "high", from: 3)])
        change(&scale)
        return Questionnaire(
            code: "mood", version: version, item: ["q1", "q2"].map(rating), text: [:], languages: ["en"],
            scoring: ScoringKey(version: key, scales: [scale]))
    }

    static func rating(_ linkId: String) -> Item {
        var item = Item(linkId: linkId, type: .choice)
        item.answerOption = (0...3).map { ResponseOption(value: .integer($0)) }
        return item
    }

    static func study(_ version: String, _ questionnaires: Questionnaire...) -> Study {
        var study = StudyFixture.make(version: version)
        study.questionnaires = questionnaires
        return study
    }

    static let first = ActiveScoringKeys([study("1.0.0", mood)], live: "1.0.0")
    static let second = ActiveScoringKeys(
        [study("1.0.0", mood), study("1.1.0", correctedMood)], live: "1.1.0")

    /// A sheet as the server submits it, scored by the rules.
    static func sheet(
        of enrolment: EnrolmentID, _ answers: [Int?], by activeKeys: ActiveScoringKeys = first,
        id: SheetID = SheetID(UUID()),
        at moment: Instant = .start
    ) throws -> SheetSubmission {
        var submission = SheetSubmission.make(enrolment, id: id, body: id.description, receivedAt: moment)
        submission.questionnaire = "mood"
        submission.version = "1.0.0"
        submission.answers = StoredAnswers(
            slots: answers.map { Int16($0 ?? MissingReason.skipped.rawValue) }, numbers: [], texts: [:])
        guard let rule = activeKeys["mood", "1.0.0"] else { throw BadLiteral(text: "mood") }
        submission.scores = rule.index.scores(for: try AnswerCodec(mood).decode(submission.answers))
        submission.keyVersion = rule.keyVersion
        submission.keyDigest = rule.keyDigest
        return submission
    }
}

extension StoreFixture {
    /// Submits one sheet for each of several participants, in the order of their enrolments' ids.
    func submitSheets(_ answers: [[Int?]]) async throws {
        try await publish()
        var participants: [EnrolmentID] = []
        for _ in answers {
            participants.append(
                try await store.enrol(draft(try await makeAccount()), now: .start).enrolment.id)
        }
        for (participant, answers) in zip(participants.sorted(), answers) {
            _ = try await store.submit([try RescoringFixture.sheet(of: participant, answers)])
        }
    }

    /// The newest score of every sheet, by participant: value or reason, band, key version.
    func newestScores(_ order: String = "computed_at desc") async throws -> [String] {
        try await values(
            """
            select concat_ws(' ', coalesce(value::text, reason), band, key_version) as value from (
              select distinct on (enrolment_id, sheet_id, scale) * from research.score
              order by enrolment_id, sheet_id, scale, \(order)) as newest
            order by enrolment_id, sheet_id
            """)
    }

    func rescore(
        _ activeKeys: ActiveScoringKeys, at now: Instant = Instant.start.plus(hours: 1), batchSize: Int = 2,
        afterBatch: (RescoringRun.Outcome) async throws -> Void = { _ in }
    ) async throws -> RescoringRun.Outcome? {
        let rescorings = RescoringRepository(pool: store.research)
        guard let started = try await rescorings.begin(activeKeys, cause: .publication, now: now),
            let job = try await rescorings.claim(
                started.rescoring.id, now: now, leaseUntil: now.adding(seconds: 60), settlesBefore: now)
        else { return nil }
        return try await RescoringRun(pool: store.research, activeKeys: activeKeys, now: { now }).run(
            job, batchSize: batchSize, afterBatch: afterBatch)
    }

    /// The newest job and its report.
    func report() async throws -> (job: Rescoring, scales: [RescoredScale])? {
        let rescorings = RescoringRepository(pool: store.research)
        guard let job = try await rescorings.list("walks", before: nil, limit: 1).first else { return nil }
        return (job, try await rescorings.listScales(of: job.id))
    }
}
