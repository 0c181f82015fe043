import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

/// A cut-off that depends on sex, which another questionnaire asks.
@Suite struct DependentRescoringTests {
    private static let about: Questionnaire = {
        var sex = Item(linkId: "sex", type: .choice)
        sex.answerOption = [1, 2].map { ResponseOption(value: .integer($0)) }
        return Questionnaire(
            code: "about_you", version: "1.0.0", item: [sex, Item(linkId: "note", type: .text)], text: [:],
            languages: ["en"])
    }()

    private static let drinks: Questionnaire = {
        let female = ScoreCondition("sex", .code("female"))
        let male = ScoreCondition("sex", .code("male"))
        let scale = Scale(
            id: "total", items: ["q1", "q2"], method: .sum,
            bands: [
                Band(id: "low", below: 3, when: [female]), Band(id: "high", from: 3, when: [female]),
                Band(id: "low", below: 4, when: [male]), Band(id: "high", from: 4, when: [male]),
            ])
        return Questionnaire(
            code: "mood", version: "1.0.0", item: ["q1", "q2"].map(RescoringFixture.rating), text: [:],
            languages: ["en"],
            scoring: ScoringKey(
                version: "1.0.0", scales: [scale],
                covariates: [Covariate(id: "sex", source: .profile, codes: ["female", "male"])]))
    }()

    private static let activeKeys: ActiveScoringKeys = {
        var study = RescoringFixture.study("1.0.0", about, drinks)
        study.covariates = [
            CovariateSource(
                id: "sex", questionnaire: "about_you", item: "sex", codes: ["1": "female", "2": "male"])
        ]
        return ActiveScoringKeys([study], live: "1.0.0")
    }()

    private static func sourceSheet(
        _ enrolment: EnrolmentID, slot: Int16, at moment: Instant, id: SheetID = SheetID(UUID())
    ) -> SheetSubmission {
        var sheet = SheetSubmission.make(enrolment, id: id, body: id.description, receivedAt: moment)
        sheet.questionnaire = "about_you"
        sheet.answers = StoredAnswers(slots: [slot, 0], numbers: [], texts: ["note": "a note"])
        sheet.scores = []
        return sheet
    }

    private func bands(_ fixture: StoreFixture) async throws -> [String] {
        try await fixture.values(
            """
            select concat_ws(' ', coalesce(band, '-'), covariates) as value from (
              select distinct on (sheet_id) * from research.score order by sheet_id, computed_at desc
            ) as newest order by computed_at, sheet_id
            """
        )
    }

    @Test
    func `an answer given later than the sheet does not change its score, and an earlier answer does`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol()
            let id = enrolment.id
            let noon = Instant.start.plus(hours: 4)
            _ = try await fixture.store.submit([
                try RescoringFixture.sheet(of: id, [3, 0], by: Self.activeKeys, at: noon)
            ])
            let store = fixture.store
            #expect(try await bands(fixture) == ["-"])

            // Answered after the sheet: no covariate was known when the sheet was answered.
            _ = try await store.submit([Self.sourceSheet(id, slot: 1, at: noon.plus(hours: 1))])
            try await fixture.rescoreDependents(of: id, Self.activeKeys, now: noon.plus(hours: 1))
            #expect(try await bands(fixture) == [#"- {}"#])

            // Answered before the sheet, although it arrives later: 3 is high for women.
            _ = try await store.submit([Self.sourceSheet(id, slot: 0, at: noon.plus(hours: -1))])
            try await fixture.rescoreDependents(of: id, Self.activeKeys, now: noon.plus(hours: 2))
            #expect(try await bands(fixture) == [#"high {"sex":"female"}"#])

            // Unchanged scores are not written.
            let moment: String = try await fixture.value(
                "select max(computed_at)::text as value from research.score")
            try await fixture.rescoreDependents(of: id, Self.activeKeys, now: noon.plus(hours: 3))
            #expect(
                try await fixture.value("select max(computed_at)::text as value from research.score")
                    == moment)
        }
    }

    /// A cut-off that depends on the arm.
    private static let armDependentKeys: ActiveScoringKeys = {
        var questionnaire = drinks
        let arms = ["control", "experimental"]
        questionnaire.scoring?.scales[0].bands = arms.flatMap { arm in
            [
                Band(id: "low-\(arm)", below: 3, when: [ScoreCondition("arm", .code(arm))]),
                Band(id: "high-\(arm)", from: 3, when: [ScoreCondition("arm", .code(arm))]),
            ]
        }
        questionnaire.scoring?.covariates = [Covariate(id: "arm", source: .enrolment, codes: arms)]
        return ActiveScoringKeys([RescoringFixture.study("1.0.0", questionnaire)], live: "1.0.0")
    }()

    @Test func `a sheet is scored with the arm at the time of the sheet, regardless of when it is scored`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol()
            let former = enrolment.arm
            let other = former == "control" ? "experimental" : "control"
            for hours in [1, 3] {
                _ = try await fixture.store.submit([
                    try RescoringFixture.sheet(
                        of: enrolment.id, [3, 0], by: Self.armDependentKeys,
                        at: Instant.start.plus(hours: hours))
                ])
            }
            _ = try await fixture.store.changeArm(
                of: enrolment.id, to: other, because: "because", by: try await fixture.makeAccount(),
                study: StudyFixture.study, requestID: nil, now: Instant.start.plus(hours: 2))

            try await fixture.rescoreDependents(
                of: enrolment.id, Self.armDependentKeys, now: Instant.start.plus(hours: 4))

            let bands: [String] = try await fixture.values(
                """
                select band as value from (
                  select distinct on (sheet_id) band, completed_at
                  from research.score join research.answer_sheet using (enrolment_id, sheet_id, revision)
                  order by sheet_id, computed_at desc
                ) as newest order by completed_at
                """)
            #expect(bands == ["high-\(former)", "high-\(other)"])
        }
    }

    @Test func `a deleted sheet supplies no covariates`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            _ = try await fixture.store.submit([
                Self.sourceSheet(id, slot: 1, at: .start),
                try RescoringFixture.sheet(
                    of: id, [3, 0], by: Self.activeKeys, at: Instant.start.plus(hours: 1)),
            ])
            try await fixture.rescoreDependents(of: id, Self.activeKeys, now: Instant.start.plus(hours: 1))
            #expect(try await bands(fixture) == [#"low {"sex":"male"}"#])

            try await fixture.run(
                "update research.answer_sheet set deleted_at = now() where questionnaire = 'about_you'")
            try await fixture.rescoreDependents(of: id, Self.activeKeys, now: Instant.start.plus(hours: 2))

            #expect(try await bands(fixture) == [#"- {}"#])
        }
    }

    @Test func `a changed covariate score is a change for readers of the feed`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            _ = try await fixture.store.submit([
                try RescoringFixture.sheet(
                    of: id, [3, 0], by: Self.activeKeys, at: Instant.start.plus(hours: 1)),
                Self.sourceSheet(id, slot: 1, at: .start),
            ])
            let last = try await fixture.store.numberChanges(of: "walks")

            try await fixture.rescoreDependents(of: id, Self.activeKeys, now: Instant.start.plus(hours: 2))
            _ = try await fixture.store.numberChanges(of: "walks")

            let changes = try await fixture.store.listChanges(of: "walks", after: last, limit: 10)
            #expect(changes.map(\.kind) == [.answerSheet])
            #expect(changes.first?.sheet?.scores.first?.band == "low")
        }
    }

    @Test func `two concurrent calls run one after the other, and the last one sees both sheets`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            _ = try await fixture.store.submit([
                try RescoringFixture.sheet(
                    of: id, [3, 0], by: Self.activeKeys, at: Instant.start.plus(hours: 1))
            ])

            try await fixture.whileLocked(
                "select from research.enrolment where enrolment_id = $1 for no key update", [.uuid(id.uuid)],
                action: {
                    try await fixture.rescoreDependents(
                        of: id, Self.activeKeys, now: Instant.start.plus(hours: 2))
                }
            ) { transaction in
                // Committed when the lock is released, so the waiting transaction sees it.
                _ = try await SheetSubmission.write(
                    SheetBatch([Self.sourceSheet(id, slot: 0, at: .start)]), in: transaction)
            }

            #expect(try await bands(fixture) == [#"high {"sex":"female"}"#])
        }
    }

    @Test func `a job scores all sheets that depend on the study's current covariate sources`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            _ = try await fixture.store.submit([
                Self.sourceSheet(id, slot: 1, at: .start),
                try RescoringFixture.sheet(
                    of: id, [3, 0], by: Self.activeKeys, at: Instant.start.plus(hours: 1)),
            ])

            let outcome = try await fixture.rescore(Self.activeKeys, at: Instant.start.plus(hours: 2))

            #expect(outcome?.rows == 1)
            #expect(try await bands(fixture) == [#"low {"sex":"male"}"#])
            let report = try #require(try await fixture.report())
            #expect(report.scales.first?.counts.unchanged == 1)
            #expect(report.scales.first?.moves.map { $0.move.to } == ["low"])
            // The same keys again: there is nothing to score.
            #expect(
                try await fixture.rescore(
                    Self.activeKeys,
                    at: Instant.start.plus(hours: 2).adding(seconds: RescoringRun.settlingSeconds))?
                    .rows == 0)
            #expect(try await fixture.rescore(Self.activeKeys, at: Instant.start.plus(hours: 4)) == nil)
        }
    }
}

extension StoreFixture {
    /// Scores the dependent sheets again under the participant's lock, as the transaction of a source sheet does.
    fileprivate func rescoreDependents(of id: EnrolmentID, _ keys: ActiveScoringKeys, now: Instant)
        async throws
    {
        try await store.research.write { transaction in
            let enrolment = try await Store.lockEnrolment(id, in: transaction)
            try await store.follow(
                FollowUps(study: study, rescoring: keys, now: now), enrolment, in: transaction)
        }
    }
}
