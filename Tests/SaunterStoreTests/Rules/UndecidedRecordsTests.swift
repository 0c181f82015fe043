import Foundation
import Postgres
import SaunterCore
import Synchronization
import Testing

@testable import SaunterStore

@Suite struct UndecidedRecordsTests {
    private struct Fault: Error {}

    private static func event(_ enrolment: EnrolmentID, at moment: Instant) -> UsageEventSubmission {
        var event = UsageFixture.make(enrolment)
        event.receivedAt = moment
        event.affectsRules = true
        return event
    }

    /// The ids of the records that an evaluation at this moment gets; nil if no evaluation is due.
    private static func records(_ store: Store, at moment: Instant) async throws -> Set<UUID>? {
        let found = Mutex<Set<UUID>?>(nil)
        _ = try await store.decideRules(now: moment) { state, _ in
            found.withLock { $0 = state.newRecords }
            return nil
        }
        return found.withLock { $0 }
    }

    @Test func `a record that was received before an evaluation and stored after it is decided`() async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let id = try await fixture.enrol().id
            let first = Self.event(id, at: Instant.start.plus(hours: 1))
            let late = Self.event(id, at: Instant.start.plus(hours: 1))

            _ = try await store.submit([first])
            #expect(try await Self.records(store, at: Instant.start.plus(hours: 2)) == [first.id.uuid])
            #expect(try await Self.records(store, at: Instant.start.plus(hours: 2)) == nil)

            _ = try await store.submit([late])
            #expect(try await Self.records(store, at: Instant.start.plus(hours: 3)) == [late.id.uuid])
            #expect(try await Self.records(store, at: Instant.start.plus(hours: 4)) == nil)
        }
    }

    @Test func `a fault postpones the evaluation and keeps the records`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let event = Self.event(try await fixture.enrol().id, at: .start)
            _ = try await store.submit([event])

            await #expect(throws: Fault.self) {
                _ = try await store.decideRules(now: .start) { _, _ in throw Fault() }
            }

            #expect(try await Self.records(store, at: Instant.start.adding(seconds: 3599)) == nil)
            #expect(try await Self.records(store, at: Instant.start.plus(hours: 1)) == [event.id.uuid])
        }
    }

    @Test func `evaluations with new records do not wait for others`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            var ids: [EnrolmentID] = []
            for _ in 0..<3 { ids.append(try await fixture.enrol().id) }
            try await fixture.run(
                "update research.enrolment set next_decision_at = $1 where enrolment_id <> $2",
                [.instant(.start), .id(ids[2])])
            let event = Self.event(ids[2], at: Instant.start.plus(hours: 1))
            _ = try await store.submit([event])

            #expect(try await Self.records(store, at: Instant.start.plus(hours: 2)) == [event.id.uuid])
            #expect(try await Self.records(store, at: Instant.start.plus(hours: 2)) == [])
            #expect(try await Self.records(store, at: Instant.start.plus(hours: 2)) == [])
            #expect(try await Self.records(store, at: Instant.start.plus(hours: 2)) == nil)
        }
    }
}
