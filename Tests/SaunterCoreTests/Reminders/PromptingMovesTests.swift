import Foundation
import Testing

@testable import SaunterCore

@Suite("Prompting, when plans move")
struct PromptingMovesTests {
    /// The mail of 8:00 has gone out, about the occasion of 18:00 and not about that of the next day.
    private let morning = "2026-05-04T08:00:00Z"
    private let today = "2026-05-04T18:00:00Z"
    private let tomorrow = "2026-05-05T18:00:00Z"

    private func prompting(zone: Zone = .utc) throws -> Prompting {
        var study = Sample.study([
            Sample.schedule(slots: [try Sample.slot("18:00", due: 2 * hour, close: 4 * hour)])
        ])
        study.reminder = ReminderRule(at: try time("08:00"), quietFrom: .midnight, quietTo: .midnight)
        let mail = ReminderRecord(
            key: PromptKey(kind: .dueToday, subject: "2026-05-04", ordinal: 1), message: MessageID(UUID()),
            claimedAt: try at(morning), sentAt: try at(morning))
        return Prompting(
            study: study,
            occasions: [
                Sample.occasion(0, open: try at(today), zone: zone),
                Sample.occasion(1, open: try at(tomorrow), zone: zone),
            ], zone: zone, enrolledAt: try at("2026-05-01T00:00:00Z"), plannedThrough: .maximum,
            records: [mail])
    }

    private func moved(_ number: Int, to moment: String) throws -> Reconciliation {
        Reconciliation(move: [Sample.occasion(number, open: try at(moment))])
    }

    @Test func `a mail has told of what an edit takes to another day or away`() throws {
        let found = try prompting()
        let (first, second) = (found.occasions[0], found.occasions[1])

        #expect(found.told(before: try moved(0, to: "2026-05-06T18:00:00Z")) == [first])
        #expect(found.told(before: Reconciliation(cancel: [first.id, second.id])) == [first])
        var given = first
        given.setAside = .cancelled
        #expect(found.told(before: Reconciliation(move: [given])) == [first])
        // Of the next day no mail has told, and within its day nothing is told twice.
        #expect(found.told(before: try moved(1, to: "2026-05-06T18:00:00Z")) == [])
        #expect(found.told(before: try moved(0, to: "2026-05-04T20:00:00Z")) == [])
        #expect(found.told(before: Reconciliation(insert: [first])) == [])
    }

    @Test func `of what came to its day after the mail no mail has told`() throws {
        let found = try prompting()
        let first = found.occasions[0]
        let move = try moved(0, to: "2026-05-06T18:00:00Z")
        let before = [first.id: try at(morning)]
        let after = [first.id: try at("2026-05-04T08:00:01Z")]

        #expect(found.told(before: move, plannedAt: before) == [first])
        #expect(found.told(before: move, plannedAt: after) == [])
    }

    @Test func `what is set aside was not told of`() throws {
        var found = try prompting()
        found.occasions[0].setAside = .paused

        #expect(found.told(before: Reconciliation(cancel: [found.occasions[0].id])) == [])
    }

    @Test func `a mail that did not go out, or not yet, has told nobody`() throws {
        var found = try prompting()
        let move = try moved(0, to: "2026-05-06T18:00:00Z")
        found.records[0].isRetrying = true
        #expect(found.told(before: move) == [])

        found.records[0].isRetrying = false
        found.records[0].isUnsent = true
        #expect(found.told(before: move) == [])
    }

    @Test func `after a journey the day is that of the zone by which it was told of`() throws {
        let tokyo = try zone("Asia/Tokyo")
        var found = try prompting()
        found.zone = tokyo

        // 18:00 in UTC is the next day in Tokyo.
        #expect(found.told(before: try moved(0, to: "2026-05-06T18:00:00Z")) == [found.occasions[0]])
    }

    @Test func `no daily mail tells again of what was told of`() throws {
        var found = try prompting()
        found.occasions = [Sample.occasion(0, open: try at("2026-05-06T18:00:00Z"))]
        let next = try at("2026-05-06T08:00:00Z")
        #expect(found.next(at: try at(today)) == next)
        #expect(found.due(at: next) == found.occasions)
        #expect(found.ahead(of: try at(today), limit: 5).map(\.at) == [next])

        found.records.append(
            ReminderRecord(
                key: .named(found.occasions[0]), message: MessageID(UUID()), claimedAt: try at(today),
                isUnsent: true))
        #expect(found.next(at: try at(today)) == nil)
        #expect(found.due(at: next) == [])
        #expect(found.ahead(of: try at(today), limit: 5) == [])
        #expect(found.decision(at: next, waitedFor: next).send == [])
    }
}
