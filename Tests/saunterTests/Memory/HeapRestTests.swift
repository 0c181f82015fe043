import Testing

@testable import saunter

@Suite struct HeapRestTests {
    /// Whether memory is given back at each second, by the milliseconds that the process has used by then.
    private func given(_ used: [Int]) -> [Bool] {
        var rest = HeapRest()
        return used.map { rest.isDue(used: .milliseconds($0)) }
    }

    @Test func `memory is given back once after work, when it rests`() {
        #expect(given([300, 900, 1_500, 1_510, 1_512, 1_515]) == [false, false, false, true, false, false])
    }

    @Test func `while there is work nothing is given back`() {
        #expect(given(Array(stride(from: 60, to: 6_000, by: 60))).allSatisfy { !$0 })
    }

    @Test func `a trickle gives back now and then`() {
        let times = given(Array(stride(from: 10, through: 400, by: 10)))
        #expect(times.count { $0 } == 4)
    }
}
