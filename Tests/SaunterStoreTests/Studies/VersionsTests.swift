import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct VersionsTests {
    /// The evening occasion one hour later, none after walks, and one each morning.
    private static let next = {
        var study = StudyFixture.make(version: "2.0.0")
        study.schedules[0].slots[0].opening = .fixed(StudyFixture.hour(19))
        study.schedules[1] = Schedule(
            id: "morning", questionnaire: "after_walk", recurrence: .every(days: 2, untilDay: 28),
            slots: [Slot(opening: .fixed(StudyFixture.hour(9)), dueAfter: 3600, closeAfter: 7200)])
        return study
    }()

    private func publishNext(_ fixture: StoreFixture, _ study: Study = Self.next) async throws {
        _ = try await fixture.store.publish(
            StudyFixture.publication(of: study, digest: "d-\(study.version)"), now: .start)
    }

    private func effect(
        of study: Study = Self.next, on fixture: StoreFixture, now: Instant = .start
    ) async throws -> PublicationEffect {
        try await fixture.store.previewEffect(
            of: study, loadVersion: { $0 == "1.0.0" ? StudyFixture.study : nil }, now: now)
    }

    /// The content of the database, without the order of rows.
    private func contents(_ fixture: StoreFixture) async throws -> [String] {
        try await fixture.dump().split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("\\restrict") && !$0.hasPrefix("\\unrestrict") }.sorted()
    }

    @Test func `the preview is exact and writes nothing`() async throws {
        try await StoreFixture.with { fixture in
            let ids = [try await fixture.enrol().id, try await fixture.enrol().id]
            let gone = try await fixture.enrol().id
            _ = try await fixture.store.withdraw(
                gone, to: .stopped, study: fixture.study, audit: StoreFixture.entry(), now: .start)
            try await publishNext(fixture)
            let before = try await contents(fixture)

            let effect = try await self.effect(on: fixture)

            #expect(try await contents(fixture) == before)
            #expect(effect.enrolments == 2)
            // To the end of the study: 29 evenings and 15 mornings each.
            #expect(effect.total.moved == 58)
            #expect(effect.total.added == 30)
            #expect(effect.total.cancelled == 0)
            #expect(effect.total.open == 0)
            #expect(effect.total.alreadyAnnounced == 0)
            #expect(effect.through == nil)
            var stored: [EnrolmentID: [Occasion]] = [:]
            for id in ids { stored[id] = try await fixture.occasions(of: id) }

            #expect(try await fixture.store.moveEnrolments(to: Self.next, now: .start) == 2)

            var moved = 0, added = 0, cancelled = 0
            for id in ids {
                let old = Dictionary(
                    (stored[id] ?? []).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
                for occasion in try await fixture.occasions(of: id) {
                    guard let before = old[occasion.id] else { added += 1; continue }
                    if occasion.exclusion == .cancelled { cancelled += 1; continue }
                    if before.window != occasion.window { moved += 1 }
                }
                #expect(try await fixture.store.findEnrolment(id)?.studyVersion == "2.0.0")
                #expect(try await fixture.store.listVersions(of: id).map(\.version) == ["1.0.0", "2.0.0"])
            }
            // Occasions within the horizon are written at once, the others later.
            #expect(moved == 30)
            #expect(added == 16)
            #expect(cancelled == 0)
            for id in ids {
                try await fixture.store.extendHorizon(
                    id, study: Self.next, now: Instant.start.plus(days: 15))
                let whole = try await fixture.occasions(of: id)
                let evenings = whole.filter { $0.key.schedule == "evening" }
                #expect(evenings.count == 29 && whole.count == 29 + 15)
                #expect(
                    evenings.allSatisfy {
                        $0.zone.local(of: $0.window.openAt).time == StudyFixture.hour(19)
                    })
            }
            #expect(try await fixture.store.findEnrolment(gone)?.studyVersion == "1.0.0")
            #expect(try await self.effect(on: fixture).enrolments == 0)
            #expect(try await fixture.store.moveEnrolments(to: Self.next, now: .start) == 0)
        }
    }

    @Test func `an open window stays unchanged, in the preview and afterwards`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let evening = try at("2026-11-21T18:30:00Z")
            try await publishNext(fixture)
            let open = try #require(try await fixture.evenings(of: id).first)

            let effect = try await self.effect(on: fixture, now: evening)
            _ = try await fixture.store.moveEnrolments(to: Self.next, now: evening)

            #expect(effect.total.open == 1)
            #expect(effect.total.moved == 28)
            #expect(try await fixture.evenings(of: id).first == open)
        }
    }

    @Test
    func `an occasion of a removed schedule is cancelled, and reinstated by a version that contains it`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            var without = Self.next
            without.schedules = [Self.next.schedules[1]]
            try await publishNext(fixture, without)

            let effect = try await self.effect(of: without, on: fixture)
            _ = try await fixture.store.moveEnrolments(to: without, now: .start)

            #expect(effect.total.cancelled == 29)
            #expect(try await fixture.evenings(of: id).allSatisfy { $0.exclusion == .cancelled })
            // Participants only follow the live version.
            await #expect(throws: VersionNotLive.self) {
                try await fixture.store.moveEnrolments(to: fixture.study, now: .start)
            }
            _ = try await fixture.store.publish(StudyFixture.publication(of: fixture.study), now: .start)
            _ = try await fixture.store.moveEnrolments(to: fixture.study, now: .start)
            #expect(try await fixture.evenings(of: id).allSatisfy { $0.exclusion == nil })
        }
    }

    @Test func `a move stops when another version becomes live, and is audited before it begins`()
        async throws
    {
        try await StoreFixture.with { fixture in
            var ids: [EnrolmentID] = []
            for _ in 0..<51 { ids.append(try await fixture.enrol().id) }
            try await publishNext(fixture)
            let audit = StoreFixture.entry("enrolments_moved")
            // The first page has 50 participants. Then the version before becomes live again.
            let first = try await fixture.store.moveEnrolments(
                to: Self.next, audit: audit, now: .start, while: { false })
            #expect(first == 50)
            _ = try await fixture.store.publish(StudyFixture.publication(of: fixture.study), now: .start)

            await #expect(throws: VersionNotLive.self) {
                try await fixture.store.moveEnrolments(to: Self.next, audit: audit, now: .start)
            }

            #expect(try await fixture.store.countEnrolmentsBehind(Self.next) == 1)
            let entries: [String] = try await fixture.values(
                "select detail::text as value from audit.entry where action = 'enrolments_moved'")
            #expect(entries.count == 1)
            #expect(entries[0].contains("51") && entries[0].contains("2.0.0"), "\(entries)")
            // Without participants to move, there is no entry.
            #expect(
                try await fixture.store.moveEnrolments(to: fixture.study, audit: audit, now: .start) == 50)
            #expect(try await fixture.store.moveEnrolments(to: fixture.study, audit: audit, now: .start) == 0)
            let after: [String] = try await fixture.values(
                "select action as value from audit.entry where action = 'enrolments_moved'")
            #expect(after.count == 2)
        }
    }

    @Test func `a schedule with another questionnaire uses it for later occasions`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            var other = fixture.study
            other.version = "2.0.0"
            other.schedules[0].questionnaire = "after_walk"
            try await publishNext(fixture, other)

            _ = try await fixture.store.moveEnrolments(to: other, now: .start)

            #expect(try await fixture.evenings(of: id).allSatisfy { $0.questionnaire == "after_walk" })
            try await fixture.store.extendHorizon(id, study: other, now: .start)
            #expect(try await fixture.evenings(of: id).count == 15)
        }
    }

    @Test func `an enrolment follows a version only after the participant has consented to its text`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let first = try await fixture.enrol().id
            let second = try await fixture.enrol().id
            var study = Self.next
            study.consentVersion = "2"
            study.text["en"]?.consent = "We now ask each morning, too."
            try await publishNext(fixture, study)

            let effect = try await self.effect(of: study, on: fixture)
            #expect(effect.enrolments == 0)
            #expect(effect.awaitingConsent == 2)
            #expect(try await fixture.store.moveEnrolments(to: study, now: .start) == 0)

            let later = Instant.start.plus(hours: 1)
            let given = try await fixture.store.consent(
                first, to: study, language: "en", audit: StoreFixture.entry("consented", first), now: later)
            let again = try await fixture.store.consent(
                first, to: study, language: "en", audit: StoreFixture.entry("consented", first),
                now: later.plus(hours: 1))

            #expect(given.isNew && !again.isNew)
            #expect(given.enrolment.studyVersion == "2.0.0")
            let stored = try #require(try await fixture.store.findEnrolment(first))
            #expect(stored.studyVersion == "2.0.0")
            #expect(stored.consentVersion == "2")
            #expect(stored.consentedAt == later)
            #expect(try await fixture.store.findEnrolment(second)?.studyVersion == "1.0.0")
            #expect(
                try await fixture.evenings(of: first)[0].window.openAt == (try at("2026-11-21T19:00:00Z")))
            let kept: [String] = try await fixture.values(
                """
                select concat_ws(' ', consent_version, study_version, language, text_digest) as value
                from research.enrolment_consent where enrolment_id = $1 order by consented_at
                """, [.uuid(first.uuid)])
            #expect(kept.count == 2)
            let digest = try #require(study.consentDigest(in: "en"))
            #expect(kept.last == "2 2.0.0 en \(digest)")
        }
    }

    @Test func `the preview considers mails that were sent`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            try await fixture.run(
                """
                insert into research.reminder
                  (enrolment_id, kind, subject, ordinal, planned_at, claimed_at, occasion_count, state)
                values ($1, 'due_today', '2026-11-21', 1, '2026-11-21T08:00Z', '2026-11-21T08:00Z', 1, 'sent')
                """, [.uuid(id.uuid)])
            try await publishNext(fixture)

            let kept = try await effect(on: fixture)
            // Occasions keep their day: the daily mail is not sent a second time.
            #expect(kept.total.moved == 29)
            #expect(kept.total.alreadyAnnounced == 0)

            var without = Self.next
            without.schedules = [Self.next.schedules[1]]
            #expect(try await effect(of: without, on: fixture).total.alreadyAnnounced == 1)

            // A mail from before the occasions of that day were planned has announced none.
            try await fixture.run(
                "update research.reminder set claimed_at = '2026-11-21T07:59:59Z' where enrolment_id = $1",
                [.uuid(id.uuid)])
            #expect(try await effect(of: without, on: fixture).total.alreadyAnnounced == 0)
        }
    }
}
