import Foundation
import Testing

@testable import SaunterCore

@Suite("Announced occasions")
struct AnnouncedOccasionsTests {
    /// The mail of 08:00 was sent. It announced the occasion of 18:00, but not that of the next day.
    private let morning = "2026-05-04T08:00:00Z"
    private let today = "2026-05-04T18:00:00Z"
    private let tomorrow = "2026-05-05T18:00:00Z"

    private func planner(zone: Zone = .utc) throws -> ReminderPlanner {
        var study = Sample.study([
            Sample.schedule(slots: [try Sample.slot("18:00", due: 2 * hour, close: 4 * hour)])
        ])
        study.reminder = ReminderRule(at: try time("08:00"), quietFrom: .midnight, quietTo: .midnight)
        let mail = ReminderRecord(
            key: ReminderKey(kind: .dueToday, subject: "2026-05-04", ordinal: 1), message: MessageID(UUID()),
            claimedAt: try at(morning), sentAt: try at(morning))
        return ReminderPlanner(
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

    @Test func `occasions that an edit moves to another day or cancels were announced by the daily mail`()
        throws
    {
        let found = try planner()
        let (first, second) = (found.occasions[0], found.occasions[1])

        #expect(found.announced(before: try moved(0, to: "2026-05-06T18:00:00Z")) == [first])
        #expect(found.announced(before: Reconciliation(cancel: [first.id, second.id])) == [first])
        var given = first
        given.exclusion = .cancelled
        #expect(found.announced(before: Reconciliation(move: [given])) == [first])
        // No mail has announced the next day, and an occasion that stays on its day is not announced twice.
        #expect(found.announced(before: try moved(1, to: "2026-05-06T18:00:00Z")) == [])
        #expect(found.announced(before: try moved(0, to: "2026-05-04T20:00:00Z")) == [])
        #expect(found.announced(before: Reconciliation(insert: [first])) == [])
    }

    @Test func `an occasion that was planned for its day after the mail was not announced`() throws {
        let found = try planner()
        let first = found.occasions[0]
        let move = try moved(0, to: "2026-05-06T18:00:00Z")
        let before = [first.id: try at(morning)]
        let after = [first.id: try at("2026-05-04T08:00:01Z")]

        #expect(found.announced(before: move, plannedAt: before) == [first])
        #expect(found.announced(before: move, plannedAt: after) == [])
    }

    @Test func `an excluded occasion was not announced`() throws {
        var found = try planner()
        found.occasions[0].exclusion = .paused

        #expect(found.announced(before: Reconciliation(cancel: [found.occasions[0].id])) == [])
    }

    @Test func `a mail that was not sent, or not yet, has not announced anything`() throws {
        var found = try planner()
        let move = try moved(0, to: "2026-05-06T18:00:00Z")
        found.records[0].isRetrying = true
        #expect(found.announced(before: move) == [])

        found.records[0].isRetrying = false
        found.records[0].isUnsent = true
        #expect(found.announced(before: move) == [])
    }

    @Test func `after a zone change the day is that of the zone at the time of the mail`() throws {
        let tokyo = try zone("Asia/Tokyo")
        var found = try planner()
        found.zone = tokyo

        // 18:00 in UTC is the next day in Tokyo.
        #expect(found.announced(before: try moved(0, to: "2026-05-06T18:00:00Z")) == [found.occasions[0]])
    }

    @Test func `no daily mail announces an occasion again`() throws {
        var found = try planner()
        found.occasions = [Sample.occasion(0, open: try at("2026-05-06T18:00:00Z"))]
        let next = try at("2026-05-06T08:00:00Z")
        #expect(found.nextCheck(at: try at(today)) == next)
        #expect(found.due(at: next) == found.occasions)
        #expect(found.upcomingMessages(after: try at(today), limit: 5).map(\.at) == [next])

        found.records.append(
            ReminderRecord(
                key: .announcement(of: found.occasions[0]), message: MessageID(UUID()),
                claimedAt: try at(today),
                isUnsent: true))
        #expect(found.nextCheck(at: try at(today)) == nil)
        #expect(found.due(at: next) == [])
        #expect(found.upcomingMessages(after: try at(today), limit: 5) == [])
        #expect(found.decision(at: next, scheduledAt: next).send == [])
    }
}
