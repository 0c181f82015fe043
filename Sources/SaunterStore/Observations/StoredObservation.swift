import Postgres
import SaunterCore

/// A stored observation.
package struct StoredObservation: Sendable {
    /// One component with the summary of its values.
    package struct Component: Sendable {
        package var code: ObservationCode?
        package var unit: String
        package var summary: ObservationSummary
    }

    /// The samples and the sender's data.
    package struct Detail: Sendable {
        package var device: JSON?
        package var provenance: JSON?
        package var detail: JSON?
        package var tMs: [Int]
        package var untilMs: [Int]?
        /// The values of each component, in the order of the components.
        package var values: [[Double?]]
    }

    package var id: ObservationID
    package var revision: Int
    package var code: ObservationCode
    package var startedAt: Instant
    package var endedAt: Instant
    package var receivedAt: Instant
    /// Skew of the device's clock in milliseconds. The instants above are as the device reported them.
    package var skewMs: Int64
    package var zone: Zone
    package var modality: Observation.Modality
    package var statistic: String?
    package var flags: [String]
    package var sampleCount: Int
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
