import SaunterCore

/// An observation on its way into the database, checked.
package struct ObservationSubmission: Sendable {
    package var enrolment: EnrolmentID
    /// Its enrolment's; studies take turns.
    package var study: String
    package var id: ObservationID
    /// A higher one takes the place of what is stored.
    package var revision: Int
    package var observation: Observation
    package var zone: Zone
    /// Minutes east of UTC at the start, where the sender says it; nil takes the zone's.
    package var offsetMin: Int?
    package var device: JSON?
    /// What a data point's header says of where it came from.
    package var provenance: JSON?
    /// What a data point says beside its numbers.
    package var detail: JSON?
    package var flags: [String]
    /// Our clock against the device's; corrected times are what the device says and this.
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
