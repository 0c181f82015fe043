import Foundation
import SaunterCore

/// A walk as recorded by a watch, with a sample every five seconds.
struct SimulatedWalk {
    /// The interval between two samples in milliseconds.
    private static let stepMs = 5000

    let startedAt: Instant
    let endedAt: Instant
    let body: JSON

    /// - Parameters:
    ///   - target: the target speed of the calibration in km/h. If the watch gives feedback, the walk has about this
    ///     speed.
    ///   - calibration: the id of the calibration; nil if there is none.
    init(
        by person: Person, at startedAt: Instant, target: Double?, hasFeedback: Bool, calibration: String?,
        numbers: SeededNumbers
    ) {
        var numbers = numbers
        let (minutes, pause) = Self.length(&numbers)
        let pauseAt = minutes * 60_000 / 2
        let usual = hasFeedback ? (target ?? 4) * 0.97 : person.ordinarySpeedKmh * 0.9
        let lengthMs = minutes * 60_000 + pause
        var series = MeasuredSeries(person: person, usualSpeed: usual, numbers: numbers)
        for time in stride(from: 0, through: lengthMs, by: Self.stepMs)
        where pause == 0 || time < pauseAt || time >= pauseAt + pause {
            series.sample(at: time, stepMs: Self.stepMs)
        }
        self.startedAt = startedAt
        endedAt = startedAt.adding(milliseconds: Int64(lengthMs))
        let pauses: [JSON] =
            pause == 0
            ? []
            : [
                [
                    "from": .string(startedAt.adding(milliseconds: Int64(pauseAt)).description),
                    "to": .string(startedAt.adding(milliseconds: Int64(pauseAt + pause)).description),
                ]
            ]
        body = [
            "started_at": .string(startedAt.description), "ended_at": .string(endedAt.description),
            "time_zone": .string(person.zone.id), "calibration_id": .optional(calibration, JSON.string),
            "device": ["model": "Simulated Watch", "software": "1.0"], "pauses": .array(pauses),
            "series": series.json,
        ]
    }

    /// How long before the action of a participant the walk begins, in seconds.
    static let leadSeconds = 2700

    /// Draws the minutes of walking and the milliseconds of the pause, 0 for none.
    private static func length(_ numbers: inout SeededNumbers) -> (minutes: Int, pauseMs: Int) {
        let minutes = Int.random(in: 12...32, using: &numbers)
        return (minutes, numbers.chance(0.4) ? Int.random(in: 60...180, using: &numbers) * 1000 : 0)
    }

    /// When a walk with these draws begins and ends, without its samples.
    /// - Parameter moment: the time of the participant's action.
    static func times(of moment: Instant, numbers: SeededNumbers) -> (startedAt: Instant, endedAt: Instant) {
        var numbers = numbers
        let startedAt = moment.adding(seconds: -leadSeconds)
        let (minutes, pauseMs) = length(&numbers)
        return (startedAt, startedAt.adding(milliseconds: Int64(minutes * 60_000 + pauseMs)))
    }

    /// The measured values. Speed and heart rate vary around their means.
    private struct MeasuredSeries {
        let person: Person
        let usualSpeed: Double
        var numbers: SeededNumbers
        var speed: Double
        var heart: Double
        var distance = 0.0
        var energy = 0.0
        var times: [JSON] = []
        var columns: [String: [JSON]] = [:]

        init(person: Person, usualSpeed: Double, numbers: SeededNumbers) {
            self.person = person
            self.usualSpeed = usualSpeed
            self.numbers = numbers
            speed = usualSpeed * 0.8
            heart = person.restingHeartRate + 12
        }

        mutating func sample(at time: Int, stepMs: Int) {
            let seconds = Double(stepMs) / 1000
            speed += 0.25 * (usualSpeed - speed) + numbers.number(around: 0, spread: 0.12)
            speed = min(9, max(0.5, speed))
            heart +=
                0.06 * (person.restingHeartRate + 8 * speed - heart) + numbers.number(around: 0, spread: 0.8)
            if time > 0 {
                distance += speed / 3.6 * seconds
                energy += (0.6 * speed + 0.4) * seconds / 60
            }
            times.append(.int(time))
            add("speed_kmh", .double((speed * 100).rounded() / 100))
            // The sensor sometimes loses contact, so 1 % of the heart rates are blank.
            add("heart_rate_bpm", numbers.chance(0.01) ? .null : .int(Int(heart.rounded())))
            add("distance_m", .double((distance * 10).rounded() / 10))
            add("active_energy_kcal", .double((energy * 100).rounded() / 100))
        }

        private mutating func add(_ column: String, _ value: JSON) {
            columns[column, default: []].append(value)
        }

        var json: JSON {
            var object: JSONObject = ["t_ms": .array(times)]
            for (name, values) in columns.sorted(by: { $0.key < $1.key }) { object[name] = .array(values) }
            return .object(object)
        }
    }
}
