import Postgres
import SaunterCore

extension Store {
    /// Stores records of any kinds in one transaction: locks the enrolments in key order, writes the records with the
    /// occasions that they fulfil, and does what follows from the new ones. Idempotent: the caller can repeat the call
    /// with the same records if the result of a commit is unknown.
    /// - Returns: one receipt per record, in order.
    /// - Throws: `StudyVersionMismatch`.
    package func submit(_ submissions: [any Submission]) async throws -> [StorageReceipt] {
        let groups = Dictionary(grouping: submissions.indices) { type(of: submissions[$0]).kind }
            .sorted { $0.key < $1.key }.map { (type: type(of: submissions[$0.value[0]]), indices: $0.value) }
        let lookUps = groups.map { group in group.type.lookUps(for: group.indices.map { submissions[$0] }) }
        let lock: (Statement, Arguments) = (
            Statements.enrolments["lock_enrolments"],
            ["enrolment_ids": .ids(Array(Set(submissions.map(\.enrolment))))]
        )
        return try await research.write(opening: [lock] + lookUps.joined()) { transaction, found in
            var enrolments: [EnrolmentID: Enrolment] = [:]
            for row in found[0] {
                let enrolment = try Self.enrolment(row)
                enrolments[enrolment.id] = enrolment
            }
            var receipts = Array(repeating: StorageReceipt.gone, count: submissions.count)
            var position = 1
            for (group, calls) in zip(groups, lookUps) {
                let end = position + calls.count
                let stored = try await group.type.store(
                    group.indices.map { submissions[$0] }, found[position..<end],
                    isPresent: { enrolments[$0] != nil }, in: transaction)
                for (index, receipt) in zip(group.indices, stored) { receipts[index] = receipt }
                position = end
            }
            try await Self.quarantine(submissions, receipts, in: transaction)
            let new = zip(submissions, receipts).filter { $0.1.isNew }.map(\.0)
            try await Self.calibrateWalks(
                of: Set(new.filter(\.calibratesWalks).map(\.enrolment)).sorted(), in: transaction)
            try await follow(new.compactMap { RecordChange($0) }, enrolments, in: transaction)
            let ruled = new.filter(\.affectsRules)
            if let now = ruled.map(\.receivedAt).max() {
                let ids = Set(ruled.map(\.enrolment)).sorted()
                _ = try await transaction.pipeline([
                    Self.decideSoonCall(ids, records: ruled.map(\.key), now: now)
                ])
            }
            return receipts
        }
    }

    /// Quarantines the bodies whose ids belong to other bodies.
    private static func quarantine(
        _ submissions: [any Submission], _ receipts: [StorageReceipt], in transaction: Transaction
    ) async throws {
        try await quarantine(
            zip(submissions, receipts).filter { $0.1 == .conflict }.map { submission, _ in
                QuarantinedBody(
                    enrolment: submission.enrolment, kind: submission.quarantineKind, id: submission.recordID,
                    digest: submission.digest, body: submission.body, receivedAt: submission.receivedAt)
            }, in: transaction)
    }
}

extension RecordChange {
    /// Nil if nothing follows from the new record.
    init?(_ submission: any Submission) {
        guard let followUps = submission.followUps else { return nil }
        self.init(
            enrolment: submission.enrolment, followUps: followUps, arrived: submission.recordID,
            walk: submission.walkToPlace)
    }
}
