import SaunterCore

@testable import SaunterRecordings

extension Recording {
    init(_ text: String) throws {
        try self.init(.bytes(Array(text.utf8)))
    }
}

extension RecordedWalk {
    var pausesMs: [[Int64]] {
        pauses.map { [$0.from.milliseconds(since: startedAt), $0.to.milliseconds(since: startedAt)] }
    }

    /// The summary that the server calculates.
    func summary() throws -> WalkSummary {
        let body = json(zone: .utc)
        let series = body["series"]
        let pauses = (body["pauses"]?.array ?? []).compactMap { pause -> WalkPause? in
            guard let from = pause["from"]?.string.flatMap({ Instant($0) }),
                let to = pause["to"]?.string.flatMap({ Instant($0) })
            else { return nil }
            return WalkPause(from: from, to: to)
        }
        func column(_ name: String) -> [Double?]? { series?[name]?.array?.map(\.double) }
        return WalkSummary(
            of: try Walk(
                startedAt: startedAt, endedAt: endedAt, pauses: pauses,
                series: WalkSeries(
                    tMs: series?["t_ms"]?.array?.compactMap(\.int) ?? [], speedKmh: column("speed_kmh"),
                    heartRateBpm: column("heart_rate_bpm"), distanceM: column("distance_m"))))
    }
}
