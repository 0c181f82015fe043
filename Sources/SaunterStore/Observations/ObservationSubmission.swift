import Foundation
import Postgres
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
    /// Whether a rule of the study depends on such records.
    package var affectsRules = false
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

extension ObservationSubmission: RowSubmission {
    package static var kind: SubmissionKind { .observation }
    package var recordID: UUID { id.uuid }
    package var quarantineKind: String { "observation" }
    // A sample of one component occupies 20 bytes.
    package var memory: Int { 20 * observation.tMs.count * observation.components.count + 1024 }
    var insertion: (Statement, Arguments) { (Statements.observations["insert_observation"], columns) }

    /// The arguments of `insert_observation`.
    private var columns: Arguments {
        let components = observation.components
        let summaries = components.map { ObservationSummary(of: $0.values) }
        func offset(_ moment: Instant) -> Int {
            offsetMin ?? zone.offset(at: moment) / 60
        }
        return [
            "enrolment_id": .id(enrolment), "observation_id": .id(id),
            "system": .text(observation.code.system),
            "code": .text(observation.code.code), "display": .text(observation.code.display),
            "started_at": .instant(observation.startedAt),
            "ended_at": .instant(observation.endedAt), "received_at": .instant(receivedAt),
            "zone": .text(zone.id),
            "started_offset_min": .int(offset(observation.startedAt)),
            "ended_offset_min": .int(offset(observation.endedAt)),
            "modality": .text(observation.modality.rawValue), "statistic": .text(observation.statistic),
            "device": .verbatim(device),
            "provenance": .verbatim(provenance), "detail": .verbatim(detail),
            "flags": .texts(flags),
            "component_systems": .texts(components.map { $0.code?.system }),
            "component_codes": .texts(components.map { $0.code?.code }),
            "component_displays": .texts(components.map { $0.code?.display }),
            "units": .texts(components.map(\.unit)),
            "t_ms": .ints(observation.tMs), "until_ms": .int8s(observation.untilMs?.map { Int64($0) }),
            "samples": .float8s(components.flatMap(\.values)), "counts": .ints(summaries.map(\.count)),
            "minima": .float8s(summaries.map(\.minimum)), "maxima": .float8s(summaries.map(\.maximum)),
            "means": .float8s(summaries.map(\.mean)), "body_sha256": .bytes(digest),
            "skew_ms": .int8(skewMs),
            "revision": .int(revision),
        ]
    }
}
