import Testing

@testable import SaunterCore

@Suite struct MinimiserTests {
    typealias Entry = FactorLevels.Entry

    private static let pair = [Arm(code: "a", ratio: 1), Arm(code: "b", ratio: 1)]
    private static let young = FactorLevels([
        Entry(factor: "sex", level: "female"), Entry(factor: "age", level: "young"),
    ])

    private static func factors(_ weight: Int = 1) -> [Allocation.Factor] {
        [
            Allocation.Factor(code: "sex", levels: ["female", "male"]),
            Allocation.Factor(code: "age", levels: ["young", "old"], weight: weight),
        ]
    }

    private func minimiser(
        _ arms: [Arm] = Self.pair, weight: Int = 1, probability: Double = 1, seed: UInt8 = 1,
        study: String = "sample"
    ) throws -> Minimiser {
        try #require(
            Minimiser(
                seed: [seed], study: study, arms: arms,
                allocation: Allocation(
                    method: .minimisation, isConcealed: true, factors: Self.factors(weight),
                    probability: probability)))
    }

    private func tally(_ counts: [(String, String, String, Int)]) -> AllocationTally {
        var tally = AllocationTally()
        for (factor, level, arm, count) in counts { tally[Entry(factor: factor, level: level), arm] = count }
        return tally
    }

    struct WorkedCase: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var ratios = [1, 1]
        var weight = 1
        /// Participants with the new participant's sex and age, per arm.
        var sex: [Int]
        var age: [Int]
        var imbalances: [Int]
        var preferred: [String]
    }

    // Computed by hand: for each arm the range of the shares at both levels after an assignment to it.
    @Test(arguments: [
        // a: (11−8) + (7−6) = 4; b: (10−9) + (7−6) = 2
        WorkedCase(
            testDescription: "the smaller sum", sex: [10, 8], age: [6, 6], imbalances: [4, 2],
            preferred: ["b"]),
        // a: (11−8) + (7−6) = 4; b: (10−9) + (8−5) = 4
        WorkedCase(
            testDescription: "a tie of two factors", sex: [10, 8], age: [5, 7], imbalances: [4, 4],
            preferred: ["a", "b"]),
        // a: 3 + 2·1 = 5; b: 1 + 2·3 = 7
        WorkedCase(
            testDescription: "a weight breaks it", weight: 2, sex: [10, 8], age: [5, 7], imbalances: [5, 7],
            preferred: ["a"]),
        // Shares by ratio 2:1, so counts · 2/r: a: (5−4) + (1−0) = 2; b: (6−4) + (2−0) = 4
        WorkedCase(
            testDescription: "two to one", ratios: [2, 1], sex: [4, 2], age: [0, 0], imbalances: [2, 4],
            preferred: ["a"]),
        // a: (4−1) + (1−0); b: the same; c: (3−2) + (1−0)
        WorkedCase(
            testDescription: "three arms", ratios: [1, 1, 1], sex: [3, 3, 1], age: [0, 0, 0],
            imbalances: [4, 4, 2], preferred: ["c"]),
    ])
    func `minimisation agrees with results that were computed by hand`(_ example: WorkedCase) throws {
        let codes = ["a", "b", "c"]
        let arms = zip(codes, example.ratios).map { Arm(code: $0, ratio: $1) }
        let counts: [(String, String, String, Int)] =
            zip(codes, example.sex).map { ("sex", "female", $0, $1) }
            + zip(codes, example.age).map { ("age", "young", $0, $1) }

        let decision = try minimiser(arms, weight: example.weight)
            .decide(Self.young, position: 0, tally: tally(counts))

        #expect(decision?.imbalances == example.imbalances)
        #expect(decision?.preferred == example.preferred)
        #expect(example.preferred.contains(decision?.arm ?? ""))
    }

    @Test
    func `the same seed, position and counts return the same arm, and another seed or study returns others`()
        throws
    {
        let empty = AllocationTally()
        func arms(_ seed: UInt8, of study: String = "sample") throws -> [String?] {
            let minimiser = try minimiser(seed: seed, study: study)
            return (0..<60).map { minimiser.decide(Self.young, position: $0, tally: empty)?.arm }
        }

        #expect(try arms(1) == arms(1))
        #expect(try arms(1) != arms(2))
        #expect(try arms(1) != arms(1, of: "another"))
        #expect(try Set(arms(1)) == ["a", "b"])
    }

    @Test
    func `with probability 1 and one factor, the arms of a level never differ by more than one`()
        throws
    {
        let allocation = Allocation(
            method: .minimisation, isConcealed: true, factors: [Self.factors()[0]], probability: 1)
        for seed in 0..<10 as Range<UInt8> {
            let minimiser = try #require(
                Minimiser(seed: [seed], study: "sample", arms: Self.pair, allocation: allocation))
            var cases = SeededCases(UInt64(seed))
            var tally = AllocationTally()
            for position in 0..<300 {
                let entry = Entry(factor: "sex", level: Bool.random(using: &cases) ? "female" : "male")
                let levels = FactorLevels([entry])
                let decision = try #require(minimiser.decide(levels, position: position, tally: tally))
                tally.add(levels, to: decision.arm)
                #expect(abs(tally[entry, "a"] - tally[entry, "b"]) <= 1)
            }
        }
    }

    @Test func `with a lower probability the other arm is drawn as often as configured`() throws {
        let minimiser = try minimiser(probability: 0.8)
        let counts = tally([("sex", "female", "a", 9), ("age", "young", "a", 9)])

        let arms = (0..<4000).map { minimiser.decide(Self.young, position: $0, tally: counts)?.arm }

        // 3200 ± 25.3; five standard deviations.
        #expect((3073...3327).contains(arms.filter { $0 == "b" }.count))
    }

    @Test func `if all arms are equal, one of all is drawn regardless of the probability`() throws {
        let minimiser = try minimiser(probability: 0.01)

        let arms = (0..<200).map { minimiser.decide(Self.young, position: $0, tally: AllocationTally())?.arm }

        #expect(Set(arms) == ["a", "b"])
    }

    @Test func `a participant counts at each stated level, only in the assigned arm`() {
        var tally = AllocationTally()
        tally.add(Self.young, to: "a")
        tally.add(Self.young, to: "a")

        #expect(Self.young.entries.map { tally[$0, "a"] } == [2, 2])
        #expect(Self.young.entries.map { tally[$0, "b"] } == [0, 0])
        #expect(tally[Entry(factor: "sex", level: "male"), "a"] == 0)
    }

    @Test(arguments: [([1, 1], 1), ([4, 6], 12), ([2, 4, 8], 8), ([100, 99], 9900)])
    func `ratios are scaled by their least common multiple`(_ ratios: [Int], _ multiple: Int) {
        #expect(Minimiser.commonMultiple(of: ratios) == multiple)
    }

    @Test func `impossible counts do not trap`() throws {
        let counts = tally([("sex", "female", "a", .max), ("age", "young", "b", .min)])

        #expect(try minimiser().decide(Self.young, position: 0, tally: counts) != nil)
        #expect(try minimiser().decide(Self.young, position: -1, tally: counts) == nil)
        #expect(try minimiser().decide(Self.young, position: .max, tally: counts) == nil)
    }

    @Test func `invalid parameters are rejected`() {
        func make(_ arms: [Arm], _ probability: Double?, _ factors: [Allocation.Factor]) -> Minimiser? {
            Minimiser(
                seed: [], study: "sample", arms: arms,
                allocation: Allocation(
                    method: .minimisation, isConcealed: true, factors: factors, probability: probability))
        }

        #expect(make(Self.pair, 1, Self.factors()) != nil)
        #expect(make([], 1, Self.factors()) == nil)
        #expect(make(Self.pair, nil, Self.factors()) == nil)
        #expect(make(Self.pair, .nan, Self.factors()) == nil)
        #expect(make(Self.pair, 0, Self.factors()) == nil)
        #expect(make(Self.pair, 1.5, Self.factors()) == nil)
        #expect(make(Self.pair, 1, []) == nil)
        #expect(make(Self.pair, 1, Self.factors(.max)) == nil)
        #expect(make([Arm(code: "a", ratio: .max)], 1, Self.factors()) == nil)
        let primes = [97, 89, 83, 79].map { Arm(code: "arm\($0)", ratio: $0) }
        #expect(make(primes, 1, Self.factors()) == nil)
    }
}
