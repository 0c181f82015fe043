import Testing

@testable import SaunterCore

@Suite("Block allocator")
struct BlockAllocatorTests {
    private let pair = [Arm(code: "a", ratio: 1), Arm(code: "b", ratio: 1)]

    private func allocator(
        seed: UInt8 = 1, stratum: String = "", arms: [Arm]? = nil, sizes: [Int] = [4, 6]
    ) throws -> BlockAllocator {
        try #require(
            BlockAllocator(
                seed: [seed], study: "sample", stratum: stratum, arms: arms ?? pair, blockSizes: sizes))
    }

    @Test func `a list never changes`() throws {
        let arms = try allocator().slots(0..<16).map(\.arm).joined()

        #expect(arms == "ababaabbabbaabba")
    }

    @Test func `single positions and the complete list agree`() throws {
        let allocator = try allocator()

        let slots = allocator.slots(0..<100)

        #expect(slots.map(\.position) == Array(0..<100))
        #expect((0..<100).compactMap { allocator.arm(at: $0) } == slots.map(\.arm))
        #expect(allocator.slots(37..<61) == Array(slots[37..<61]))
    }

    @Test func `each seed and each stratum has a separate list`() throws {
        let first = try allocator().slots(0..<60).map(\.arm)

        #expect(try allocator(seed: 2).slots(0..<60).map(\.arm) != first)
        #expect(try allocator(stratum: "women").slots(0..<60).map(\.arm) != first)
    }

    @Test(arguments: [[1, 1], [2, 1], [3, 2, 1], [1]])
    func `every block contains every arm by its ratio, in random order`(_ ratios: [Int]) throws {
        let arms = ratios.enumerated().map { Arm(code: "arm\($0.offset)", ratio: $0.element) }
        let shares = ratios.reduce(0, +)
        let sizes = [shares, 2 * shares]
        for seed in 0..<20 as Range<UInt8> {
            let slots = try allocator(seed: seed, arms: arms, sizes: sizes).slots(0..<600)
            #expect(slots.map(\.position) == Array(0..<600))
            let blocks = Dictionary(grouping: slots, by: \.block)
            for block in blocks.values where block.count == block[0].blockSize {
                for arm in arms {
                    #expect(block.filter { $0.arm == arm.code }.count == arm.ratio * block.count / shares)
                }
            }
            #expect(Set(blocks.values.map { $0[0].blockSize }) == Set(sizes))
        }
    }

    @Test func `no prefix is out of balance by more than half the largest block`() throws {
        for seed in 0..<30 as Range<UInt8> {
            var difference = 0
            for slot in try allocator(seed: seed).slots(0..<500) {
                difference += slot.arm == "a" ? 1 : -1
                #expect(abs(difference) <= 3)
            }
        }
    }

    @Test func `the six orders of a block of four are about equally frequent`() throws {
        let slots = try allocator(sizes: [4]).slots(0..<12_000)
        let orders = Dictionary(grouping: slots, by: \.block).values.map { $0.map(\.arm).joined() }
        let counts = Dictionary(grouping: orders, by: { $0 }).mapValues(\.count)

        // 500 ± 20.4 each; five standard deviations.
        #expect(counts.count == 6)
        #expect(counts.values.allSatisfy { (398...602).contains($0) }, "\(counts)")
    }

    @Test func `a position beyond the ends of a list has no arm`() throws {
        let allocator = try allocator()

        #expect(allocator.arm(at: -1) == nil)
        #expect(allocator.arm(at: Int.max) == nil)
        #expect(allocator.slots(-5..<0).isEmpty)
        #expect(allocator.slots(Int.max - 1..<Int.max).isEmpty)
    }

    @Test func `invalid parameters are rejected`() {
        func make(_ arms: [Arm], _ sizes: [Int]) -> BlockAllocator? {
            BlockAllocator(seed: [], study: "sample", arms: arms, blockSizes: sizes)
        }

        #expect(make([], [4]) == nil)
        #expect(make(pair, []) == nil)
        #expect(make(pair, [4, 5]) == nil)
        #expect(make(pair, [0]) == nil)
        #expect(make([Arm(code: "a", ratio: 0)], [4]) == nil)
        #expect(make([Arm(code: "a", ratio: .max), Arm(code: "b", ratio: .max)], [4]) == nil)
    }
}
