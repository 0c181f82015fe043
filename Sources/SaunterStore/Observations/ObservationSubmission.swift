import SaunterCore

/// A validated observation to be stored.
package struct ObservationSubmission: Sendable {
    /// The enrolment under which the observation is submitted.
    package var enrolment: EnrolmentID
    /// The code of the study. The batching queue serves studies round-robin.
    package var study: String
    /// The UUID that the sender generated.
    package var id: ObservationID
    /// A higher revision replaces a lower one.
    package var revision: Int
    /// The code, times and values, in units that the code permits.
    package var observation: Observation
    /// The participant's time zone during the observation.
    package var zone: Zone
    /// Minutes east of UTC at the start, as the sender reported them; nil: the offset of the zone.
    package var offsetMin: Int?
    /// What the sender stated about the device; nil if it stated nothing.
    package var device: JSON?
    /// The provenance in the header of a data point.
    package var provenance: JSON?
    /// Further members of a data point's body.
    package var detail: JSON?
    /// Codes of what is unusual, such as `before_enrolment`.
    package var flags: [String]
    /// Skew of the device's clock in milliseconds: received_at − client_now. Instants are stored as the device reported
    /// them.
    package var skewMs: Int64
    /// When the server received it, by the server's clock.
    package var receivedAt: Instant
    /// SHA-256 of the canonical body.
    package var digest: [UInt8]
    /// The body as received. It is quarantined if another body has the same id and revision.
    package var body: JSON

    /// Creates a submission. The defaults are those of an observation without provenance, by a correct clock.
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
