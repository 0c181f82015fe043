/// A series that something other than the study's own app measured: a heart rate, a blood pressure, steps. A held observation is
/// sound: its columns fit its times, its units are units, and what is known of its code holds.
package struct Observation: Sendable, Hashable {
    /// One thing that was measured at each time.
    package struct Component: Sendable, Hashable {
        /// Nil where the observation's own code says it all.
        package var code: ObservationCode?
        /// UCUM.
        package var unit: String
        /// One for each time; nil where nothing was measured.
        package var values: [Double?]

        package init(code: ObservationCode? = nil, unit: String, values: [Double?]) {
            self.code = code
            self.unit = unit
            self.values = values
        }
    }

    /// Who says so.
    package enum Modality: String, Sendable, Hashable, CaseIterable {
        case sensed
        case selfReported = "self_reported"
    }

    package let code: ObservationCode
    package let startedAt: Instant
    /// Not before the start; the same for a single reading.
    package let endedAt: Instant
    package let modality: Modality
    /// What a value is of its span, such as `average`; nil for a reading.
    package let statistic: String?
    /// Milliseconds since the start, increasing.
    package let tMs: [Int]
    /// To when each value holds, where it is of a span: steps of an hour.
    package let untilMs: [Int]?
    /// One, or the parts of what is measured together, such as the two pressures of blood.
    package let components: [Component]

    /// Fourteen days for a series; whoever has more sends several.
    package static let maximumLengthMs: Int64 = 14 * 86_400_000
    /// A year for a single value, such as the mean of a month.
    package static let maximumSpanMs: Int64 = 366 * 86_400_000
    package static let maximumSamples = 100_000
    package static let maximumComponents = 8
    /// How often a source may say anew what it measured.
    package static let maximumRevision = 1_000_000
    /// Values of all components together.
    package static let maximumValues = 200_000
    /// Beyond it no quantity of a body lies, in any of the units.
    private static let largest = 1e12

    /// Names every fault, up to a hundred.
    package init(
        code: ObservationCode, startedAt: Instant, endedAt: Instant, modality: Modality = .sensed,
        statistic: String? = nil, tMs: [Int], untilMs: [Int]? = nil, components: [Component],
        pointers: (Int) -> String = { "/components/\($0)" }
    ) throws(Faults) {
        var faults = WalkFaults()
        code.check(pointer: "/code", faults: &faults)
        let length = endedAt.milliseconds(since: startedAt)
        if length < 0 {
            faults.add("/ended_at", "ends_before_start", "It cannot end before it starts.")
        } else if length > (tMs.count == 1 ? Self.maximumSpanMs : Self.maximumLengthMs) {
            faults.add("/ended_at", "too_long", "A series spans 14 days at most, a single value 366.")
        }
        Self.check(tMs, until: untilMs, lengthMs: max(0, length), &faults)
        if components.isEmpty || components.count > Self.maximumComponents {
            faults.add("/components", "wrong_count", "There are 1 to \(Self.maximumComponents) components.")
        } else if components.count * tMs.count > Self.maximumValues {
            faults.add("/components", "too_many", "There are at most \(Self.maximumValues) values.")
        } else {
            for (place, component) in components.enumerated() {
                component.check(
                    of: code, count: tMs.count, largest: Self.largest, pointer: pointers(place),
                    faults: &faults)
            }
            if components.count > 1,
                Set(components.map { [$0.code?.system, $0.code?.code] }).count < components.count
            {
                faults.add("/components", "given_twice", "Components have a code each, and no two the same.")
            }
            if !components.contains(where: { $0.values.contains { $0 != nil } }) {
                faults.add("/components", "empty", "Nothing was measured.")
            }
        }
        try faults.throwAny()
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
        _ times: [Int], until: [Int]?, lengthMs: Int64, _ faults: inout WalkFaults
    ) {
        guard (1...maximumSamples).contains(times.count) else {
            faults.add("/t_ms", "wrong_count", "There are 1 to \(maximumSamples) times.")
            return
        }
        for (index, time) in times.enumerated() {
            if time < 0 || Int64(time) > min(lengthMs, maximumLengthMs) {
                faults.add("/t_ms/\(index)", "outside", "A sample lies between start and end.")
            } else if index > 0, time <= times[index - 1] {
                faults.add("/t_ms/\(index)", "not_increasing", "Times of samples must increase.")
            }
        }
        guard let until else { return }
        guard until.count == times.count else {
            faults.add(
                "/until_ms", "unequal_length", "It has \(until.count) values for \(times.count) times.")
            return
        }
        for (index, end) in until.enumerated() where end < times[index] || Int64(end) > lengthMs {
            faults.add("/until_ms/\(index)", "outside", "A span ends after its beginning and by the end.")
        }
    }
}

extension Observation.Component {
    fileprivate func check(
        of whole: ObservationCode, count: Int, largest: Double, pointer: String, faults: inout WalkFaults
    ) {
        code?.check(pointer: "\(pointer)/code", faults: &faults)
        do throws(UCUMUnit.Fault) {
            _ = try UCUMUnit(unit)
        } catch {
            faults.add("\(pointer)/unit", "not_a_unit", error.sentence)
        }
        let known = MeasuredQuantity.of(code ?? whole)
        if let known, !known.units.contains(where: { UCUMUnit.isSame($0, unit) }) {
            faults.add(
                "\(pointer)/unit", "wrong_unit",
                "What this code names is measured in \(known.units.joined(separator: " or ")).")
        }
        guard values.count == count else {
            faults.add(
                "\(pointer)/values", "unequal_length", "It has \(values.count) values for \(count) times.")
            return
        }
        let range = known?.range ?? -largest...largest
        for case (let index, let value?) in values.enumerated() where !range.contains(value) {
            if faults.isFull { return }
            faults.add(
                "\(pointer)/values/\(index)", value.isFinite ? "out_of_range" : "not_finite",
                "It must be between \(range.lowerBound) and \(range.upperBound).")
        }
    }
}
