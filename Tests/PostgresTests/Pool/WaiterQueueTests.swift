import Testing

@testable import Postgres

@Suite("WaiterQueue") struct WaiterQueueTests {
    @Test func `first come, first served, without those who left`() {
        var queue = WaiterQueue<Int>()
        for id in 1...5 { queue.append(id) }

        #expect(queue.remove(3))
        #expect(!queue.remove(3))
        #expect(queue.popFirst() == 1)
        #expect(queue.popFirst() == 2)
        #expect(queue.popFirst() == 4)
        #expect(queue.count == 1)
        #expect(queue.removeAll() == [5])
        #expect(queue.isEmpty)
        #expect(queue.popFirst() == nil)
    }

    @Test func `order holds over long use with many leaving`() {
        var queue = WaiterQueue<Int>()
        var served: [Int] = []
        for id in 0..<10_000 {
            queue.append(id)
            if id % 3 == 0 { _ = queue.remove(id) }
            if id % 2 == 1, let next = queue.popFirst() { served.append(next) }
        }
        served += queue.removeAll()

        #expect(served == (0..<10_000).filter { $0 % 3 != 0 })
    }
}
