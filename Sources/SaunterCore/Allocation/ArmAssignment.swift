import Crypto
import Foundation

/// The arm of a participant, with the data that makes the assignment verifiable.
package struct ArmAssignment: Sendable, Hashable {
    /// The code of the assigned arm.
    package var arm: String
    /// The method that assigned it.
    package var method: Allocation.Method
    /// Index in the allocation list, from 0. The list is that of the stratum or of all participants.
    package var position: Int
    /// Further inputs of the decision besides seed and position. Empty if there are none.
    package var basis: JSONObject
}

extension Study {
    /// Name of the allocation list for a participant with these levels.
    package func allocationList(of levels: FactorLevels) -> String {
        allocation.method == .stratifiedBlocks ? levels.stratum : FactorLevels.allParticipants
    }

    /// The list of permuted blocks for all participants or for one stratum. Nil if the study's allocation is invalid.
    package func allocator(seed: [UInt8], stratum: String = FactorLevels.allParticipants) -> BlockAllocator? {
        BlockAllocator(
            seed: seed, study: code, stratum: stratum, arms: arms, blockSizes: allocation.blockSizes)
    }

    /// The arm of the participant at this position of the list. The same arguments always return the same arm.
    /// - Parameter tally: previous participants. Only minimisation uses it.
    /// - Returns: nil if the allocation is invalid or the list has ended.
    package func assignArm(
        _ levels: FactorLevels, position: Int, tally: AllocationTally, seed: [UInt8]
    ) -> ArmAssignment? {
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
            ArmAssignment(arm: $0, method: allocation.method, position: position, basis: basis)
        }
    }

    /// The arms of all participants in the order of enrolment. The result is the same as repeated calls of `assignArm`,
    /// but the time grows linearly with the number of participants.
    /// - Parameter participants: the levels of each participant.
    /// - Returns: one arm per participant. Nil if the allocation is invalid or a list has ended.
    package func assignArms(to participants: [FactorLevels], seed: [UInt8]) -> [String]? {
        if allocation.usesBlocks { return assignArmsByBlocks(participants, seed: seed) }
        var arms: [String] = []
        var tally = AllocationTally()
        for (position, levels) in participants.enumerated() {
            guard let arm = assignArm(levels, position: position, tally: tally, seed: seed)?.arm else {
                return nil
            }
            tally.add(levels, to: arm)
            arms.append(arm)
        }
        return arms
    }

    /// Computes each list once, because the arm at a position depends on all preceding blocks.
    private func assignArmsByBlocks(_ participants: [FactorLevels], seed: [UInt8]) -> [String]? {
        var arms = Array(repeating: "", count: participants.count)
        for (list, members) in Dictionary(
            grouping: participants.indices, by: { allocationList(of: participants[$0]) })
        {
            guard let slots = allocator(seed: seed, stratum: list)?.slots(0..<members.count),
                slots.count == members.count
            else { return nil }
            for (member, slot) in zip(members, slots) { arms[member] = slot.arm }
        }
        return arms
    }

    /// Identifies a seed without revealing it: the first 32 hexadecimal digits of a SHA-256 digest.
    package static func seedFingerprint(of seed: [UInt8]) -> String {
        let digest = SHA256.hash(data: framed([Array("saunter.allocation.mark".utf8), seed]))
        return Hex.encode(digest.prefix(16))
    }
}
