import SaunterCore

/// A validated usage event of the app to be stored.
package struct UsageEventSubmission: Sendable {
    package typealias Event = UsageEventKind

    /// The code of the study. The batching queue serves studies round-robin.
    package var study: String
    package var enrolment: EnrolmentID
    package var id: UsageEventID
    package var event: Event
    /// By the device's clock, as reported.
    package var happenedAt: Instant
    package var receivedAt: Instant
    package var zone: Zone
    /// Skew of the device's clock in milliseconds: received_at − client_now.
    package var skewMs: Int64
    package var occasion: OccasionID?
    package var questionnaire: String?
    /// The feature of the study, the content collection and its item that the event is about; nil for none.
    package var feature: String?
    package var collection: String?
    package var item: String?
    /// How long it lasted; nil if the event has no duration.
    package var seconds: Double?
    package var properties: JSON?
    /// SHA-256 of the canonical body.
    package var digest: [UInt8]
    /// The body as received. It is quarantined if another body has the same id.
    package var body: JSON

    package init(
        study: String, enrolment: EnrolmentID, id: UsageEventID, event: Event, happenedAt: Instant,
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
