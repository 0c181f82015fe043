import Testing

@testable import SaunterCore

@Suite struct AllocationBalanceTests {
    private static let study = {
        var study = Sample.study([])
        study.arms = [Arm(code: "a", ratio: 2), Arm(code: "b", ratio: 1)]
        study.allocation = Allocation(
            method: .stratifiedBlocks, blockSizes: [3], isConcealed: true,
            factors: [Allocation.Factor(code: "place", levels: ["north", "south", "sea"])])
        return study
    }()

    private func count(_ arm: String, _ place: String, _ participants: Int) -> AllocationCount {
        let levels = FactorLevels([.init(factor: "place", level: place)])
        return AllocationCount(arm: arm, stratum: levels.stratum, levels: levels, participants: participants)
    }

    @Test func `the balance counts by arm, level and stratum, with the distance from the expected share`() {
        let balance = AllocationBalance(
            Self.study,
            [count("a", "north", 5), count("b", "north", 1), count("a", "south", 3), count("c", "south", 1)])

        #expect(balance.arms == ["a", "b", "c"])
        #expect(balance.all.counts == [8, 1, 1])
        #expect(balance.levels.map { $0.entry.level } == ["north", "south", "sea"])
        #expect(balance.levels.map { $0.row.counts } == [[5, 1, 0], [3, 0, 1], [0, 0, 0]])
        #expect(balance.levels.map { $0.row.total } == [6, 4, 0])
        #expect(balance.levels[0].row.imbalance == 1)
        #expect(balance.levels[2].row.imbalance == 0)
        #expect(balance.strata.map { $0.name } == ["place=north", "place=south"])
    }

    @Test func `strata are shown only if they have separate lists`() {
        var study = Self.study
        study.allocation.method = .minimisation

        let balance = AllocationBalance(study, [count("a", "north", 1)])

        #expect(balance.strata.isEmpty)
        #expect(balance.levels.count == 3)
    }
}
