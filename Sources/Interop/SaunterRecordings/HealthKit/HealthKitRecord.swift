import SaunterCore

/// A record of an export that may belong to a walk.
struct HealthKitRecord {
    enum Kind {
        /// Beats per minute.
        case heartRate
        /// Metres that were covered in the time span of the record.
        case distance
        /// Kilometres per hour.
        case speed
    }

    let kind: Kind
    let sample: HealthKitWorkout.Sample
    let source: String

    /// Nil for records of other kinds, and for records without a time or number.
    init?(_ tag: XMLTag) {
        guard let type = tag["type"] else { return nil }
        let units: [String: Double]
        switch type {
        case "HKQuantityTypeIdentifierHeartRate": (kind, units) = (.heartRate, HealthKitText.beatsPerMinute)
        case "HKQuantityTypeIdentifierDistanceWalkingRunning":
            (kind, units) = (.distance, HealthKitText.metres)
        case "HKQuantityTypeIdentifierWalkingSpeed", "HKQuantityTypeIdentifierRunningSpeed":
            (kind, units) = (.speed, HealthKitText.kilometresPerHour)
        default: return nil
        }
        guard let value = HealthKitText.number(tag["value"], tag["unit"], units),
            let from = HealthKitText.instant(tag["startDate"]),
            let to = HealthKitText.instant(tag["endDate"]), from <= to
        else { return nil }
        sample = HealthKitWorkout.Sample(from: from, to: to, value: value)
        source = tag["sourceName"] ?? ""
    }
}
