extension Tables {
    static let walks = Table(
        "walks", "Walking sessions", key: ["enrolment_id", "walk_id"],
        statement: SQLFile.walks["dataset_walks"], ctes: [.includedWalk],
        foreignKeys: [.enrolment, .calibration],
        columns: [
            [.id("walk_id", "W", "Walk"), .enrolment, .participant, .arm, .studyDay, .weekday],
            Column.instant("started", "Walk began, by the corrected clock", hasOffset: true, source: .device),
            Column.instant("ended", "Walk ended, by the corrected clock", hasOffset: true, source: .device),
            [
                .moment("received_at", "Walk reached the server, UTC"), .clockSkew,
                Column("elapsed_s", .number, "End minus start", unit: "s", source: .derived),
                Column("active_s", .number, "Elapsed time without pauses", unit: "s", source: .derived),
                Column("pauses", .integer, "Number of pauses", source: .derived),
                Column("distance_m", .number, "Distance", unit: "m", source: .derived),
                Column("steps", .number, "Steps that the device counted", source: .device),
                Column(
                    "mean_speed_kmh", .number, "Mean speed in active time", unit: "km/h", source: .derived),
                Column(
                    "mean_pace_s_per_km", .number, "Mean pace: active time divided by distance", unit: "s/km",
                    source: .derived),
                Column(
                    "mean_hr_bpm", .number,
                    "Mean heart rate, weighted by time; without pauses and gaps of more than 30 s",
                    unit: "/min", source: .derived),
                Column("max_hr_bpm", .number, "Highest heart rate", unit: "/min", source: .derived),
                Column("active_energy_kcal", .number, "Active energy", unit: "kcal", source: .derived),
                Column(
                    "target_speed_kmh", .number, "Target speed of the calibration in force", unit: "km/h",
                    source: .derived),
                Column(
                    "above_target_s", .number, "Active time above the target speed", unit: "s",
                    source: .derived),
                Column(
                    "above_target_count", .integer,
                    "Number of times that the speed rose above the target speed", source: .derived
                ),
                Column(
                    "coverage", .number, "Share of the active time with a heart rate, 0 to 1", unit: "1",
                    source: .derived),
                Column("samples", .integer, "Samples of the series", source: .device),
                Column("source", .string, "Model of the device", identifierClass: .quasi, source: .device)
                    .dropped,
                .id("calibration_id", "C", "Calibration in force"),
                Column("flags", .string, .list, "Flags, separated by |"),
                Column("sport", .string, "Kind of sport, if the device named it", source: .device),
            ],
        ])

    static let calibrations = Table(
        "calibrations", "Calibrations: measured speed, target speed, and how long each applied",
        key: ["enrolment_id", "calibration_id"], statement: SQLFile.walks["dataset_calibrations"],
        foreignKeys: [.enrolment],
        columns: [
            [.id("calibration_id", "C", "Calibration"), .enrolment, .participant],
            Column.instant("recorded", "Calibration was recorded, by the corrected clock", source: .device),
            Column.instant(
                "holds_until", "The next calibration replaced it (blank while it applies)", source: .derived),
            [
                .moment("received_at", "Calibration reached the server, UTC"), .clockSkew,
                Column(
                    "mean_speed_kmh", .number, "Mean speed that was measured", unit: "km/h", source: .device),
                Column(
                    "reduction_percent", .number, "By how much a mindful walk should be slower", unit: "%",
                    source: .answer),
                Column("duration_s", .number, "Length of the measurement", unit: "s", source: .device),
                Column(
                    "target_speed_kmh", .number, "Target speed", unit: "km/h", source: .derived,
                    derivedFrom: "mean_speed_kmh reduction_percent"),
            ],
        ])

    static let walkDevices = Table(
        "walk_devices", "Device descriptions and the totals that devices computed",
        key: ["enrolment_id", "walk_id"], statement: SQLFile.walks["dataset_walk_devices"],
        ctes: [.includedWalk],
        foreignKeys: [
            Table.ForeignKey(
                fields: ["enrolment_id", "walk_id"], table: "walks", reference: ["enrolment_id", "walk_id"])
        ],
        columns: [
            [
                .id("walk_id", "W", "Walk"), .enrolment, .participant,
                Column(
                    "device", .string, "Device, as it described itself (JSON)", identifierClass: .direct,
                    source: .device),
                Column(
                    "totals", .string, "Totals as the device sent them (JSON)", identifierClass: .quasi,
                    source: .device),
            ]
        ])

    static let walkPauses = Table(
        "walk_pauses", "Pauses of walks", key: ["enrolment_id", "walk_id", "ordinal"],
        statement: SQLFile.walks["dataset_walk_pauses"], ctes: [.includedWalk], foreignKeys: [.walk],
        columns: [
            [
                .id("walk_id", "W", "Walk"), .enrolment, .participant,
                Column("ordinal", .integer, "Number of the pause, from 1", source: .device),
                Column(
                    "from_offset_ms", .integer, "Beginning, since the walk began", unit: "ms", source: .device
                ),
                Column("to_offset_ms", .integer, "End, since the walk began", unit: "ms", source: .device),
            ]
        ])

    private static let sampleColumns: [Column] = [
        .id("walk_id", "W", "Walk"), .enrolment, .participant,
        Column("t_offset_ms", .integer, "Time since the walk began", unit: "ms", source: .device),
        Column("hr_bpm", .number, "Heart rate", unit: "/min", source: .device),
        Column("speed_kmh", .number, "Speed", unit: "km/h", source: .device),
        Column("distance_m", .number, "Distance since the walk began", unit: "m", source: .device),
        Column(
            "energy_kcal", .number, "Active energy since the walk began", unit: "kcal", source: .device),
    ]

    /// The samples of all walks in one file.
    static let walkSamples = samples(
        "walk_samples", "Samples of the walks' series", .parquet, walks: .includedWalk)

    /// The same samples again, in one file per month.
    static func monthlySamples(_ month: WalkMonth, _ profile: DatasetProfile) -> Table {
        samples(
            "walk_samples_\(month.text)", "Samples of the walks that began in the month \(month.text), UTC",
            .csvGzip,
            walks: Table.CTE(
                name: Table.CTE.includedWalk.name, statement: WalkMonth.walks(of: month, profile)))
    }

    private static func samples(
        _ name: String, _ title: String, _ format: TableFormat, walks: Table.CTE
    ) -> Table {
        Table(
            name, title, key: ["enrolment_id", "walk_id", "t_offset_ms"],
            statement: SQLFile.walks["dataset_walk_samples"], ctes: [walks], foreignKeys: [.walk],
            formats: [format], sortedKeyCount: 2, columns: [sampleColumns])
    }
}
