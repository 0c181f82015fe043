import Postgres
import SaunterCore

/// A stored observation.
package struct StoredObservation: Sendable {
    /// One component with the summary of its values.
    package struct Component: Sendable {
        /// The code of the component; nil if the observation has only one.
        package var code: ObservationCode?
        /// A UCUM unit.
        package var unit: String
        /// Count, minimum, maximum and mean of the values.
        package var summary: ObservationSummary
    }

    /// The samples and the sender's data.
    package struct Detail: Sendable {
        /// What the sender stated about the device; nil if it stated nothing.
        package var device: JSON?
        /// The provenance of a data point's header; nil for other observations.
        package var provenance: JSON?
        /// Further members of a data point's body; nil if there are none.
        package var detail: JSON?
        /// The time of each sample, in milliseconds since the start.
        package var tMs: [Int]
        /// The end of each sample, in milliseconds since the start; nil if samples have no duration.
        package var untilMs: [Int]?
        /// The values of each component, in the order of the components.
        package var values: [[Double?]]
    }

    /// The UUID that the sender generated.
    package var id: ObservationID
    /// The highest revision that arrived, from 1.
    package var revision: Int
    /// What was observed.
    package var code: ObservationCode
    /// When the observation began, by the device's clock, uncorrected.
    package var startedAt: Instant
    /// When the observation ended, by the device's clock, uncorrected.
    package var endedAt: Instant
    /// When the server received this revision.
    package var receivedAt: Instant
    /// Skew of the device's clock in milliseconds. `startedAt` and `endedAt` are not corrected by it.
    package var skewMs: Int64
    /// The participant's time zone during the observation.
    package var zone: Zone
    /// Whether a sensor measured the values or the participant entered them.
    package var modality: Observation.Modality
    /// The statistic of the values, such as `sum`; nil for single values.
    package var statistic: String?
    /// Codes of what is unusual, such as `before_enrolment`.
    package var flags: [String]
    /// The number of samples, which is equal for all components.
    package var sampleCount: Int
    /// In the order of the submission.
    package var components: [Component]
    /// Present only if the observation was read with its samples.
    package var detail: Detail?

    init(_ row: Row) throws {
        id = try row.id("observation_id")
        revision = try row.get("revision")
        code = ObservationCode(
            system: try row.get("system"), code: try row.get("code"),
            display: try row.getOptional("display", as: String.self))
        startedAt = try row.instant("started_at")
        endedAt = try row.instant("ended_at")
        receivedAt = try row.instant("received_at")
        skewMs = try row.get("skew_ms")
        zone = try row.zone("zone")
        modality = try row.value("modality")
        statistic = try row.getOptional("statistic", as: String.self)
        flags = try row.get("flags")
        sampleCount = try row.get("samples_count")
        components = try Self.components(row)
    }

    private static func components(_ row: Row) throws -> [Component] {
        let systems: [String?] = try row.get("component_systems")
        let codes: [String?] = try row.get("component_codes")
        let displays: [String?] = try row.get("component_displays")
        let units: [String] = try row.get("units")
        let counts: [Int] = try row.get("counts")
        let minima: [Double?] = try row.get("minima")
        let maxima: [Double?] = try row.get("maxima")
        let means: [Double?] = try row.get("means")
        let lengths = [
            systems.count, codes.count, displays.count, counts.count, minima.count, maxima.count, means.count,
        ]
        guard lengths.allSatisfy({ $0 == units.count }) else { throw StoredValueFault(column: "units") }
        return units.indices.map { index in
            var code: ObservationCode?
            if let system = systems[index], let name = codes[index] {
                code = ObservationCode(system: system, code: name, display: displays[index])
            }
            return Component(
                code: code, unit: units[index],
                summary: ObservationSummary(
                    count: counts[index], minimum: minima[index], maximum: maxima[index], mean: means[index]))
        }
    }

    mutating func readDetail(_ row: Row) throws {
        let times: [Int] = try row.get("t_ms")
        let samples: [Double?] = try row.get("samples")
        guard samples.count == times.count * components.count else {
            throw StoredValueFault(column: "samples")
        }
        func json(_ column: String) throws -> JSON? {
            try row.getOptional(column, as: String.self).map { try JSONReader.read($0) }
        }
        detail = Detail(
            device: try json("device"), provenance: try json("provenance"), detail: try json("detail"),
            tMs: times, untilMs: try row.getOptional("until_ms", as: [Int].self),
            values: components.indices.map { Array(samples[($0 * times.count)..<(($0 + 1) * times.count)]) })
    }
}
