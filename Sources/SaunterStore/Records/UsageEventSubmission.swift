import Foundation
import Postgres
import SaunterCore

/// A validated usage event of the app to be stored.
package struct UsageEventSubmission: Sendable {
    /// The code of the study. The batching queue serves studies round-robin.
    package var study: String
    /// The enrolment under which the event is submitted.
    package var enrolment: EnrolmentID
    /// The UUID that the device generated.
    package var id: UsageEventID
    /// What happened in the app.
    package var event: UsageEventKind
    /// By the device's clock, as reported.
    package var happenedAt: Instant
    /// When the server received it, by the server's clock.
    package var receivedAt: Instant
    /// The participant's time zone at the time of the event.
    package var zone: Zone
    /// Skew of the device's clock in milliseconds: received_at − client_now.
    package var skewMs: Int64
    /// The occasion that the event is about; nil for none.
    package var occasion: OccasionID?
    /// The code of the questionnaire that the event is about; nil for none.
    package var questionnaire: String?
    /// The code of the feature that the event is about; nil for none.
    package var feature: String?
    /// The content collection that the event is about; nil for none.
    package var collection: String?
    /// The item of the collection; nil for none.
    package var item: String?
    /// How long it lasted; nil if the event has no duration.
    package var seconds: Double?
    /// Named texts, numbers or booleans; nil for none.
    package var properties: JSON?
    /// Whether a rule of the study depends on such records.
    package var affectsRules = false
    /// SHA-256 of the canonical body.
    package var digest: [UInt8]
    /// The body as received. It is quarantined if another body has the same id.
    package var body: JSON

    /// Creates a submission. The defaults are those of an event about nothing in particular, by a correct clock.
    package init(
        study: String, enrolment: EnrolmentID, id: UsageEventID, event: UsageEventKind, happenedAt: Instant,
        receivedAt: Instant, zone: Zone, skewMs: Int64 = 0, occasion: OccasionID? = nil,
        questionnaire: String? = nil, feature: String? = nil, collection: String? = nil, item: String? = nil,
        seconds: Double? = nil, properties: JSON? = nil, digest: [UInt8], body: JSON
    ) {
        self.study = study
        self.enrolment = enrolment
        self.id = id
        self.event = event
        self.happenedAt = happenedAt
        self.receivedAt = receivedAt
        self.zone = zone
        self.skewMs = skewMs
        self.occasion = occasion
        self.questionnaire = questionnaire
        self.feature = feature
        self.collection = collection
        self.item = item
        self.seconds = seconds
        self.properties = properties
        self.digest = digest
        self.body = body
    }
}

extension UsageEventSubmission: PlainSubmission {
    package static var kind: SubmissionKind { .usageEvent }
    package var recordID: UUID { id.uuid }
    package var quarantineKind: String { "usage_event" }
    package var memory: Int { 256 }

    static func insert(
        _ events: [Self], in transaction: Transaction
    ) async throws -> [RecordKey: [UInt8]] {
        let rows = try await transaction.query(
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
        var known: [RecordKey: [UInt8]] = [:]
        for row in rows {
            let event: UsageEventID = try row.id("event_id")
            known[RecordKey(enrolment: try row.id("enrolment_id"), id: event.uuid)] = try row.get(
                "body_sha256")
        }
        return known
    }
}
