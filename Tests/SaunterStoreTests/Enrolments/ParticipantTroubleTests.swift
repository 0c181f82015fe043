import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

/// Problems of participants that their team can act on, and the course of enrolment.
@Suite struct ParticipantTroubleTests {
    private static func codes(
        _ fixture: StoreFixture, _ id: EnrolmentID, at now: Instant
    ) async throws -> [ParticipantTrouble.Code] {
        (try await fixture.store.listTroubles("walks", at: now)[id] ?? []).map(\.code)
    }

    @Test func `a participant has not started if a window has closed and nothing has arrived`() async throws {
        try await StoreFixture.with { fixture in
            let silent = try await fixture.enrol().id
            let started = try await fixture.enrol().id
            let walker = try await fixture.enrol().id
            let stopped = try await fixture.enrol().id
            _ = try await fixture.withdraw(stopped, .stopped, now: .start)
            _ = try await fixture.store.submit([.make(started)])
            try await fixture.submitWalk(walker)
            let evening = try #require(try await fixture.evenings(of: silent).first)
            let closed = try #require(
                try await fixture.occasions(of: silent).map(\.window.closeAt).min())

            #expect(try await Self.codes(fixture, silent, at: closed.adding(seconds: -1)) == [])
            let found = try await fixture.store.listTroubles(
                "walks", at: evening.window.closeAt.adding(seconds: 3600))

            #expect(found == [silent: [ParticipantTrouble(code: .neverStarted, since: closed)]])
            #expect(try await fixture.store.listTroubles("other", at: evening.window.closeAt).isEmpty)
        }
    }

    @Test func `missing numbers, failing channels and records in quarantine are problems`() async throws {
        try await StoreFixture.with { fixture in
            let complete = try await fixture.enrol().id
            let gap = try await fixture.enrol().id
            let late = try await fixture.enrol().id
            let failing = try await fixture.enrol().id
            let conflict = try await fixture.enrol().id
            for (id, numbers) in [(complete, [1, 2, 3]), (gap, [1, 3]), (late, [2, 3])]
                as [(EnrolmentID, [Int64])]
            {
                try await fixture.store.recordSequences(
                    DeviceID(UUID()), of: id, sequences: numbers, now: .start)
            }
            try await fixture.run(
                """
                insert into research.reminder_channel (enrolment_id, channel, failures, last_failed_at, unreachable_since)
                values ($1, 'mail', 3, now(), now()), ($2, 'mail', 1, now(), null)
                """, [.id(failing), .id(complete)])
            let sheet = SheetSubmission.make(conflict)
            _ = try await fixture.store.submit([sheet])
            _ = try await fixture.store.submit([sheet.with(body: "other")])

            #expect(try await Self.codes(fixture, complete, at: .start) == [])
            #expect(try await Self.codes(fixture, gap, at: .start) == [.unsent])
            #expect(try await Self.codes(fixture, late, at: .start) == [.unsent])
            #expect(try await Self.codes(fixture, failing, at: .start) == [.unreachable])
            #expect(try await Self.codes(fixture, conflict, at: .start) == [.quarantined])
            let some = try await fixture.store.listTroubles(
                "walks", codes: [.unsent, .quarantined], of: [gap, failing, conflict], at: .start)
            #expect(Set(some.keys) == [gap, conflict])
        }
    }

    @Test func `participants are counted by arm and local date of enrolment, and excluded ones are not`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let first = try await fixture.enrol()
            let tokyo = try await fixture.enrol(zone: try zone("Asia/Tokyo"))
            let stopped = try await fixture.enrol()
            let excluded = try await fixture.enrol()
            _ = try await fixture.withdraw(stopped.id, .stopped, now: .start)
            _ = try await fixture.withdraw(excluded.id, .excluded, now: .start)
            let after = Instant.start.plus(days: fixture.study.days + 2)

            let now = try await fixture.store.countEnrolmentsByDay(
                "walks", days: fixture.study.days, at: .start)
            let later = try await fixture.store.countEnrolmentsByDay(
                "walks", days: fixture.study.days, at: after)

            func sum(_ days: [EnrolmentDay], _ count: (EnrolmentDay) -> Int) -> Int {
                days.reduce(0) { $0 + count($1) }
            }
            #expect(sum(now, \.enrolled) == 3)
            #expect((sum(now, \.active), sum(now, \.finished), sum(now, \.stopped)) == (2, 0, 1))
            #expect((sum(later, \.active), sum(later, \.finished), sum(later, \.stopped)) == (2, 2, 1))
            #expect(now.filter { $0.arm == first.arm }.contains { $0.date == first.enrolledOn })
            #expect(now.filter { $0.arm == tokyo.arm }.contains { $0.date == tokyo.enrolledOn })
            #expect(now.map(\.date) == now.map(\.date).sorted())
        }
    }
}
