import Testing

@testable import SaunterCore

@Suite struct AllotmentTests {
    private static func study(
        _ method: Allocation.Method, factors: [Allocation.Factor] = [], ratios: [Int] = [1, 1]
    ) -> Study {
        var study = Sample.study([])
        study.arms = zip(["a", "b"], ratios).map { Arm(code: $0, ratio: $1) }
        study.allocation = Allocation(
            method: method, blockSizes: [4, 6], concealed: true, factors: factors, probability: 1)
        return study
    }

    private static let place = Allocation.Factor(code: "place", levels: ["north", "south"])
    private static let north = FactorLevels([.init(factor: "place", level: "north")])
    private static let south = FactorLevels([.init(factor: "place", level: "south")])

    private func arms(_ study: Study, levels: FactorLevels = .nothing, _ count: Int, seed: UInt8 = 1)
        -> [String]
    {
        (0..<count).compactMap {
            study.allot(levels, position: $0, tally: AllocationTally(), seed: [seed])?.arm
        }
    }

    @Test(arguments: Allocation.Method.allCases)
    func `the same seed gives the same list, another seed another`(_ method: Allocation.Method) {
        let study = Self.study(method, factors: [Self.place])

        #expect(arms(study, levels: Self.north, 60) == arms(study, levels: Self.north, 60))
        #expect(arms(study, levels: Self.north, 60) != arms(study, levels: Self.north, 60, seed: 2))
        #expect(arms(study, levels: Self.north, 60).count == 60)
    }

    @Test func `a simple list is the same for ever`() {
        #expect(arms(Self.study(.simple), 16).joined() == "baaaabaabababaab")
    }

    @Test func `a simple list gives each arm by its ratio`() {
        let list = arms(Self.study(.simple, ratios: [3, 1]), 8000)

        // 6000 ± 38.7; five standard deviations.
        #expect((5806...6194).contains(list.filter { $0 == "a" }.count))
    }

    @Test func `strata have lists of their own, and each keeps the bound of its blocks`() {
        let study = Self.study(.stratifiedBlocks, factors: [Self.place])

        #expect(arms(study, levels: Self.north, 60) != arms(study, levels: Self.south, 60))
        for levels in [Self.north, Self.south] {
            for seed in 0..<20 as Range<UInt8> {
                var difference = 0
                for arm in arms(study, levels: levels, 300, seed: seed) {
                    difference += arm == "a" ? 1 : -1
                    #expect(abs(difference) <= 3)
                }
            }
        }
    }

    @Test func `where nothing divides participants, there is one list for all`() {
        let study = Self.study(.permutedBlocks)

        #expect(study.allocationList(of: .nothing) == "all")
        #expect(study.allocator(seed: [1])?.slots(0..<20).map(\.arm) == arms(study, 20))
        #expect(Self.study(.minimisation).allocationList(of: Self.north) == "all")
        #expect(Self.study(.stratifiedBlocks).allocationList(of: Self.north) == "place=north")
    }

    @Test func `minimisation says what it rested on`() {
        var tally = AllocationTally()
        tally.add(Self.north, to: "a")

        let allotment = Self.study(.minimisation, factors: [Self.place])
            .allot(Self.north, position: 3, tally: tally, seed: [1])

        #expect(allotment?.arm == "b")
        #expect(allotment?.position == 3)
        #expect(
            JSON.object(allotment?.basis ?? [:]).text
                == #"{"imbalances":{"a":2,"b":0},"preferred":["b"]}"#)
    }

    @Test(arguments: Allocation.Method.allCases)
    func `beyond its ends a list is empty`(_ method: Allocation.Method) {
        let study = Self.study(method, factors: [Self.place])

        for position in [-1, Int.min, Int.max] {
            #expect(study.allot(Self.north, position: position, tally: AllocationTally(), seed: []) == nil)
        }
    }

    @Test(arguments: Allocation.Method.allCases)
    func `everybody's arms at once are those that are given one after the other`(_ method: Allocation.Method)
        throws
    {
        let study = Self.study(method, factors: [Self.place])
        let people = (0..<90).map { $0 % 3 == 0 ? Self.north : Self.south }
        var tally = AllocationTally()
        var taken: [String: Int] = [:]
        var expected: [String] = []
        for levels in people {
            let list = study.allocationList(of: levels)
            let position = taken[list, default: 0]
            let arm = try #require(study.allot(levels, position: position, tally: tally, seed: [1])?.arm)
            taken[list] = position + 1
            tally.add(levels, to: arm)
            expected.append(arm)
        }

        #expect(study.allot(all: people, seed: [1]) == expected)
        #expect(Set(expected) == ["a", "b"])
        #expect(study.allot(all: [], seed: [1]) == [])
    }

    @Test(arguments: Allocation.Method.allCases)
    func `nobody has an arm by a rule that cannot be followed`(_ method: Allocation.Method) {
        let study = Self.study(method, factors: [Self.place], ratios: [1, 0])

        #expect(study.allot(all: [Self.north], seed: [1]) == nil)
    }

    @Test func `a mark knows a seed again and does not tell it`() {
        let mark = Study.allocationMark(of: [1, 2, 3])

        #expect(mark == Study.allocationMark(of: [1, 2, 3]))
        #expect(mark != Study.allocationMark(of: [1, 2, 4]))
        #expect(mark.utf8.count == 32)
    }
}
