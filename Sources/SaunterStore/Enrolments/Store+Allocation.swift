import Postgres
import SaunterCore

/// The study's rule gives no arm for the next place: it has none, or a million people have enrolled.
package struct AllocationExhausted: Error {}

extension Store {
    /// Takes the next place of the participant's list and decides by it. The list stays locked until the transaction
    /// ends: whoever comes next sees this one counted, and a place whose transaction fails is given again.
    /// - Throws: `AllocationExhausted`.
    static func allot(_ draft: EnrolmentDraft, in transaction: Transaction) async throws -> Allotment {
        let study = draft.study
        let position: Int = try await transaction.query(
            Statements.enrolments["take_allocation_position"],
            [.text(study.code), .text(study.allocationList(of: draft.levels))]
        ).one().get("position")
        var tally = AllocationTally()
        if study.allocation.method == .minimisation {
            let rows = try await transaction.query(
                Statements.allocations["list_allocation_tally"],
                [
                    .text(study.code), .texts(draft.levels.entries.map(\.factor)),
                    .texts(draft.levels.entries.map(\.level)),
                ])
            for row in rows {
                let entry = FactorLevels.Entry(factor: try row.get("factor"), level: try row.get("level"))
                tally[entry, try row.get("arm")] = try row.get("participants")
            }
        }
        guard
            let allotment = study.allot(draft.levels, position: position, tally: tally, seed: draft.seed)
        else { throw AllocationExhausted() }
        return allotment
    }

    /// Participants of a study by arm and what they told. Read under the role that cannot see identities.
    package func countAllocations(_ study: String) async throws -> [AllocationCount] {
        try await export.query(Statements.allocations["count_allocations"], [.text(study)]).map { row in
            let factors = try JSONReader.read(row.get("factors", as: String.self)).object ?? [:]
            return AllocationCount(
                arm: try row.get("arm"), stratum: try row.get("stratum"),
                levels: FactorLevels(
                    factors.compactMap { member in
                        member.value.string.map { FactorLevels.Entry(factor: member.name, level: $0) }
                    }),
                participants: try row.get("participants"))
        }
    }
}
