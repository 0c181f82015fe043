import Foundation
import SaunterCore

/// Parses times, numbers and devices of a HealthKit export.
enum HealthKitText {
    /// `2026-05-01 08:00:00 +0200`; nil for anything else.
    static func instant(_ text: String?) -> Instant? {
        guard let bytes = text?.utf8, bytes.count == 25 else { return nil }
        let all = Array(bytes)
        guard all[10] == 0x20, all[19] == 0x20 else { return nil }
        func part(_ range: Range<Int>) -> String { String(decoding: all[range], as: UTF8.self) }
        return Instant("\(part(0..<10))T\(part(11..<19))\(part(20..<23)):\(part(23..<25))")
    }

    /// A finite number multiplied by the factor of its unit; nil for an unknown unit.
    static func number(_ text: String?, _ unit: String?, _ factors: [String: Double]) -> Double? {
        guard let value = text.flatMap({ Double(trimmed: $0) }), let factor = unit.flatMap({ factors[$0] })
        else { return nil }
        return value * factor
    }

    // The factors that convert the units of an export to the unit in the name.

    static let metres: [String: Double] = [
        "m": 1, "km": 1000, "cm": 0.01, "mi": 1609.344, "yd": 0.9144, "ft": 0.3048,
    ]
    static let kilocalories: [String: Double] = [
        "kcal": 1, "Cal": 1, "cal": 0.001, "kJ": 1 / 4.184, "J": 0.001 / 4.184,
    ]
    static let beatsPerMinute: [String: Double] = ["count/min": 1, "count/s": 60]
    static let kilometresPerHour: [String: Double] = [
        "km/hr": 1, "m/s": 3.6, "mi/hr": 1.609344, "ft/s": 1.09728,
    ]
    static let seconds: [String: Double] = ["min": 60, "s": 1, "hr": 3600, "ms": 0.001]

    /// The device: `<<HKDevice: 0x1>, name:…, manufacturer:Apple Inc., model:Watch, software:9.0>`. Its name is not
    /// read, because the owner chose it.
    static func device(_ text: String?) -> RecordedWalk.Device? {
        guard let text, text.utf8.count <= 4096 else { return nil }
        var device = RecordedWalk.Device()
        for part in text.filter({ $0 != ">" }).components(separatedBy: ", ") {
            let halves = part.split(separator: ":", maxSplits: 1).map { $0.drop { $0 == " " } }
            guard halves.count == 2 else { continue }
            let value = String(halves[1])
            switch halves[0] {
            case "manufacturer": device.manufacturer = value
            case "model": device.model = device.model ?? value
            // The exact model, such as Watch6,1.
            case "hardware": device.model = value
            case "software": device.software = value
            default: break
            }
        }
        return device
    }
}
