import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

/// The reminders of a study, their counts by local date, and the counts of broadcasts.
@Suite struct StudyReminderTests {
    private static func date(_ text: String) throws -> LocalDate { try #require(LocalDate(text)) }

    private static func insert(
        _ fixture: StoreFixture, _ enrolment: EnrolmentID, _ subject: String, at moment: String,
        state: String = "sent"
    ) async throws {
        try await fixture.run(
            """
            insert into research.reminder (enrolment_id, kind, subject, ordinal, planned_at, claimed_at, occasion_count,
              state, sent_at, opened_at)
            values ($1, 'notice', $2, 1, $3, $3, 0, $4, case when $4 = 'sent' then $3 end,
              case when $4 = 'sent' then $3 end)
            """, [.id(enrolment), .text(subject), .instant(Instant(moment)), .text(state)])
    }

    private static func list(
        _ fixture: StoreFixture, from: String, to: String, limit: Int = 100,
        change: (inout StudyReminderFilter) -> Void = { _ in }
    ) async throws -> [StudyReminder] {
        var filter = StudyReminderFilter(from: try date(from), to: try date(to))
        change(&filter)
        var found: [StudyReminder] = []
        while true {
            let page = try await fixture.store.listReminders(
                of: "walks", filter, after: found.last?.position, limit: limit)
            found += page
            if page.count < limit { return found }
        }
    }

    @Test func `a reminder belongs to the local date of its participant, and counts and rows agree`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let zones = ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu", "Europe/Berlin"]
            // Every hour of two days, with the hour of the change to daylight saving time in Berlin.
            let moments = (0..<48).map { hour in
                Instant("2026-03-28T00:10:00.000Z")!.adding(seconds: hour * 3600).description
            }
            var zoneOf: [EnrolmentID: Zone] = [:]
            for name in zones {
                let zone = try #require(Zone(name))
                let enrolment = try await fixture.enrol(zone: zone)
                zoneOf[enrolment.id] = zone
                for moment in moments {
                    try await Self.insert(fixture, enrolment.id, "a/\(moment)", at: moment)
                }
            }

            for (from, to) in [
                ("2026-03-28", "2026-03-28"), ("2026-03-29", "2026-03-30"), ("2026-03-20", "2026-03-27"),
            ] {
                let rows = try await Self.list(fixture, from: from, to: to, limit: 7)
                let days = try await fixture.store.countRemindersByDay(
                    of: "walks", from: Self.date(from), to: Self.date(to))
                let range = try Self.date(from)...Self.date(to)
                var expected: [LocalDate: Int] = [:]
                for (_, zone) in zoneOf {
                    for moment in moments {
                        let local = zone.local(of: Instant(moment)!).date
                        if range.contains(local) { expected[local, default: 0] += 1 }
                    }
                }

                #expect(Dictionary(uniqueKeysWithValues: days.map { ($0.date, $0.planned) }) == expected)
                #expect(
                    days.allSatisfy { $0.sent == $0.planned && $0.opened == $0.planned && $0.failed == 0 })
                #expect(rows.count == expected.values.reduce(0, +))
                #expect(Set(rows.map(\.position)).count == rows.count, "no row is on two pages")
                #expect(rows.map(\.position.plannedAt) == rows.map(\.position.plannedAt).sorted(by: >))
            }
        }
    }

    @Test func `the states of a day add up, and excluded participants are left out`() async throws {
        try await StoreFixture.with { fixture in
            let (kept, excluded) = (try await fixture.enrol().id, try await fixture.enrol().id)
            for enrolment in [kept, excluded] {
                for state in ReminderState.allCases {
                    try await Self.insert(
                        fixture, enrolment, "a/\(state)", at: "2026-03-28T10:00:00.000Z",
                        state: state.rawValue)
                }
            }
            _ = try await fixture.withdraw(excluded, .excluded, now: .start)

            let day = try await fixture.store.countRemindersByDay(
                of: "walks", from: Self.date("2026-03-28"), to: Self.date("2026-03-28")
            ).first
            let failed = try await Self.list(fixture, from: "2026-03-28", to: "2026-03-28") {
                $0.state = "failed"
            }

            let found = try #require(day)
            #expect(found.planned == ReminderState.allCases.count)
            #expect(
                (found.sent, found.failed, found.uncertain, found.suppressed) == (1, 1, 1, 1)
                    && found.waiting == 2)
            #expect(failed.map(\.state) == [.failed] && failed.first?.rule == "a")
            #expect(
                try await fixture.store.countRemindersByDay(
                    of: "other", from: Self.date("2026-03-28"), to: Self.date("2026-03-28")
                ).isEmpty)
        }
    }

    @Test func `a broadcast counts its inboxes, and an audience those who have paused`() async throws {
        try await StoreFixture.with { fixture in
            let (ada, ben) = (try await fixture.enrol(), try await fixture.enrol())
            try await fixture.run(
                "insert into research.enrolment_pause (enrolment_id, from_at) values ($1, $2)",
                [.id(ben.id), .instant(.start)])
            let broadcasts = (0..<2).map { number in
                Broadcast(
                    study: "walks", id: ID(UUID()), digest: [UInt8(number)], arms: nil,
                    participants: number == 0 ? nil : [ada.participantID],
                    words: BroadcastWords(
                        [.init(language: "en", subject: "Number \(number)", body: "…")], first: "en"),
                    target: nil, channels: nil, notBefore: .start, expiresAt: Instant.start.plus(days: 1))
            }
            for (number, broadcast) in broadcasts.enumerated() {
                _ = try await fixture.store.insert(
                    broadcast, by: .system, requestID: nil, now: Instant.start.adding(seconds: number))
            }
            let all = try await fixture.store.countRecipients(
                of: "walks", BroadcastAudience(arms: nil, participants: nil))
            #expect((all.recipients, all.paused) == (2, 1))
            let some = try await fixture.store.countRecipients(
                of: "walks", BroadcastAudience(arms: nil, participants: [ada.participantID, "UNKNOWN"]))
            #expect(some.recipients == 1 && some.paused == 0 && some.unknown == ["UNKNOWN"])

            while try await fixture.store.distributeBroadcast(now: Instant.start.adding(seconds: 5)) {}

            let found = try await fixture.store.listBroadcasts(of: "walks", after: nil, limit: 10)
            #expect(found.map(\.subject) == ["Number 1", "Number 0"])
            #expect(found.map(\.addressed) == [1, 1] && found.map(\.state) == ["sent", "sent"])
            #expect(found.map(\.participants) == [1, nil])
            let first = try await fixture.store.listBroadcasts(of: "walks", after: nil, limit: 1)
            let position = try #require(first.first)
            let rest = try await fixture.store.listBroadcasts(
                of: "walks", after: (position.createdAt, position.id.uuid), limit: 10)
            #expect(rest.map(\.id) == [broadcasts[0].id])
            // A channel that has sent the message is counted.
            try await fixture.run(
                "update research.reminder set state = 'sent', sent_at = $1", [.instant(.start)])
            #expect(try await fixture.store.findBroadcast(broadcasts[0].id, of: "walks")?.sent == 1)
            #expect(try await fixture.store.findBroadcast(broadcasts[0].id, of: "other")?.state == nil)
        }
    }
}
