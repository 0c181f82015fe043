import SaunterCore

@testable import SaunterServer

/// The body of a walk of ten minutes that ends at the time of the fixture, with a pause from minute 4 to minute 6.
enum SampleWalk {
    static let elapsedSeconds = 600
    static let startedAt = ServerFixture.now.adding(seconds: -elapsedSeconds)

    /// Every 10 s before the pause, and every 20 s after it.
    static let series: JSON = {
        let before = Array(stride(from: 0, through: 240, by: 10))
        let after = Array(stride(from: 360, through: 600, by: 20))
        let speeds = before.map { JSON.double($0 == 100 ? 4.2 : 3.6) } + after.map { _ in 4.5 }
        let rates = before.map { _ in JSON.int(100) } + after.map { .int($0 == 400 ? 130 : 120) }
        let distances = before.map(Double.init) + after.map { 240 + 1.25 * Double($0 - 360) }
        let energies = before.map { Double($0) * 0.05 } + after.map { Double($0 - 120) * 0.05 }
        return [
            "t_ms": .array((before + after).map { .int($0 * 1000) }), "speed_kmh": .array(speeds),
            "heart_rate_bpm": .array(rates), "distance_m": .array(distances.map(JSON.double)),
            "active_energy_kcal": .array(energies.map(JSON.double)),
        ]
    }()

    static func body(_ changes: JSON = [:]) -> JSON {
        let body: JSON = [
            "started_at": instant(0), "ended_at": instant(elapsedSeconds), "pauses": [pause(240, 360)],
            "time_zone": .string(ServerFixture.zone.id), "device": ["model": "Paper Watch"],
            "series": series,
        ]
        return body.with(changes)
    }

    /// The walk with another value at an index of a column.
    static func body(column: String, _ index: Int, _ value: JSON) -> JSON {
        let values = series[column] ?? []
        return body(["series": series.with([column: values.replacing(index, with: value)])])
    }

    /// A pause, in seconds after the start of the walk.
    static func pause(_ from: Int, _ to: Int) -> JSON { ["from": instant(from), "to": instant(to)] }

    /// An instant in seconds after the start of the walk.
    static func instant(_ seconds: Int) -> JSON { .instant(startedAt.adding(seconds: seconds)) }
}
