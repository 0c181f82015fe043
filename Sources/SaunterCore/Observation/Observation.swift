/// A series of measurements from outside the study's own app: a heart rate, a blood pressure, steps. Every
/// `Observation` is valid: its columns have equal lengths, its units are UCUM units, and its values fit the known range
/// of its code.
package struct Observation: Sendable, Hashable {
    /// One measured quantity, with one value for each time.
    package struct Component: Sendable, Hashable {
        /// Nil if the code of the observation itself describes the component.
        package var code: ObservationCode?
        /// The UCUM unit.
        package var unit: String
        /// One value for each time; nil if nothing was measured.
        package var values: [Double?]

        /// Creates a component without checking its unit and values.
        package init(code: ObservationCode? = nil, unit: String, values: [Double?]) {
            self.code = code
            self.unit = unit
            self.values = values
        }
    }

    /// How the values were obtained.
    package enum Modality: String, Sendable, Hashable, CaseIterable {
        case sensed
        case selfReported = "self_reported"
    }

    /// The code of the measured quantity.
    package let code: ObservationCode
    /// The start of the observation.
    package let startedAt: Instant
    /// The end of the observation. It is the same as the start for a single reading.
    package let endedAt: Instant
    /// How the values were obtained.
    package let modality: Modality
    /// The statistic that a value represents for its time span, such as `average`; nil for a single reading.
    package let statistic: String?
    /// The time of each value in milliseconds since the start, strictly increasing.
    package let tMs: [Int]
    /// The end of the time span of each value, in milliseconds since the start, such as for steps per hour. Nil for
    /// readings.
    package let untilMs: [Int]?
    /// One component, or several that are measured together, such as systolic and diastolic pressure.
    package let components: [Component]

    /// The maximum duration of a series: 14 days. A client splits a longer series into several observations.
    package static let maximumLengthMs: Int64 = 14 * 86_400_000
    /// The maximum time span of a single value, such as a monthly mean: 366 days.
    package static let maximumSpanMs: Int64 = 366 * 86_400_000
    /// The maximum number of times.
    package static let maximumSamples = 100_000
    /// The maximum number of components.
    package static let maximumComponents = 8
    /// The maximum revision number. A client increases the revision when it submits the observation with other content.
    package static let maximumRevision = 1_000_000
    /// The maximum number of values of all components together.
    package static let maximumValues = 200_000
    /// The maximum magnitude of a value without a known range.
    private static let largest = 1e15

    /// Creates a valid observation.
    /// - Parameter pointers: returns the pointer of a component in the body, for faults.
    /// - Throws: all faults, at most 100.
    package init(
        code: ObservationCode, startedAt: Instant, endedAt: Instant, modality: Modality = .sensed,
        statistic: String? = nil, tMs: [Int], untilMs: [Int]? = nil, components: [Component],
        pointers: (Int) -> String = { "/components/\($0)" }
    ) throws(Faults) {
        var faults = FaultCollector(limit: FaultCollector.maximumRecordCount)
        code.check(pointer: "/code", faults: &faults)
        let length = endedAt.milliseconds(since: startedAt)
        if length < 0 {
            faults.add("/ended_at", "ends_before_start", "The end cannot be before the start.")
        } else if length > (tMs.count == 1 ? Self.maximumSpanMs : Self.maximumLengthMs) {
            faults.add(
                "/ended_at", "too_long",
                "A series spans at most 14 days, and a single value at most 366 days.")
        }
        Self.check(tMs, until: untilMs, lengthMs: max(0, length), &faults)
        if components.isEmpty || components.count > Self.maximumComponents {
            faults.add(
                "/components", "wrong_count",
                "The number of components must be from 1 to \(Self.maximumComponents).")
        } else if components.count * tMs.count > Self.maximumValues {
            faults.add("/components", "too_many", "The maximum is \(Self.maximumValues) values.")
        } else {
            for (index, component) in components.enumerated() {
                component.check(
                    of: code, count: tMs.count, largest: Self.largest, pointer: pointers(index),
                    faults: &faults)
            }
            if components.count > 1,
                Set(components.map { [$0.code?.system, $0.code?.code] }).count < components.count
            {
                faults.add("/components", "given_twice", "Each component must have its own code.")
            }
            if !components.contains(where: { $0.values.contains { $0 != nil } }) {
                faults.add("/components", "empty", "At least one value is required.")
            }
        }
        try faults.check()
        self.code = code
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.modality = modality
        self.statistic = statistic
        self.tMs = tMs
        self.untilMs = untilMs
        self.components = components
    }

    private static func check(
        _ times: [Int], until: [Int]?, lengthMs: Int64, _ faults: inout FaultCollector
    ) {
        guard (1...maximumSamples).contains(times.count) else {
            faults.add("/t_ms", "wrong_count", "The number of times must be from 1 to \(maximumSamples).")
            return
        }
        for (index, time) in times.enumerated() {
            if time < 0 || Int64(time) > min(lengthMs, maximumLengthMs) {
                faults.add("/t_ms/\(index)", "outside", "The time of a sample must be between start and end.")
            } else if index > 0, time <= times[index - 1] {
                faults.add("/t_ms/\(index)", "not_increasing", "The times of samples must increase.")
            }
        }
        guard let until else { return }
        guard until.count == times.count else {
            faults.add(
                "/until_ms", "unequal_length", "The list has \(until.count) values for \(times.count) times.")
            return
        }
        for (index, end) in until.enumerated() where end < times[index] || Int64(end) > lengthMs {
            faults.add(
                "/until_ms/\(index)", "outside",
                "A time span must end between its beginning and the end of the observation.")
        }
    }
}

extension Observation.Component {
    fileprivate func check(
        of observationCode: ObservationCode, count: Int, largest: Double, pointer: String,
        faults: inout FaultCollector
    ) {
        code?.check(pointer: "\(pointer)/code", faults: &faults)
        do throws(UCUMUnit.Fault) {
            _ = try UCUMUnit(unit)
        } catch {
            faults.add("\(pointer)/unit", "not_a_unit", error.sentence)
        }
        let known = MeasuredQuantity.of(code ?? observationCode)
        if let known, !known.units.contains(where: { UCUMUnit.areEquivalent($0, unit) }) {
            faults.add(
                "\(pointer)/unit", "wrong_unit",
                "The unit of this code must be \(known.units.joined(separator: " or ")).")
        }
        guard values.count == count else {
            faults.add(
                "\(pointer)/values", "unequal_length",
                "The list has \(values.count) values for \(count) times.")
            return
        }
        let range = known?.range ?? -largest...largest
        for case (let index, let value?) in values.enumerated() where !range.contains(value) {
            if faults.isFull { return }
            faults.add(
                "\(pointer)/values/\(index)", value.isFinite ? "out_of_range" : "not_finite",
                "The value must be between \(range.lowerBound) and \(range.upperBound).")
        }
    }
}
