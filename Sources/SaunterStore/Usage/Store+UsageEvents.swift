import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Stores usage events together, in one statement; again the same is a replay, another body under the id goes to quarantine. It can be run again
    /// with the same ones.
    /// - Returns: one receipt each, in order; nil where the enrolment was erased.
    func submit(_ events: [UsageEventSubmission]) async throws -> [StorageReceipt?] {
        try await research.write { transaction in
            let locked = try await transaction.query(
                Statements.enrolments["lock_enrolments"], [.ids(Array(Set(events.map(\.enrolment))))])
            let present = Set(try locked.map { try $0.id("enrolment_id", as: EnrolmentID.self) })
            // Of those under one id in this batch the first is written, as it would have been alone.
            var held: [ClientRecord.Key: [UInt8]] = [:]
            var writing: [UsageEventSubmission] = []
            for event in events where present.contains(event.enrolment) && held[event.key] == nil {
                held[event.key] = event.digest
                writing.append(event)
            }
            var isNew = Set(writing.map(\.key))
            for row in try await Self.insert(writing, in: transaction) {
                let event: UsageEventID = try row.id("event_id")
                let key = ClientRecord.Key(enrolment: try row.id("enrolment_id"), id: event.uuid)
                held[key] = try row.get("body_sha256")
                isNew.remove(key)
            }
            let receipts = events.map { event -> StorageReceipt? in
                guard let digest = held[event.key] else { return nil }
                if isNew.remove(event.key) != nil { return .stored }
                return digest == event.digest ? .replayed : .conflict
            }
            try await Self.quarantine(events, receipts, in: transaction)
            return receipts
        }
    }

    /// Whether an event is stored under this id with this body. The answer is as durable as the first receipt.
    package func isStored(
        _ id: UsageEventID, of enrolment: EnrolmentID, digest: [UInt8]
    ) async throws -> Bool {
        try await !research.query(
            Statements.usageEvents["touch_usage_event"], [.id(enrolment), .id(id), .bytes(digest)]
        ).isEmpty
    }

    private static func insert(_ events: [UsageEventSubmission], in transaction: Transaction) async throws
        -> Rows
    {
        try await transaction.query(
            Statements.usageEvents["insert_usage_events"],
            [
                .ids(events.map(\.enrolment)), .ids(events.map(\.id)), .texts(events.map(\.event.rawValue)),
                .instants(events.map(\.happenedAt)), .instants(events.map(\.receivedAt)),
                .texts(events.map(\.zone.id)), .ints(events.map { $0.zone.offset(at: $0.happenedAt) / 60 }),
                .int8s(events.map(\.skewMs)), .uuids(events.map(\.occasion?.uuid)),
                .texts(events.map(\.questionnaire)), .texts(events.map(\.properties?.text)),
                .bytesArray(events.map(\.digest)),
            ])
    }

    private static func quarantine(
        _ events: [UsageEventSubmission], _ receipts: [StorageReceipt?], in transaction: Transaction
    ) async throws {
        let refused = zip(events, receipts).filter { $0.1 == .conflict }.map(\.0)
        guard !refused.isEmpty else { return }
        let sorted = refused.map { (order: "\($0.enrolment) \($0.id) \($0.digest)", event: $0) }
            .sorted { $0.order < $1.order }
        _ = try await transaction.pipeline(
            sorted.map { _, event in
                quarantineCall(
                    event.enrolment, kind: "usage_event", id: event.id, digest: event.digest,
                    body: event.body.bytes, now: event.receivedAt)
            })
    }
}

extension UsageEventSubmission {
    fileprivate var key: ClientRecord.Key { ClientRecord.Key(enrolment: enrolment, id: id.uuid) }
}
