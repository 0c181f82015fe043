import SaunterCore

/// A validated observation to be stored.
package struct ObservationSubmission: Sendable {
    package var enrolment: EnrolmentID
    /// The code of the study. The batching queue serves studies round-robin.
    package var study: String
    package var id: ObservationID
    /// A higher revision replaces a lower one.
    package var revision: Int
    package var observation: Observation
    package var zone: Zone
    /// Minutes east of UTC at the start, as the sender reported them; nil: the offset of the zone.
    package var offsetMin: Int?
    package var device: JSON?
    /// The provenance in the header of a data point.
    package var provenance: JSON?
    /// Further members of a data point's body.
    package var detail: JSON?
    package var flags: [String]
    /// Skew of the device's clock in milliseconds: received_at − client_now. Instants are stored as the device reported
    /// them.
    package var skewMs: Int64
    package var receivedAt: Instant
    package var digest: [UInt8]
    package var body: JSON

    package init(
        enrolment: EnrolmentID, study: String, id: ObservationID, revision: Int = 1,
        observation: Observation, zone: Zone,
        offsetMin: Int? = nil,
        device: JSON? = nil, provenance: JSON? = nil, detail: JSON? = nil, flags: [String] = [],
        skewMs: Int64 = 0,
        receivedAt: Instant, digest: [UInt8], body: JSON
    ) {
        self.enrolment = enrolment
        self.study = study
        self.id = id
        self.revision = revision
        self.observation = observation
        self.zone = zone
        self.offsetMin = offsetMin
        self.device = device
        self.provenance = provenance
        self.detail = detail
        self.flags = flags
        self.skewMs = skewMs
        self.receivedAt = receivedAt
        self.digest = digest
        self.body = body
    }
}
