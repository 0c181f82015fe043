import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct StudyNumbersTests {
    @Test func `today is the local date of each participant, and excluded participants do not count`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let ada = try await fixture.enrol()
            let ben = try await fixture.enrol()
            // In Tokyo it is the next day already.
            _ = try await fixture.enrol(zone: try zone("Asia/Tokyo"))
            let excluded = try await fixture.enrol()
            _ = try await fixture.withdraw(excluded.id, .excluded, now: .start)
            let evening = try #require(try await fixture.evenings(of: ada.id).first)
            let other = try #require(try await fixture.evenings(of: ben.id).first)

            _ = try await fixture.store.submit([
                .make(ada.id, evening.id, receivedAt: evening.window.openAt),
                .make(
                    ben.id, other.id, timeliness: .late, receivedAt: other.window.dueAt.adding(seconds: 60)),
            ])
            let now = other.window.dueAt.adding(seconds: 120)
            let numbers = try #require(try await fixture.store.countStudies(["walks"], at: now)["walks"])

            #expect((numbers.enrolled, numbers.active) == (3, 3))
            #expect((numbers.dueToday, numbers.answeredToday, numbers.lateToday) == (3, 2, 1))
            #expect(numbers.lastRecordAt == other.window.dueAt.adding(seconds: 60))
            #expect(!numbers.isSilent)
            #expect(try await fixture.store.countStudies(["other"], at: now).isEmpty)
        }
    }

    @Test func `a study is silent if occasions have closed since yesterday without any record`() async throws
    {
        try await StoreFixture.with { fixture in
            let ada = try await fixture.enrol()
            let evening = try #require(try await fixture.evenings(of: ada.id).first)
            let closed = evening.window.closeAt.adding(seconds: 3600)

            let before = try await fixture.store.countStudies(
                ["walks"], at: evening.window.openAt.adding(seconds: 60))
            let after = try await fixture.store.countStudies(["walks"], at: closed)
            _ = try await fixture.store.submit([.make(ada.id, receivedAt: closed)])
            let withRecord = try await fixture.store.countStudies(["walks"], at: closed)

            #expect(before["walks"]?.isSilent == false)
            #expect(after["walks"]?.isSilent == true)
            #expect(withRecord["walks"]?.isSilent == false)
        }
    }

    @Test func `only alerts that no coordinator has acknowledged are counted`() async throws {
        try await StoreFixture.with { fixture in
            let ada = try await fixture.enrol()
            try await fixture.run(
                """
                insert into research.alert (enrolment_id, alert_id, rule, about, raised_at, next_notice_at,
                  acknowledged_at, note)
                values ($1, gen_random_uuid(), 'low', 'mood', now(), now(), null, null),
                  ($1, gen_random_uuid(), 'low', 'mood', now(), null, now(), 'Called back')
                """, [.id(ada.id)])

            #expect(try await fixture.store.countOpenAlerts(of: ["walks", "other"]) == ["walks": 1])
            #expect(try await fixture.store.countOpenAlerts(of: ["other"]).isEmpty)
        }
    }
}
