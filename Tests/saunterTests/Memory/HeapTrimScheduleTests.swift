import Testing

@testable import saunter

@Suite struct HeapTrimScheduleTests {
    /// Whether a trim is due at each second.
    /// - Parameter used: the processor time in milliseconds that the process has used until each second.
    private func isDue(_ used: [Int]) -> [Bool] {
        var schedule = HeapTrimSchedule()
        return used.map { schedule.isDue(used: .milliseconds($0)) }
    }

    @Test func `memory is returned once after work, when the process is idle`() {
        #expect(isDue([300, 900, 1_500, 1_510, 1_512, 1_515]) == [false, false, false, true, false, false])
    }

    @Test func `no memory is returned while the process works`() {
        #expect(isDue(Array(stride(from: 60, to: 6_000, by: 60))).allSatisfy { !$0 })
    }

    @Test func `a process with little continuous work returns memory from time to time`() {
        let times = isDue(Array(stride(from: 10, through: 400, by: 10)))
        #expect(times.count { $0 } == 4)
    }
}
