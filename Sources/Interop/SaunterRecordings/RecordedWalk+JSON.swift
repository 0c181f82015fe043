import Crypto
import Foundation
import SaunterCore

extension RecordedWalk {
    /// The request body of `PUT …/walks/{walk_id}`.
    package func json(zone: Zone) -> JSON {
        var body = body(zone: zone, samples)
        if let sport { body["sport"] = .string(sport.rawValue) }
        return .object(body)
    }

    private func body(zone: Zone, _ samples: [Point]) -> JSONObject {
        var body: JSONObject = [
            "started_at": .string(startedAt.description), "ended_at": .string(endedAt.description),
            "time_zone": .string(zone.id),
            "pauses": .array(
                effectivePauses.map {
                    ["from": .string($0.from.description), "to": .string($0.to.description)]
                }),
            "totals": totalsJSON,
        ]
        if let device = deviceJSON { body["device"] = device }
        if !samples.isEmpty { body["series"] = series(samples) }
        return body
    }

    /// The id of the walk: a UUID of version 7 whose random part is a digest of the recording without its sport. It is
    /// the same for every import of the same recording, in every time zone.
    package var id: WalkID {
        let identity: JSON =
            stableName.map {
                .array([.string($0), .string(startedAt.description), .string(endedAt.description)])
            } ?? .object(body(zone: .utc, measured))
        let digest = Array(SHA256.hash(data: identity.canonicalBytes))
        let time = UInt64(clamping: startedAt.milliseconds)
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: time >> UInt64(40 - 8 * $0)) } + digest.prefix(10)
        bytes[6] = bytes[6] & 0x0F | 0x70
        bytes[8] = bytes[8] & 0x3F | 0x80
        return WalkID(
            UUID(
                uuid: (
                    bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
                    bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
                )))
    }

    /// The parts of the pauses inside the walk. If pauses overlap, they are merged. Otherwise all pauses stay as they
    /// were recorded, because the ids of stored walks depend on them.
    private var effectivePauses: [WalkPause] {
        let inner = pauses.compactMap { pause -> WalkPause? in
            let (from, to) = (max(pause.from, startedAt), min(pause.to, endedAt))
            return from < to ? WalkPause(from: from, to: to) : nil
        }
        return inner.hasOverlap ? inner.union : inner
    }

    private var totalsJSON: JSON {
        func known(_ value: Double?, _ range: ClosedRange<Double>) -> JSON {
            .optional(value.flatMap { range.contains($0) ? $0 : nil }, JSON.double)
        }
        var object: JSONObject = [
            "distance_m": known(totals.distanceM, 0...1_000_000),
            "active_energy_kcal": known(totals.activeEnergyKcal, 0...1_000_000),
        ]
        if totals.meanHeartRateBpm != nil {
            object["mean_heart_rate_bpm"] = known(totals.meanHeartRateBpm, 20...255)
        }
        if totals.maxHeartRateBpm != nil {
            object["max_heart_rate_bpm"] = known(totals.maxHeartRateBpm, 20...255)
        }
        return .object(object)
    }

    private var deviceJSON: JSON? {
        guard let device else { return nil }
        var object = JSONObject()
        for (name, value) in [
            ("manufacturer", device.manufacturer), ("model", device.model), ("software", device.software),
        ] {
            guard let value, !value.isEmpty else { continue }
            object[name] = .string(
                String(value.unicodeScalars.filter { $0.value >= 0x20 }.prefix(200).map { Character($0) }))
        }
        return object.isEmpty ? nil : .object(object)
    }

    private func series(_ samples: [Point]) -> JSON {
        var object: JSONObject = [
            "t_ms": .array(samples.map { .int(Int($0.at.milliseconds(since: startedAt))) })
        ]
        func add(_ name: String, _ value: (Point) -> Double?) {
            let column = samples.map(value)
            guard column.contains(where: { $0 != nil }) else { return }
            object[name] = .array(column.map { .optional($0, JSON.double) })
        }
        add("distance_m", \.distanceM)
        add("heart_rate_bpm", \.heartRateBpm)
        add("speed_kmh", \.speedKmh)
        return .object(object)
    }
}
