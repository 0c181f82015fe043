import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct ChangeEventTests {
    @Test func `events say of the same changes what the feed says, without the records`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            _ = try await fixture.makeFullParticipant(participant: "P-stays")
            let out = try await fixture.makeFullParticipant(participant: "P-out")
            let gone = try await fixture.makeFullParticipant(participant: "P-gone")
            let writer = try await fixture.enrol().id
            let sheet = SheetSubmission.make(writer)
            _ = try await store.submit([sheet])
            _ = try await store.deleteSheet(
                writer, sheet.sheet, now: .start, audit: StoreFixture.entry("sheet_deleted")
            ) { _ in }
            _ = try await fixture.withdraw(out.enrolment.id, .excluded, now: .start)
            try await store.erase(gone.enrolment, audit: StoreFixture.entry("erased"), now: .start)

            let changes = try await fixture.changes(after: 0)
            let events = try await store.listChangeEvents(of: "walks", after: 0, limit: 1000)

            #expect(events.count > 30)
            #expect(events.map(\.sequence) == changes.map(\.sequence))
            #expect(events.map(\.kind) == changes.map(\.kind))
            #expect(events.map(\.subject) == changes.map(\.subject))
            #expect(events.map(\.participantID) == changes.map(\.participantID))
            #expect(events.map(\.isDeleted) == changes.map { $0.body == nil })
            #expect(events.contains { $0.isDeleted } && events.contains { !$0.isDeleted })
        }
    }

    @Test func `a poll of a feed without news writes nothing`() async throws {
        try await StoreFixture.with { fixture in
            _ = try await fixture.enrol()
            let last = try await fixture.store.numberWaitingChanges(of: "walks")
            #expect(last > 0)
            let before: String = try await fixture.value(
                "select xmin::text as value from research.change_counter where study = 'walks'")

            #expect(try await fixture.store.numberWaitingChanges(of: "walks") == last)

            let after: String = try await fixture.value(
                "select xmin::text as value from research.change_counter where study = 'walks'")
            #expect(after == before)
            #expect(try await fixture.store.numberWaitingChanges(of: "no-study") == 0)
        }
    }

    @Test func `an erasure is numbered by the next poll`() async throws {
        try await StoreFixture.with { fixture in
            let participant = try await fixture.makeFullParticipant(participant: "P-gone")
            let last = try await fixture.store.numberWaitingChanges(of: "walks")
            try await fixture.store.erase(
                participant.enrolment, audit: StoreFixture.entry("erased"), now: .start)

            let reached = try await fixture.store.numberWaitingChanges(of: "walks")

            let events = try await fixture.store.listChangeEvents(of: "walks", after: last, limit: 10)
            #expect(reached == last + 1)
            #expect(events.map(\.isDeleted) == [true] && events.map(\.subject) == [nil])
        }
    }
}
