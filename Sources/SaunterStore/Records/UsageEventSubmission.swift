import SaunterCore

/// A validated usage event of the app to be stored.
package struct UsageEventSubmission: Sendable {
    /// The kinds of usage events.
    package enum Event: String, Sendable, CaseIterable {
        case appOpened = "app_opened"
        case appClosed = "app_closed"
        case screenSeen = "screen_seen"
        case promptDelivered = "prompt_delivered"
        case promptOpened = "prompt_opened"
        case promptDismissed = "prompt_dismissed"
        case sheetBegun = "sheet_begun"
        case sheetLeft = "sheet_left"
        case permissionChanged = "permission_changed"
        case appUpdated = "app_updated"
    }

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
    package var properties: JSON?
    /// SHA-256 of the canonical body.
    package var digest: [UInt8]
    /// The body as received. It is quarantined if another body has the same id.
    package var body: JSON

    package init(
        study: String, enrolment: EnrolmentID, id: UsageEventID, event: Event, happenedAt: Instant,
        receivedAt: Instant, zone: Zone, skewMs: Int64 = 0, occasion: OccasionID? = nil,
        questionnaire: String? = nil, properties: JSON? = nil, digest: [UInt8], body: JSON
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
        self.properties = properties
        self.digest = digest
        self.body = body
    }
}
