import Testing

@testable import Postgres

@Suite("WaiterQueue") struct WaiterQueueTests {
    @Test func `waiters leave in the order in which they joined, without removed waiters`() {
        let queue = Box(WaiterQueue<Int>())
        for id in 1...5 { queue { $0.append(id) } }

        #expect(queue { $0.remove(3) })
        #expect(!queue { $0.remove(3) })
        #expect(queue { $0.popFirst() } == 1)
        #expect(queue { $0.popFirst() } == 2)
        #expect(queue { $0.popFirst() } == 4)
        #expect(queue { $0.count } == 1)
        #expect(queue { $0.removeAll() } == [5])
        #expect(queue { $0.isEmpty })
        #expect(queue { $0.popFirst() } == nil)
    }

    @Test func `the order is kept over long use with many removals`() {
        let queue = Box(WaiterQueue<Int>())
        var served: [Int] = []
        for id in 0..<10_000 {
            queue { $0.append(id) }
            if id % 3 == 0 { queue { $0.remove(id) } }
            if id % 2 == 1, let next = queue({ $0.popFirst() }) { served.append(next) }
        }
        served += queue { $0.removeAll() }

        #expect(served == (0..<10_000).filter { $0 % 3 != 0 })
    }
}
