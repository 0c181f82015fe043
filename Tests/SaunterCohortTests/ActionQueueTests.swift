import SaunterCore
import Testing

@testable import SaunterCohort

@Suite("ActionQueue")
struct ActionQueueTests {
    private static func at(_ minute: Int) -> Instant { Instant(milliseconds: Int64(minute) * 60_000) }

    /// All batches of the queue, of at most one hour each.
    private static func batches(
        of queue: inout ActionQueue, before end: Instant = .maximum
    ) -> [ActionBatch] {
        var batches: [ActionBatch] = []
        while let batch = queue.nextBatch(within: 3600, before: end) { batches.append(batch) }
        return batches
    }

    private static func fetch(_ minute: Int) -> PlannedAction {
        PlannedAction(at: at(minute), kind: .fetchOccasions)
    }

    @Test func `a batch contains the actions of each participant within its span, in the order of time`()
        throws
    {
        var queue = ActionQueue()
        queue.add([Self.fetch(40), Self.fetch(2), Self.fetch(71)], of: 0)
        queue.add([Self.fetch(30), Self.fetch(60)], of: 1)

        let batches = Self.batches(of: &queue)

        try #require(batches.count == 2)
        let (first, second) = (batches[0], batches[1])

        #expect(first.participants.map(\.participant) == [0, 1])
        #expect(
            first.participants.map { $0.actions.map(\.at) } == [
                [Self.at(2), Self.at(40)], [Self.at(30), Self.at(60)],
            ])
        #expect(first.lastAt == Self.at(60))
        #expect(second.participants.map(\.participant) == [0])
        #expect(second.lastAt == Self.at(71))
    }

    @Test func `a batch ends before the server has background work`() {
        var queue = ActionQueue()
        queue.add([Self.fetch(1), Self.fetch(5)], of: 0)

        let batches = Self.batches(of: &queue, before: Self.at(5))

        #expect(batches.map(\.lastAt) == [Self.at(1)])
        #expect(queue.nextAt == Self.at(5))
    }

    @Test func `an action whose time the server records is the only one in its batch`() {
        var queue = ActionQueue()
        queue.add([Self.fetch(1), PlannedAction(at: Self.at(2), kind: .pause(true)), Self.fetch(3)], of: 0)
        queue.add([Self.fetch(2), Self.fetch(4)], of: 1)

        let batches = Self.batches(of: &queue).map { $0.participants.flatMap(\.actions).map(\.at).sorted() }

        #expect(
            batches == [[Self.at(1)], [Self.at(2)], [Self.at(2), Self.at(3), Self.at(4)]],
            "\(batches.map { $0.map(\.description) })")
    }

    /// For an occasion after a walk: whether it has a reminder, for how many hours it is open, and the expected maximum
    /// length of a batch in seconds.
    @Test(arguments: [(true, 4, 300), (false, 4, 3600), (false, 1, 300)])
    func `batches are short if an occasion after a walk has a reminder or closes soon`(
        isReminded: Bool, hours: Int, seconds: Int
    ) throws {
        var after = try SimulationSample.evenings(days: 3, anchor: .walk, id: "after")
        after.isInDailyMail = isReminded
        after.slots[0].dueAfter = 3600
        after.slots[0].closeAfter = hours * 3600
        let evenings = try SimulationSample.evenings(days: 3)

        #expect(try SimulationSample.study([evenings, after], days: 3).batchSeconds == seconds)
        #expect(try SimulationSample.study([evenings], days: 3).batchSeconds == 3600)
    }
}
