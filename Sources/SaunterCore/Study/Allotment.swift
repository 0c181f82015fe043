import Crypto
import Foundation

/// Which arm a participant has come to, and from what it can be checked later.
package struct Allotment: Sendable, Hashable {
    package var arm: String
    package var method: Allocation.Method
    /// From 0: the place in the list, of the stratum or of all.
    package var position: Int
    /// What the decision rested on besides seed and position; empty where that is all.
    package var basis: JSONObject
}

extension Study {
    /// The list that this participant's place is taken from.
    package func allocationList(of levels: FactorLevels) -> String {
        allocation.method == .stratifiedBlocks ? levels.stratum : FactorLevels.everybody
    }

    /// The list of permuted blocks of this study's participants, or of one stratum of them; nil where the study's
    /// rule cannot be followed.
    package func allocator(seed: [UInt8], stratum: String = FactorLevels.everybody) -> BlockAllocator? {
        BlockAllocator(
            seed: seed, study: code, stratum: stratum, arms: arms, blockSizes: allocation.blockSizes)
    }

    /// The arm of the participant at this position of their list. The same arguments give the same arm for ever.
    /// - Parameter tally: participants so far; only minimisation looks at it.
    /// - Returns: nil where the rule cannot be followed or the list is at its end.
    package func allot(
        _ levels: FactorLevels, position: Int, tally: AllocationTally, seed: [UInt8]
    ) -> Allotment? {
        var basis = JSONObject()
        let arm: String?
        switch allocation.method {
        case .simple: arm = SimpleAllocator(seed: seed, study: code, arms: arms)?.arm(at: position)
        case .permutedBlocks, .stratifiedBlocks:
            arm = allocator(seed: seed, stratum: allocationList(of: levels))?.arm(at: position)
        case .minimisation:
            let decision = Minimiser(seed: seed, study: code, arms: arms, allocation: allocation)?
                .decide(levels, position: position, tally: tally)
            arm = decision?.arm
            if let decision {
                basis["imbalances"] = .object(
                    JSONObject(
                        zip(arms, decision.imbalances).map { .init(name: $0.code, value: .int($1)) }))
                basis["preferred"] = .array(decision.preferred.map(JSON.string))
            }
        }
        return arm.map {
            Allotment(arm: $0, method: allocation.method, position: position, basis: basis)
        }
    }

    /// The arms of everybody of a study, in the order of enrolment: what `allot` gives them one after the other, in a time that grows with their
    /// number, not with its square.
    /// - Parameter people: what each of them tells.
    /// - Returns: an arm for each; nil where the rule cannot be followed or a list comes to its end.
    package func allot(all people: [FactorLevels], seed: [UInt8]) -> [String]? {
        if allocation.usesBlocks { return allotBlocks(people, seed: seed) }
        var arms: [String] = []
        var tally = AllocationTally()
        for (position, levels) in people.enumerated() {
            guard let arm = allot(levels, position: position, tally: tally, seed: seed)?.arm else {
                return nil
            }
            tally.add(levels, to: arm)
            arms.append(arm)
        }
        return arms
    }

    /// A list at a time, because a place on it is found by all the blocks before.
    private func allotBlocks(_ people: [FactorLevels], seed: [UInt8]) -> [String]? {
        var arms = Array(repeating: "", count: people.count)
        for (list, members) in Dictionary(grouping: people.indices, by: { allocationList(of: people[$0]) }) {
            guard let slots = allocator(seed: seed, stratum: list)?.slots(0..<members.count),
                slots.count == members.count
            else { return nil }
            for (member, slot) in zip(members, slots) { arms[member] = slot.arm }
        }
        return arms
    }

    /// By what an allocation's seed is known without telling it: 32 hexadecimal digits of its digest.
    package static func allocationMark(of seed: [UInt8]) -> String {
        let digest = SHA256.hash(data: framed([Array("saunter.allocation.mark".utf8), seed]))
        return digest.prefix(16).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
