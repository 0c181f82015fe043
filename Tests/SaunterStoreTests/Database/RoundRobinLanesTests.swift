import Testing

@testable import SaunterStore

@Suite struct RoundRobinLanesTests {
    private static func lanes(_ entries: String...) -> RoundRobinLanes<String> {
        var lanes = RoundRobinLanes<String>()
        // The lane is the first letter.
        for entry in entries { lanes.append(entry, to: String(entry.prefix(1))) }
        return lanes
    }

    @Test func `one lane is first in, first out`() {
        var lanes = Self.lanes("a1", "a2", "a3")
        #expect(lanes.take(2) == ["a1", "a2"])
        lanes.append("a4", to: "a")
        #expect(lanes.take(9) == ["a3", "a4"])
        #expect(lanes.isEmpty)
        #expect(lanes.take(9) == [])
    }

    @Test func `lanes are served round-robin, also across calls`() {
        var lanes = Self.lanes("a1", "a2", "a3", "a4", "b1", "c1", "c2")
        #expect(lanes.take(4) == ["a1", "b1", "c1", "a2"])
        #expect(lanes.take(1) == ["c2"])
        #expect(lanes.take(9) == ["a3", "a4"])
    }

    @Test func `a batch ends with the element that fills it, and has at least one element`() {
        var lanes = Self.lanes("a1", "a22", "a3")
        #expect(lanes.take(9) { $0.count > 2 } == ["a1", "a22"])
        #expect(lanes.take(9) { _ in true } == ["a3"])
        #expect(lanes.count == 0)
    }

    @Test func `a lane that is never empty keeps its order over thousands of elements`() {
        var lanes = RoundRobinLanes<Int>()
        var taken: [Int] = []
        for number in 0..<10_000 {
            lanes.append(number, to: "only")
            if number % 3 != 0 { taken += lanes.take(1) }
        }
        taken += lanes.take(.max)
        #expect(taken == Array(0..<10_000))
    }
}
