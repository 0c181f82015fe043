import Testing

@testable import SaunterCore

@Suite struct ArmAssignmentTests {
    private static func study(
        _ method: Allocation.Method, factors: [Allocation.Factor] = [], ratios: [Int] = [1, 1]
    ) -> Study {
        var study = Sample.study([])
        study.arms = zip(["a", "b"], ratios).map { Arm(code: $0, ratio: $1) }
        study.allocation = Allocation(
            method: method, blockSizes: [4, 6], isConcealed: true, factors: factors, probability: 1)
        return study
    }

    private static let place = Allocation.Factor(code: "place", levels: ["north", "south"])
    private static let north = FactorLevels([.init(factor: "place", level: "north")])
    private static let south = FactorLevels([.init(factor: "place", level: "south")])

    private func arms(_ study: Study, levels: FactorLevels = .empty, _ count: Int, seed: UInt8 = 1)
        -> [String]
    {
        (0..<count).compactMap {
            study.assignArm(levels, position: $0, tally: AllocationTally(), seed: [seed])?.arm
        }
    }

    @Test(arguments: Allocation.Method.allCases)
    func `the same seed has the same list, and another seed has another list`(_ method: Allocation.Method) {
        let study = Self.study(method, factors: [Self.place])

        #expect(arms(study, levels: Self.north, 60) == arms(study, levels: Self.north, 60))
        #expect(arms(study, levels: Self.north, 60) != arms(study, levels: Self.north, 60, seed: 2))
        #expect(arms(study, levels: Self.north, 60).count == 60)
    }

    @Test func `a list of simple randomisation never changes`() {
        #expect(arms(Self.study(.simple), 16).joined() == "baaaabaabababaab")
    }

    @Test func `simple randomisation follows the ratios`() {
        let list = arms(Self.study(.simple, ratios: [3, 1]), 8000)

        // 6000 ± 38.7; five standard deviations.
        #expect((5806...6194).contains(list.filter { $0 == "a" }.count))
    }

    @Test func `strata have separate lists, and each is balanced by its blocks`() {
        let study = Self.study(.stratifiedBlocks, factors: [Self.place])

        #expect(arms(study, levels: Self.north, 60) != arms(study, levels: Self.south, 60))
        for levels in [Self.north, Self.south] {
            for seed in 0..<20 as Range<UInt8> {
                var difference = 0
                let differences = arms(study, levels: levels, 300, seed: seed).map { arm in
                    difference += arm == "a" ? 1 : -1
                    return abs(difference)
                }
                #expect(differences.max() ?? .max <= 3)
            }
        }
    }

    @Test func `without strata there is one list for all participants`() {
        let study = Self.study(.permutedBlocks)

        #expect(study.allocationList(of: .empty) == "all")
        #expect(study.allocator(seed: [1])?.slots(0..<20).map(\.arm) == arms(study, 20))
        #expect(Self.study(.minimisation).allocationList(of: Self.north) == "all")
        #expect(Self.study(.stratifiedBlocks).allocationList(of: Self.north) == "place=north")
    }

    @Test func `minimisation records the basis of its decision`() {
        var tally = AllocationTally()
        tally.add(Self.north, to: "a")

        let assignment = Self.study(.minimisation, factors: [Self.place])
            .assignArm(Self.north, position: 3, tally: tally, seed: [1])

        #expect(assignment?.arm == "b")
        #expect(assignment?.position == 3)
        #expect(
            JSON.object(assignment?.basis ?? [:]).text
                == #"{"imbalances":{"a":2,"b":0},"preferred":["b"]}"#)
    }

    @Test(arguments: Allocation.Method.allCases)
    func `a position beyond the ends of a list has no arm`(_ method: Allocation.Method) {
        let study = Self.study(method, factors: [Self.place])

        for position in [-1, Int.min, Int.max] {
            #expect(
                study.assignArm(Self.north, position: position, tally: AllocationTally(), seed: []) == nil)
        }
    }

    @Test(arguments: Allocation.Method.allCases)
    func `assigning all arms together and one by one has the same result`(_ method: Allocation.Method)
        throws
    {
        let study = Self.study(method, factors: [Self.place])
        let participants = (0..<90).map { $0 % 3 == 0 ? Self.north : Self.south }
        var tally = AllocationTally()
        var nextPositions: [String: Int] = [:]
        var expected: [String] = []
        for levels in participants {
            let list = study.allocationList(of: levels)
            let position = nextPositions[list, default: 0]
            let arm = try #require(study.assignArm(levels, position: position, tally: tally, seed: [1])?.arm)
            nextPositions[list] = position + 1
            tally.add(levels, to: arm)
            expected.append(arm)
        }

        #expect(study.assignArms(to: participants, seed: [1]) == expected)
        #expect(Set(expected) == ["a", "b"])
        #expect(study.assignArms(to: [], seed: [1]) == [])
    }

    @Test(arguments: Allocation.Method.allCases)
    func `an invalid allocation assigns no arm`(_ method: Allocation.Method) {
        let study = Self.study(method, factors: [Self.place], ratios: [1, 0])

        #expect(study.assignArms(to: [Self.north], seed: [1]) == nil)
    }

    @Test func `a fingerprint identifies a seed without revealing it`() {
        let mark = Study.seedFingerprint(of: [1, 2, 3])

        #expect(mark == Study.seedFingerprint(of: [1, 2, 3]))
        #expect(mark != Study.seedFingerprint(of: [1, 2, 4]))
        #expect(mark.utf8.count == 32)
    }
}
