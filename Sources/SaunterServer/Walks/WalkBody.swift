import SaunterCore
import SaunterStore

/// The wire shape of a walk. The schema has been checked before.
struct WalkBody {
    private static let samples = Schema.array(of: .nullable(.number()), max: WalkSeries.maximumSamples)

    static let schema = Schema.named(
        "Walk",
        .object([
            .required("started_at", .instant), .required("ended_at", .instant), .required("time_zone", .zone),
            .optional("client_now", .instant), .optional("device", .map(of: .any), "Make, model, software."),
            .optional("calibration_id", .nullable(.id), "Left out: the calibration in force at the start."),
            .optional(
                "pauses",
                .array(
                    of: .object([.required("from", .instant), .required("to", .instant)]),
                    max: Walk.maximumPauses)),
            .optional(
                "totals",
                .nullable(
                    .object([
                        .optional("distance_m", .nullable(.number(min: 0))),
                        .optional("active_energy_kcal", .nullable(.number(min: 0))),
                        .optional("mean_heart_rate_bpm", .nullable(.number(min: 0))),
                        .optional("max_heart_rate_bpm", .nullable(.number(min: 0))),
                    ])), "What the device reckons itself; used where there is no series."),
            .optional(
                "series",
                .nullable(
                    .object([
                        .required(
                            "t_ms", .array(of: .integer(), max: WalkSeries.maximumSamples),
                            "Milliseconds since the start, increasing. All series have one value, or null, per time."
                        ),
                        .optional("speed_kmh", .nullable(samples)),
                        .optional("heart_rate_bpm", .nullable(samples)),
                        .optional(
                            "distance_m", .nullable(samples),
                            "Metres since the start. A first value that nobody can have covered by then is an odometer's, of which only the growth counts."
                        ),
                        .optional("active_energy_kcal", .nullable(samples), "Kilocalories since the start."),
                    ]))),
        ]))

    var zone: Zone
    var device: JSON?
    var calibration: CalibrationID?
    var walk: Walk
    var clientNow: Instant?
    /// Without `client_now`, which a device says anew each time it sends.
    var digest: [UInt8]
    var json: JSON

    /// - Throws: every fault of the walk, or nothing else.
    init(_ body: JSON) throws(Faults) {
        guard var object = body.object, let startedAt = body["started_at"]?.string.flatMap({ Instant($0) }),
            let endedAt = body["ended_at"]?.string.flatMap({ Instant($0) }),
            let zone = body["time_zone"]?.string.flatMap({ Zone($0) })
        else { throw Faults([Fault(pointer: "", code: "unreadable", detail: "This is not a walk.")]) }
        self.zone = zone
        device = body["device"]
        clientNow = body["client_now"]?.string.flatMap { Instant($0) }
        calibration = body["calibration_id"]?.string.flatMap { CalibrationID($0) }
        let pauses = (body["pauses"]?.array ?? []).compactMap { pause -> WalkPause? in
            guard let from = pause["from"]?.string.flatMap({ Instant($0) }),
                let to = pause["to"]?.string.flatMap({ Instant($0) })
            else { return nil }
            return WalkPause(from: from, to: to)
        }
        walk = try Walk(
            startedAt: startedAt, endedAt: endedAt, pauses: pauses, totals: Self.totals(body["totals"]),
            series: Self.series(body["series"]))
        json = body
        object["client_now"] = nil
        digest = JSON.object(object).sha256
    }

    private static func totals(_ json: JSON?) -> WalkTotals? {
        guard let json, !json.isNull else { return nil }
        return WalkTotals(
            distanceM: json["distance_m"]?.double, activeEnergyKcal: json["active_energy_kcal"]?.double,
            meanHeartRateBpm: json["mean_heart_rate_bpm"]?.double,
            maxHeartRateBpm: json["max_heart_rate_bpm"]?.double)
    }

    private static func series(_ json: JSON?) -> WalkSeries? {
        guard let json, let times = json["t_ms"]?.array else { return nil }
        func column(_ name: String) -> [Double?]? { json[name]?.array?.map(\.double) }
        return WalkSeries(
            tMs: times.map { $0.int ?? -1 }, speedKmh: column("speed_kmh"),
            heartRateBpm: column("heart_rate_bpm"),
            distanceM: column("distance_m"), activeEnergyKcal: column("active_energy_kcal"))
    }
}
