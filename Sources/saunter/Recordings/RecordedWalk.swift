import SaunterCore

/// A walk as a device recorded it, before it becomes the API's.
struct RecordedWalk {
    struct Point {
        var at: Instant
        var distanceM: Double?
        var heartRateBpm: Double?
        var speedKmh: Double?
    }

    struct Totals {
        var distanceM: Double?
        var activeEnergyKcal: Double?
    }

    var startedAt: Instant
    var endedAt: Instant
    var pauses: [(from: Instant, to: Instant)]
    /// What the device reckoned itself.
    var totals: Totals
    /// In any order; the same moment may come twice, as at the edge of two laps.
    var points: [Point]
    /// What could not be used, for the person who imports.
    var remarks: [String] = []

    /// The body of `PUT …/walks/{walk_id}`.
    func json(zone: Zone) -> JSON {
        let series = series
        var body: JSONObject = [
            "started_at": .string(startedAt.description), "ended_at": .string(endedAt.description),
            "time_zone": .string(zone.id),
            "pauses": .array(
                pauses.map { ["from": .string($0.from.description), "to": .string($0.to.description)] }),
            "totals": [
                "distance_m": .optional(totals.distanceM, JSON.double),
                "active_energy_kcal": .optional(totals.activeEnergyKcal, JSON.double),
            ],
        ]
        if !series.isEmpty { body["series"] = json(series) }
        return .object(body)
    }

    /// One sample for each moment within the walk, in order; distance never falls.
    private var series: [Point] {
        var merged: [Point] = []
        for point in points.sorted(by: { $0.at < $1.at }) where startedAt <= point.at && point.at <= endedAt {
            if let last = merged.last, last.at == point.at {
                merged[merged.count - 1].distanceM = last.distanceM ?? point.distanceM
                merged[merged.count - 1].heartRateBpm = last.heartRateBpm ?? point.heartRateBpm
                merged[merged.count - 1].speedKmh = last.speedKmh ?? point.speedKmh
            } else {
                merged.append(point)
            }
        }
        var farthest = 0.0
        for index in merged.indices {
            if let distance = merged[index].distanceM {
                if distance < farthest { merged[index].distanceM = nil }
                farthest = max(farthest, distance)
            }
            if !(20...255).contains(merged[index].heartRateBpm ?? 0) { merged[index].heartRateBpm = nil }
            if !(0...50).contains(merged[index].speedKmh ?? -1) { merged[index].speedKmh = nil }
        }
        return merged
    }

    private func json(_ series: [Point]) -> JSON {
        var object: JSONObject = [
            "t_ms": .array(series.map { .int(Int($0.at.milliseconds(since: startedAt))) })
        ]
        func add(_ name: String, _ value: (Point) -> Double?) {
            let column = series.map(value)
            guard column.contains(where: { $0 != nil }) else { return }
            object[name] = .array(column.map { .optional($0, JSON.double) })
        }
        add("distance_m", \.distanceM)
        add("heart_rate_bpm", \.heartRateBpm)
        add("speed_kmh", \.speedKmh)
        return .object(object)
    }
}
