import Testing

@testable import SaunterStore

@Suite struct FairLanesTests {
    private static func lanes(_ entries: String...) -> FairLanes<String> {
        var lanes = FairLanes<String>()
        // The lane is the first letter.
        for entry in entries { lanes.append(entry, to: String(entry.prefix(1))) }
        return lanes
    }

    @Test func `one lane gives what came in the order in which it came`() {
        var lanes = Self.lanes("a1", "a2", "a3")
        #expect(lanes.take(2) == ["a1", "a2"])
        lanes.append("a4", to: "a")
        #expect(lanes.take(9) == ["a3", "a4"])
        #expect(lanes.isEmpty)
        #expect(lanes.take(9) == [])
    }

    @Test func `lanes take turns, and whose turn it was is remembered`() {
        var lanes = Self.lanes("a1", "a2", "a3", "a4", "b1", "c1", "c2")
        #expect(lanes.take(4) == ["a1", "b1", "c1", "a2"])
        #expect(lanes.take(1) == ["c2"])
        #expect(lanes.take(9) == ["a3", "a4"])
    }

    @Test func `taking ends with the entry that fills the batch, and takes one at least`() {
        var lanes = Self.lanes("a1", "a22", "a3")
        #expect(lanes.take(9) { $0.count > 2 } == ["a1", "a22"])
        #expect(lanes.take(9) { _ in true } == ["a3"])
        #expect(lanes.count == 0)
    }

    @Test func `a lane that is never empty keeps its order over thousands of entries`() {
        var lanes = FairLanes<Int>()
        var taken: [Int] = []
        for number in 0..<10_000 {
            lanes.append(number, to: "only")
            if number % 3 != 0 { taken += lanes.take(1) }
        }
        taken += lanes.take(.max)
        #expect(taken == Array(0..<10_000))
    }
}
