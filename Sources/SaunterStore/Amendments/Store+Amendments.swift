import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Keeps amendments together, to be applied once their things are there; again the same is a replay, another body under the id goes to quarantine. It can be run
    /// again with the same ones. Whoever stores a thing and whoever keeps an amendment look for what waits after their own commit: so one of them finds it,
    /// whoever comes first.
    /// - Returns: one receipt each, in order; nil where the enrolment was erased.
    func submit(_ amendments: [AmendmentSubmission]) async throws -> [StorageReceipt?] {
        try await research.write { transaction in
            try await Self.write(amendments.map(Self.record), in: transaction).receipts
        }
    }

    private static func record(of submission: AmendmentSubmission) -> ClientRecord {
        let amendment = submission.amendment
        return ClientRecord(
            enrolment: submission.enrolment, id: amendment.id.uuid, kind: amendment.kind.rawValue,
            insert: insertCall(amendment, of: submission.enrolment, revision: nil),
            digest: amendment.digest, body: amendment.body, receivedAt: amendment.receivedAt)
    }

    static func insertCall(
        _ amendment: Amendment, of enrolment: EnrolmentID, revision: Int?
    ) -> (Statement, [Parameter]) {
        (
            Statements.amendments["insert_amendment"],
            [
                .id(enrolment), .id(amendment.id), .text(amendment.subject.kind),
                .uuid(amendment.subject.uuid), .text(amendment.kind.rawValue), .instant(amendment.madeAt),
                .instant(amendment.receivedAt), .verbatim(amendment.body), .bytes(amendment.digest),
                .text(amendment.state.rawValue), .int(revision), .id(amendment.number?.device),
                .int8(amendment.number?.sequence), .instant(amendment.statedAt),
            ]
        )
    }

    static func number(_ row: Row) throws -> Amendment.Number? {
        guard let device = try row.getOptional("device_id", as: UUID.self),
            let sequence = try row.getOptional("sequence", as: Int64.self)
        else { return nil }
        return Amendment.Number(device: DeviceID(device), sequence: sequence)
    }

    /// What became of these amendments; those that are not there are left out.
    package func listAmendments(
        _ ids: [AmendmentID], of enrolment: EnrolmentID
    ) async throws -> [AmendmentID: StoredAmendment] {
        let found = try await research.query(
            Statements.amendments["list_amendments"], [.id(enrolment), .ids(ids)]
        ).map { row in
            StoredAmendment(
                id: try row.id("amendment_id"), digest: try row.get("body_sha256"),
                state: try row.value("state"),
                refusal: try row.getOptional("refusal", as: String.self).map { try JSONReader.read($0) },
                revision: try row.getOptional("revision"))
        }
        return Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether an amendment is stored under this id with this body. The answer is as durable as the first receipt.
    package func isStored(_ amendment: Amendment, of enrolment: EnrolmentID) async throws -> Bool {
        try await !research.query(
            Statements.amendments["touch_amendment"],
            [.id(enrolment), .id(amendment.id), .bytes(amendment.digest)]
        ).isEmpty
    }

    /// How many of a participant's amendments wait.
    package func countWaitingAmendments(of enrolment: EnrolmentID) async throws -> Int {
        try await research.query(Statements.amendments["count_waiting_amendments"], [.id(enrolment)])
            .one().get("count")
    }

    /// Amendments that can be applied now, in the order in which they were made; at most 500.
    package func listDueAmendments(of enrolment: EnrolmentID) async throws -> [Amendment] {
        try await research.query(
            Statements.amendments["list_due_amendments"], [.id(enrolment)]
        ).map { row in
            let subject: ID<Amendment> = try row.id("subject_id")
            guard let subject = Amendment.Subject(kind: try row.get("subject"), subject.uuid) else {
                throw StoredValueFault(column: "subject")
            }
            return Amendment(
                id: try row.id("amendment_id"), subject: subject, kind: try row.value("kind"),
                madeAt: try row.instant("made_at"), receivedAt: try row.instant("received_at"),
                body: try JSONReader.read(row.get("body", as: String.self)),
                digest: try row.get("body_sha256"), state: try row.value("state"),
                number: try Self.number(row))
        }.sorted { $0.precedence < $1.precedence }
    }

    /// Whose amendments can be applied now, in the order of their ids, from after the given one on.
    package func listEnrolmentsWithDueAmendments(
        after: EnrolmentID?, limit: Int
    ) async throws -> [EnrolmentID] {
        try await research.query(
            Statements.amendments["list_enrolments_with_due_amendments"],
            [.uuid(after?.uuid ?? .first), .int(limit)]
        ).map { try $0.id("enrolment_id") }
    }

    /// Says that an amendment that waits does not fit.
    /// - Parameter refusal: why, to be told again.
    package func refuse(
        _ amendment: AmendmentID, of enrolment: EnrolmentID, _ refusal: JSON
    ) async throws {
        _ = try await research.writeRetrying(repeatable: true) { transaction in
            try await Self.settle(amendment, of: enrolment, .refused, refusal: refusal, in: transaction)
        }
    }

    /// Says that what follows from an amendment is planned and scored.
    package func finish(_ amendment: AmendmentID, of enrolment: EnrolmentID) async throws {
        _ = try await research.writeRetrying(repeatable: true) { transaction in
            try await transaction.query(
                Statements.amendments["finish_amendment"], [.id(enrolment), .id(amendment)])
        }
    }

    /// - Returns: false where somebody else has settled it.
    @discardableResult
    static func settle(
        _ amendment: AmendmentID, of enrolment: EnrolmentID, _ state: Amendment.State, refusal: JSON? = nil,
        revision: Int? = nil, in transaction: Transaction
    ) async throws -> Bool {
        try await transaction.query(
            Statements.amendments["settle_amendment"],
            [
                .id(enrolment), .id(amendment), .text(state.rawValue), .verbatim(refusal), .int(revision),
            ]
        ).affected > 0
    }
}
