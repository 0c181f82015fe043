import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct RescoringTests {
    private typealias Fixture = RescoringFixture

    /// Sums 0, 3, 6 and 2, and one without a score; with q2 reversed 3, 3, 3 and 5.
    private static let answers: [[Int?]] = [[0, 0], [1, 2], [3, 3], [2, 0], [nil, 3]]
    private static let before = [
        "0 low 1.0.0", "3 high 1.0.0", "6 high 1.0.0", "2 low 1.0.0", "too_few_answered 1.0.0",
    ]
    private static let after = [
        "3 low 1.0.1", "2 low 1.0.1", "3 low 1.0.1", "5 high 1.0.1", "too_few_answered 1.0.1",
    ]

    @Test func `a corrected key scores the stored sheets, keeps the old scores and counts the changes`()
        async throws
    {
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            #expect(try await fixture.newestScores() == Self.before)

            let outcome = try #require(try await fixture.rescore(Fixture.second))

            #expect(outcome == RescoringRun.Outcome(scored: 5, rows: 5, damaged: [], isComplete: true))
            #expect(try await fixture.newestScores() == Self.after)
            #expect(try await fixture.newestScores("computed_at") == Self.before)
            let report = try #require(try await fixture.report())
            #expect(report.job.state == .settling)
            #expect(report.job.sheetsTotal == 5)
            #expect(report.job.sheetsSeen == 5)
            let scale = try #require(report.scales.first)
            #expect(report.scales.count == 1)
            #expect([scale.questionnaire, scale.version, scale.scale] == ["mood", "1.0.0", "total"])
            #expect(scale.keyVersion == "1.0.1")
            // 0 → 3, 3 → 2, 6 → 3, 2 → 5.
            #expect(scale.counts.sheets == 5)
            #expect(scale.counts.changed == 4)
            #expect(scale.counts.unchanged == 1)
            #expect(scale.counts.becameNull == 0)
            #expect(scale.counts.firstScores == 0)
            #expect(scale.counts.meanChange == 2.5)
            #expect(scale.counts.greatestChange == 3)
            #expect(scale.counts.bandMoves == 3)
            #expect(
                scale.moves.map { "\($0.move.from ?? "-")>\($0.move.to ?? "-") \($0.sheets)" } == [
                    "high>low 2", "low>high 1",
                ])
        }
    }

    @Test func `a worker that dies after any batch leaves no duplicate and no gap`() async throws {
        struct WorkerDeath: Error {}
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            let now = Instant.start.plus(hours: 1)
            var crashCount = 0
            var moment = now
            while true {
                do {
                    // Each attempt commits one batch of one sheet, then it dies.
                    _ = try await fixture.rescore(Fixture.second, at: moment, batchSize: 1) { _ in
                        throw WorkerDeath()
                    }
                    break
                } catch is WorkerDeath {
                    crashCount += 1
                    #expect(crashCount < 20)
                    if crashCount == 20 { break }
                    // No other worker can claim the job during its lease.
                    #expect(try await fixture.rescore(Fixture.second, at: moment.adding(seconds: 59)) == nil)
                    moment = moment.adding(seconds: 61)
                    if try await fixture.report()?.job.sheetsSeen == 5 {
                        _ = try await fixture.rescore(Fixture.second, at: moment, batchSize: 1)
                        break
                    }
                }
            }

            #expect(crashCount == 5)
            #expect(try await fixture.newestScores() == Self.after)
            #expect(try await fixture.count("research.score") == 10)
            let report = try #require(try await fixture.report())
            #expect(report.job.sheetsSeen == 5)
            #expect(report.job.rowsAdded == 5)
            #expect(report.scales.first?.counts.sheets == 5)
            #expect(report.scales.first?.counts.changed == 4)
            #expect(report.scales.first?.counts.totalChange == 10)
            #expect(report.scales.first?.moves.map(\.sheets) == [2, 1])
        }
    }

    @Test func `a transaction that fails in the middle stores nothing of its batch`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            try await fixture.run(
                "alter table research.rescoring_move add constraint no_moves check (sheets < 0)")

            await #expect(throws: DatabaseError.self) {
                try await fixture.rescore(Fixture.second, batchSize: 9)
            }

            #expect(try await fixture.count("research.score") == 5)
            #expect(try await fixture.report()?.job.sheetsSeen == 0)
            try await fixture.run("alter table research.rescoring_move drop constraint no_moves")
            let outcome = try await fixture.rescore(Fixture.second, at: Instant.start.plus(hours: 2))
            #expect(outcome?.rows == 5)
            #expect(try await fixture.report()?.scales.first?.counts.changed == 4)
        }
    }

    @Test func `if two workers run the same job, the slower one stops`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            let now = Instant.start.plus(hours: 1)
            let rescorings = RescoringRepository(pool: fixture.store.research)
            _ = try await rescorings.begin(Fixture.second, cause: .publication, now: now)
            let slow = try #require(
                try await rescorings.claim(now: now, leaseUntil: now.adding(seconds: 1), settlesBefore: now))
            let later = now.adding(seconds: 5)

            let quick = try await fixture.rescore(Fixture.second, at: later)
            let outcome = try await RescoringRun(
                pool: fixture.store.research, activeKeys: Fixture.second, now: { later }
            ).run(slow)

            #expect(quick?.isComplete == true)
            #expect(outcome == RescoringRun.Outcome())
            #expect(try await fixture.report()?.scales.first?.counts.sheets == 5)
        }
    }

    @Test
    func `sheets submitted during a job are not rescored by it, and sheets with old scores are found later`()
        async throws
    {
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            let participants: [UUID] = try await fixture.values(
                "select enrolment_id as value from research.enrolment order by 1")
            let last = EnrolmentID(try #require(participants.last))
            let now = Instant.start.plus(hours: 1)

            let outcome = try await fixture.rescore(Fixture.second, at: now) { _ in
                _ = try await fixture.store.submit([
                    try Fixture.sheet(of: last, [3, 0], by: Fixture.second, at: now)
                ])
            }
            // Validated before the publication, written after the job's last batch.
            _ = try await fixture.store.submit([
                try Fixture.sheet(of: EnrolmentID(try #require(participants.first)), [0, 3], at: now)
            ])
            let settled = now.adding(seconds: RescoringRun.settlingSeconds)
            let rescorings = RescoringRepository(pool: fixture.store.research)
            #expect(
                try await rescorings.claim(now: now, leaseUntil: now, settlesBefore: Instant.start) == nil)
            let second = try await fixture.rescore(Fixture.second, at: settled)

            #expect(outcome?.scored == 5)
            #expect(second?.scored == 1)
            let report = try #require(try await fixture.report())
            #expect(report.job.state == .done)
            #expect(report.job.finishedAt == settled)
            #expect(report.scales.first?.counts.sheets == 6)
            #expect(try await fixture.newestScores().allSatisfy { $0.hasSuffix("1.0.1") })
        }
    }

    @Test func `no job is created if all sheets have scores by the active keys`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)

            #expect(try await fixture.rescore(Fixture.first) == nil)
            #expect(try await fixture.count("research.rescoring") == 0)
        }
    }

    @Test func `a job for newer keys supersedes an unfinished job`() async throws {
        struct Stop: Error {}
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            await #expect(throws: Stop.self) {
                try await fixture.rescore(Fixture.second, batchSize: 1) { _ in throw Stop() }
            }
            let third = Fixture.questionnaire("1.0.2", key: "1.0.2") { $0.factor = 10 }
            let newest = ActiveScoringKeys(
                [
                    Fixture.study("1.0.0", Fixture.mood), Fixture.study("1.1.0", Fixture.correctedMood),
                    Fixture.study("1.2.0", third),
                ], live: "1.2.0")

            let outcome = try await fixture.rescore(newest, at: Instant.start.plus(hours: 2))

            #expect(outcome?.scored == 5)
            #expect(
                try await fixture.values(
                    "select state as value from research.rescoring order by requested_at", as: String.self)
                    == ["superseded", "settling"])
            #expect(
                try await fixture.newestScores() == [
                    "0 low 1.0.2", "30 high 1.0.2", "60 high 1.0.2", "20 high 1.0.2",
                    "too_few_answered 1.0.2",
                ])
            // The second job compares with the scores of the first one.
            #expect(try await fixture.report()?.scales.first?.counts.totalChange == 3 + 27 + 54 + 18)
        }
    }

    @Test func `publishing the older version again restores its scores`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            _ = try await fixture.rescore(Fixture.second)
            let restored = ActiveScoringKeys(
                [Fixture.study("1.0.0", Fixture.mood), Fixture.study("1.1.0", Fixture.correctedMood)],
                live: "1.0.0")

            let outcome = try await fixture.rescore(restored, at: Instant.start.plus(hours: 2))

            #expect(outcome?.rows == 5)
            #expect(try await fixture.newestScores() == Self.before)
            #expect(try await fixture.count("research.score") == 15)
            #expect(try await fixture.report()?.scales.first?.counts.greatestChange == 3)
        }
    }

    @Test func `a sheet that does not fit its version is skipped and counted`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            try await fixture.run(
                "update research.answer_sheet set slots = '{9,9}' where slots = '{1,2}'::smallint[]")

            let outcome = try await fixture.rescore(Fixture.second)

            #expect(outcome?.scored == 4)
            #expect(outcome?.damaged.count == 1)
            #expect(try await fixture.report()?.job.damaged == 1)
        }
    }

    @Test func `erased and deleted sheets are not scored, and duplicates are not counted`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            try await fixture.run(
                "update research.answer_sheet set deleted_at = now() where slots = '{0,0}'::smallint[]")
            try await fixture.run(
                "update research.answer_sheet set duplicate_of = sheet_id where slots = '{3,3}'::smallint[]")

            let outcome = try await fixture.rescore(Fixture.second)

            #expect(outcome?.rows == 4)
            #expect(try await fixture.report()?.scales.first?.counts.sheets == 3)
        }
    }

    @Test func `a changed score is a change for readers of the feed`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            let first = try await fixture.store.numberChanges(of: "walks")
            _ = try await fixture.rescore(Fixture.second)

            _ = try await fixture.store.numberChanges(of: "walks")

            let changes = try await fixture.store.listChanges(of: "walks", after: first, limit: 100)
            #expect(changes.map(\.kind) == Array(repeating: .answerSheet, count: 5))
        }
    }

    @Test func `another engine version scores all sheets again and keeps the old scores`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            try await fixture.run(
                """
                with aged as (
                  update research.scoring_key set engine_version = '0.9.0', key_id = '00000000-0000-0000-0000-000000000009'
                )
                update research.answer_sheet set key_id = '00000000-0000-0000-0000-000000000009',
                  score_values = case score_values[1] when 6 then '{7}' else score_values end
                where key_id is not null
                """)
            let rescorings = RescoringRepository(pool: fixture.store.research)
            let started = try await rescorings.begin(
                Fixture.first, cause: .engine, now: Instant.start.plus(hours: 1))
            #expect(started?.rescoring.cause == .engine)
            #expect(started?.affected.map(\.sheets) == [5])

            let outcome = try await fixture.rescore(Fixture.first)

            #expect(outcome?.rows == 5)
            #expect(try await fixture.newestScores() == Self.before)
            #expect(try await fixture.count("research.score") == 10)
            let counts = try await fixture.report()?.scales.first?.counts
            #expect(counts?.changed == 1)
            #expect(counts?.greatestChange == 1)
            #expect(counts?.unchanged == 4)
        }
    }

    @Test func `a failed job is created again`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            let rescorings = RescoringRepository(pool: fixture.store.research)
            let now = Instant.start.plus(hours: 1)
            let started = try #require(
                try await rescorings.begin(Fixture.second, cause: .publication, now: now))
            try await rescorings.fail(started.rescoring, "the disk was full", now: now)
            #expect(try await rescorings.claim(now: now, leaseUntil: now, settlesBefore: now) == nil)

            let outcome = try await fixture.rescore(Fixture.second, at: now.adding(seconds: 1))

            #expect(outcome?.rows == 5)
            let jobs = try await rescorings.list("walks", before: nil, limit: 9)
            #expect(jobs.map(\.state) == [.settling, .failed])
            #expect(jobs.last?.failure == "the disk was full")
        }
    }

    @Test func `jobs are listed in pages, the newest first`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            for (hour, rules) in [Fixture.second, Fixture.first, Fixture.second].enumerated() {
                let live = ActiveScoringKeys(
                    [Fixture.study("1.0.0", Fixture.mood), Fixture.study("1.1.0", Fixture.correctedMood)],
                    live: rules.liveVersion)
                _ = try await fixture.rescore(live, at: Instant.start.plus(hours: hour + 1))
            }
            let rescorings = RescoringRepository(pool: fixture.store.research)

            let first = try await rescorings.list("walks", before: nil, limit: 2)
            let last = try #require(first.last)
            let rest = try await rescorings.list("walks", before: (last.requestedAt, last.id), limit: 2)

            #expect(first.map(\.studyVersion) == ["1.1.0", "1.0.0"])
            #expect(rest.map(\.studyVersion) == ["1.1.0"])
            #expect(first.map(\.state) + rest.map(\.state) == [.settling, .superseded, .superseded])
            #expect(try await rescorings.find(last.id, study: "other") == nil)
            #expect(try await fixture.newestScores() == Self.after)
        }
    }

    @Test func `a job is newer than the others of its study, also if the clock was put back`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            let now = Instant.start.plus(hours: 1)
            _ = try await fixture.rescore(Fixture.second, at: now)
            let rescorings = RescoringRepository(pool: fixture.store.research)

            let late = try await rescorings.begin(
                Fixture.first, cause: .publication, now: now.adding(seconds: -1))

            let jobs = try await rescorings.list("walks", before: nil, limit: 9)
            #expect(jobs.first?.id == late?.rescoring.id)
            #expect(jobs.map(\.state) == [.queued, .superseded])
        }
    }

    @Test func `an uncommitted batch does not block submissions`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.submitSheets(Self.answers)
            let participants: [UUID] = try await fixture.values(
                "select enrolment_id as value from research.enrolment order by 1")
            let participant = EnrolmentID(try #require(participants.first))
            let store = fixture.store
            let rule = try #require(Fixture.second["mood", "1.0.0"])
            let scoring = RuleScorer(rule, includesAllSheets: false)
            let (statement, keys) = ScoreColumns(keyOf: rule).keyCall
            _ = try await store.research.query(statement, keys)

            try await fixture.owner.write { transaction in
                let sheets = try await transaction.query(
                    Statements.rescorings["list_sheets_of_participant"],
                    [
                        "enrolment_id": .id(participant), "questionnaire": .text("mood"),
                        "version": .text("1.0.0"),
                    ]
                ).map { try SheetToScore($0) }
                let scored = ScoredSheets(sheets, by: scoring, known: [:])
                #expect(
                    try await scored.write(by: rule, now: Instant.start.plus(hours: 1), in: transaction) == 1)

                let receipts = try await store.submit([
                    try Fixture.sheet(
                        of: participant, [1, 1], by: Fixture.second, at: Instant.start.plus(hours: 1))
                ])
                #expect(receipts == [.stored])
            }
        }
    }
}
