import SaunterCore
import SaunterStore

/// Response bodies for walks and calibrations.
enum WalkResponse {
    /// A stored walk without its series.
    /// - Parameter replayed: whether the submission was a replay; nil omits the member, for reads.
    static func receipt(_ walk: StoredWalk, replayed: Bool?) -> JSON {
        receipt(
            walk.id, startedAt: walk.startedAt, endedAt: walk.endedAt, receivedAt: walk.receivedAt,
            sport: walk.sport, calibration: walk.calibration, flags: walk.flags, summary: walk.summary,
            replayed: replayed)
    }

    /// A walk without its series.
    /// - Parameter replayed: whether the submission was a replay; nil omits the member, for reads.
    static func receipt(
        _ id: WalkID, startedAt: Instant, endedAt: Instant, receivedAt: Instant, sport: Sport?,
        calibration: CalibrationID?, flags: [String], summary: JSON, replayed: Bool?
    ) -> JSON {
        var object: JSONObject = [
            "walk_id": .id(id), "started_at": .instant(startedAt), "ended_at": .instant(endedAt),
            "received_at": .instant(receivedAt), "sport": .optional(sport?.rawValue, JSON.string),
            "calibration_id": .id(calibration), "flags": .strings(flags), "summary": summary,
        ]
        if let replayed { object["replayed"] = .bool(replayed) }
        return .object(object)
    }

    /// A walk in a list, without its series.
    static func listed(_ walk: StoredWalk) -> JSON { receipt(walk, replayed: nil) }

    /// A walk with its pauses, totals and series.
    static func detail(_ walk: StoredWalk) -> JSON {
        var object = listed(walk).object ?? [:]
        guard let detail = walk.detail else { return .object(object) }
        func column(_ values: [Double?]?) -> JSON {
            .optional(values) { .array($0.map { value in .optional(value, JSON.double) }) }
        }
        object["time_zone"] = .string(walk.zone.id)
        object["device"] = detail.device ?? .null
        object["totals"] = detail.totals ?? .null
        object["pauses"] = .array(
            stride(from: 0, to: detail.pausesMs.count - 1, by: 2).map { index in
                [
                    "from": .instant(walk.startedAt.adding(milliseconds: Int64(detail.pausesMs[index]))),
                    "to": .instant(walk.startedAt.adding(milliseconds: Int64(detail.pausesMs[index + 1]))),
                ]
            })
        object["series"] = .optional(detail.series) { series in
            [
                "t_ms": .array(series.tMs.map(JSON.int)), "speed_kmh": column(series.speedKmh),
                "heart_rate_bpm": column(series.heartRateBpm), "distance_m": column(series.distanceM),
                "active_energy_kcal": column(series.activeEnergyKcal),
            ]
        }
        return .object(object)
    }

    static func calibration(_ calibration: StoredCalibration) -> JSON {
        [
            "calibration_id": .id(calibration.id), "recorded_at": .instant(calibration.recordedAt),
            "received_at": .instant(calibration.receivedAt),
            "mean_speed_kmh": .double(calibration.meanSpeedKmh),
            "reduction_percent": .double(calibration.reductionPercent),
            "duration_s": .double(calibration.durationS),
            "target_speed_kmh": .double(calibration.targetSpeedKmh),
        ]
    }

    static let summarySchema = Schema.named(
        "WalkSummary",
        .object([
            .required(
                "elapsed_s", .number(min: 0), "The seconds from the start to the end, pauses included."),
            .required("active_s", .number(min: 0), "The seconds from the start to the end without pauses."),
            .required(
                "distance_m", .nullable(.number(min: 0)), "The distance in metres; null if it is not known."),
            .required(
                "mean_speed_kmh", .nullable(.number(min: 0)),
                "The mean speed while moving, in km/h; null if it is not known."),
            .required(
                "mean_pace_s_per_km", .nullable(.number(min: 0)),
                "The mean pace in seconds per kilometre; null if it is not known."),
            .required(
                "mean_heart_rate_bpm", .nullable(.number(min: 0)),
                "The mean heart rate per minute, weighted by time; null if it was not measured."),
            .required(
                "max_heart_rate_bpm", .nullable(.number(min: 0)),
                "The maximum heart rate per minute; null if it was not measured."),
            .required(
                "active_energy_kcal", .nullable(.number(min: 0)),
                "The active energy in kilocalories; null if it was not measured."),
            .required(
                "target_speed_kmh", .nullable(.number(min: 0)),
                "The target speed of the calibration in km/h; null without a calibration."),
            .required(
                "above_target_s", .nullable(.number(min: 0)),
                "The seconds faster than the target speed; null without a target or samples."),
            .required(
                "above_target_count", .nullable(.integer(min: 0)),
                "How often the speed rose above the target speed."),
            .required(
                "coverage", .nullable(.number(min: 0, max: 1)),
                "The share of the active time with a heart rate, from 0 to 1."),
        ]))

    static let listedFields: [Schema.Member] = [
        .required("walk_id", .id, "The id of the walk, which the client created."),
        .required("started_at", .instant, "When the walk began."),
        .required("ended_at", .instant, "When the walk ended."),
        .required("received_at", .instant, "When the server received the walk, by the server's clock."),
        .required(
            "sport", .nullable(.string(values: Sport.allCases.map(\.rawValue))),
            "The sport that the recording names; null if it names none."),
        .required(
            "calibration_id", .nullable(.id),
            "The calibration that set the target speed; null if there was none."),
        .required(
            "flags", .array(of: .string()),
            "What is unusual about the record, such as a clock that was wrong."),
        .required("summary", summarySchema, "What the server computed from the walk."),
    ]

    static let receiptSchema = Schema.named(
        "WalkReceipt",
        .object(
            listedFields + [.required("replayed", .boolean, "True if the server already had this record.")]))
    static let listedSchema = Schema.named("StoredWalk", .object(listedFields))
    static let detailFields =
        listedFields + [
            .required("time_zone", .zone, "The IANA time zone of the participant during the walk."),
            .required("device", .any, "What the client stated about the recording device."),
            .required("totals", .any, "The totals that the client sent."),
            .required(
                "pauses",
                .array(
                    of: .object([
                        .required("from", .instant, "When the pause began."),
                        .required("to", .instant, "When the pause ended."),
                    ])), "The intervals in which the participant paused."),
            .required(
                "series", .nullable(.map(of: .any)),
                "The samples, one list per quantity; null if there are none."),
        ]
    static let detailSchema = Schema.named("WalkDetail", .object(detailFields))

    private static let calibrationFields: [Schema.Member] = [
        .required("calibration_id", .id, "The id of the calibration, which the client created."),
        .required("recorded_at", .instant, "When the calibration was measured."),
        .required(
            "received_at", .instant, "When the server received the calibration, by the server's clock."),
        .required("mean_speed_kmh", .number(min: 0), "The measured speed in km/h."),
        .required("reduction_percent", .number(min: 0), "By how many percent the target speed is lower."),
        .required("duration_s", .number(min: 0), "The duration of the measurement in seconds."),
        .required("target_speed_kmh", .number(min: 0), "`mean_speed_kmh` × (1 − `reduction_percent` / 100)."),
    ]
    static let calibrationSchema = Schema.named("StoredCalibration", .object(calibrationFields))
    static let calibrationReceiptSchema = Schema.named(
        "CalibrationReceipt",
        .object(
            calibrationFields + [
                .required("replayed", .boolean, "True if the server already had this record.")
            ]))
}
