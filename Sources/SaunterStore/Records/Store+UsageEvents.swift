import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Stores usage events in one statement. The same body again is a replay. Another body under the same id is
    /// quarantined. Idempotent.
    /// - Returns: one receipt each, in order; nil if the enrolment was erased.
    func submit(_ events: [UsageEventSubmission]) async throws -> [StorageReceipt?] {
        try await research.write { transaction in
            let locked = try await transaction.query(
                Statements.enrolments["lock_enrolments"],
                ["enrolment_ids": .ids(Array(Set(events.map(\.enrolment))))])
            let present = Set(try locked.map { try $0.id("enrolment_id", as: EnrolmentID.self) })
            // If a batch contains an id twice, the first event is written, as without batching.
            var digests: [ClientRecord.Key: [UInt8]] = [:]
            var writing: [UsageEventSubmission] = []
            for event in events where present.contains(event.enrolment) && digests[event.key] == nil {
                digests[event.key] = event.digest
                writing.append(event)
            }
            var isNew = Set(writing.map(\.key))
            for row in try await Self.insert(writing, in: transaction) {
                let event: UsageEventID = try row.id("event_id")
                let key = ClientRecord.Key(enrolment: try row.id("enrolment_id"), id: event.uuid)
                digests[key] = try row.get("body_sha256")
                isNew.remove(key)
            }
            let receipts = events.map { event -> StorageReceipt? in
                guard let digest = digests[event.key] else { return nil }
                if isNew.remove(event.key) != nil { return .stored }
                return digest == event.digest ? .replayed : .conflict
            }
            let conflicts = zip(events, receipts).filter { $0.1 == .conflict }.map { event, _ in
                QuarantinedBody(
                    enrolment: event.enrolment, kind: "usage_event", id: event.id.uuid, digest: event.digest,
                    body: event.body, receivedAt: event.receivedAt)
            }
            try await Self.quarantine(conflicts, in: transaction)
            return receipts
        }
    }

    /// Whether an event with exactly this body is stored. The function updates the row without changing it, and
    /// commits. A read could see an event that is not yet on a synchronous standby; this commit waits until it is.
    package func isStored(
        _ id: UsageEventID, of enrolment: EnrolmentID, digest: [UInt8]
    ) async throws -> Bool {
        try await !research.query(
            Statements.usageEvents["touch_usage_event"],
            ["enrolment_id": .id(enrolment), "event_id": .id(id), "body_sha256": .bytes(digest)]
        ).isEmpty
    }

    /// When the participant first opened each feature, by the corrected clock. Features that were never opened are
    /// absent.
    package func listFirstOpenings(
        of features: [String], by enrolment: EnrolmentID
    ) async throws -> [String: Instant] {
        let rows = try await research.query(
            Statements.usageEvents["list_first_openings"],
            ["enrolment_id": .id(enrolment), "features": .texts(features)])
        return Dictionary(
            try rows.map { (try $0.get("feature"), try $0.instant("opened_at")) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the rows that already existed.
    private static func insert(_ events: [UsageEventSubmission], in transaction: Transaction) async throws
        -> Rows
    {
        try await transaction.query(
            Statements.usageEvents["insert_usage_events"],
            [
                "enrolment_ids": .ids(events.map(\.enrolment)), "event_ids": .ids(events.map(\.id)),
                "events": .texts(events.map(\.event.rawValue)),
                "happened_ats": .instants(events.map(\.happenedAt)),
                "received_ats": .instants(events.map(\.receivedAt)),
                "zones": .texts(events.map(\.zone.id)),
                "offsets_min": .ints(events.map { $0.zone.offset(at: $0.happenedAt) / 60 }),
                "skews_ms": .int8s(events.map(\.skewMs)),
                "occasion_ids": .uuids(events.map(\.occasion?.uuid)),
                "questionnaires": .texts(events.map(\.questionnaire)),
                "features": .texts(events.map(\.feature)),
                "collections": .texts(events.map(\.collection)), "items": .texts(events.map(\.item)),
                "seconds": .float8s(events.map(\.seconds)),
                "properties": .texts(events.map(\.properties?.text)),
                "body_sha256s": .bytesArray(events.map(\.digest)),
            ])
    }
}

extension UsageEventSubmission {
    fileprivate var key: ClientRecord.Key { ClientRecord.Key(enrolment: enrolment, id: id.uuid) }
}
