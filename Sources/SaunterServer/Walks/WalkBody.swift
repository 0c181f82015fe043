import SaunterCore
import SaunterStore

/// The request body of a walk. The caller validates the body against `schema` first.
struct WalkBody {
    private static let samples = Schema.array(of: .nullable(.number()), max: WalkSeries.maximumSamples)

    static let schema = Schema.named(
        "Walk",
        .object([
            .required("started_at", .instant, "When the walk began."),
            .required("ended_at", .instant, "When the walk ended."),
            .required("time_zone", .zone, "The IANA time zone of the participant during the walk."),
            .optional(
                "client_now", .instant,
                "The device's clock when it sends the request. The server corrects times with it."),
            .optional("device", .map(of: .any), "The make, model and software of the device."),
            .optional(
                "sport", .nullable(.string(values: Sport.allCases.map(\.rawValue))),
                """
                What the participant did. If it is not walking, hiking, running or wheelchair, the study rejects the walk \
                or stores it with the flag `not_a_walk`.
                """),
            .optional(
                "calibration_id", .nullable(.id),
                "The calibration that applies. If omitted, the calibration that was active at the start of the walk."
            ),
            .optional(
                "pauses",
                .array(
                    of: .object([
                        .required("from", .instant, "When the pause began."),
                        .required("to", .instant, "When the pause ended."),
                    ]),
                    max: Walk.maximumPauses), "The intervals in which the participant paused."),
            .optional(
                "totals",
                .nullable(
                    .object([
                        .optional(
                            "distance_m", .nullable(.number(min: 0)),
                            "The distance of the whole walk in metres; null if it was not measured."),
                        .optional(
                            "active_energy_kcal", .nullable(.number(min: 0)),
                            "The active energy in kilocalories; null if it was not measured."),
                        .optional(
                            "mean_heart_rate_bpm", .nullable(.number(min: 0)),
                            "The mean heart rate per minute; null if it was not measured."),
                        .optional(
                            "max_heart_rate_bpm", .nullable(.number(min: 0)),
                            "The maximum heart rate per minute; null if it was not measured."),
                    ])),
                "Totals that the device computed. The server uses a total if the series for it is missing."),
            .optional(
                "series",
                .nullable(
                    .object([
                        .required(
                            "t_ms", .array(of: .integer(), max: WalkSeries.maximumSamples),
                            """
                            The times of the samples, in increasing milliseconds since the start. Each other series \
                            has one value or null for each time.
                            """
                        ),
                        .optional(
                            "speed_kmh", .nullable(samples),
                            "The speed in km/h at each sample; null if it was not measured."),
                        .optional(
                            "heart_rate_bpm", .nullable(samples),
                            "The heart rate per minute at each sample; null if it was not measured."),
                        .optional(
                            "distance_m", .nullable(samples),
                            """
                            The distance in metres since the start. If the first value is too large to have been covered \
                            by then, the server treats the series as an odometer and counts only its increase.
                            """
                        ),
                        .optional(
                            "active_energy_kcal", .nullable(samples),
                            "The active energy in kilocalories since the start."),
                    ])), "The samples of the walk; null if there are none."),
        ]))

    var zone: Zone
    var device: JSON?
    /// Nil if the device named none.
    var sport: Sport?
    var calibration: CalibrationID?
    var walk: Walk
    var clientNow: Instant?
    /// SHA-256 of the canonical body without `client_now`, which differs in each attempt.
    var digest: [UInt8]
    var json: JSON

    /// - Throws: every fault of the walk.
    init(_ body: JSON) throws(Faults) {
        guard var object = body.object, let startedAt = body["started_at"]?.string.flatMap({ Instant($0) }),
            let endedAt = body["ended_at"]?.string.flatMap({ Instant($0) }),
            let zone = body["time_zone"]?.string.flatMap({ Zone($0) })
        else { throw Faults([Fault(pointer: "", code: "unreadable", detail: "The body is not a walk.")]) }
        self.zone = zone
        device = body["device"]
        sport = body["sport"]?.string.flatMap { Sport(rawValue: $0) }
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

    /// The body without series that the participant does not permit, for the quarantine.
    func json(without series: [DataKind.WalkSeries]) -> JSON {
        guard !series.isEmpty, var object = json.object else { return json }
        for (member, names) in [
            ("series", Set(series.map(\.rawValue))), ("totals", Set(series.flatMap(\.totals))),
        ] {
            guard let members = object[member]?.object else { continue }
            object[member] = .object(JSONObject(members.members.filter { !names.contains($0.name) }))
        }
        return .object(object)
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
