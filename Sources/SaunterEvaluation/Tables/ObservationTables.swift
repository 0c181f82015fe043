extension Tables {
    static let observations = Table(
        "observations", "Observations of other sensors: a row for each component",
        key: ["enrolment_id", "observation_id", "component"],
        statement: SQLFile.walks["dataset_observations"], ctes: [.includedObservation],
        foreignKeys: [.enrolment],
        columns: [
            [
                .id("observation_id", "B", "Observation"),
                Column("component", .integer, "Index of the component, from 1", source: .device), .enrolment,
                .participant, .arm, .studyDay, .weekday,
            ],
            Column.instant(
                "started", "Observation began, by the corrected clock", hasOffset: true, source: .device),
            Column.instant(
                "ended", "Observation ended, by the corrected clock", hasOffset: true, source: .device),
            [
                .moment("received_at", "Observation reached the server, UTC"), .clockSkew,
                Column("system", .string, "Code system of what was measured", source: .device),
                Column("code", .string, "What was measured", source: .device),
                Column("component_system", .string, "Code system of the component", source: .device),
                Column(
                    "component_code", .string, "Component; blank if the code of the observation describes it",
                    source: .device),
                Column("unit", .string, "Unit of the values (UCUM)", source: .device),
                Column(
                    "modality", .string, "Sensed or self-reported", valueSet: "observation_modality",
                    source: .device),
                Column(
                    "statistic", .string, "Statistic that a value represents for its time span",
                    source: .device),
                Column("samples", .integer, "Times of the series", source: .device),
                Column("n_valid", .integer, "Values that were measured", source: .derived),
                Column("minimum", .number, "Lowest value, in the unit", source: .derived),
                Column("maximum", .number, "Highest value, in the unit", source: .derived),
                Column(
                    "mean", .number, "Mean of the values, not weighted by time, in the unit",
                    source: .derived),
                Column("source", .string, "Model of the device", identifierClass: .quasi, source: .device)
                    .dropped,
                Column("flags", .string, .list, "Flags, separated by |"),
                Column(
                    "rev", .integer, "Highest revision that the source sent; 1 if it sent none",
                    source: .device),
            ],
        ])

    static let observationDetails = Table(
        "observation_details", "Observations as their sources described them",
        key: ["enrolment_id", "observation_id"], statement: SQLFile.walks["dataset_observation_details"],
        ctes: [.includedObservation], foreignKeys: [.enrolment],
        columns: [
            [
                .id("observation_id", "B", "Observation"), .enrolment, .participant,
                Column("display", .string, "What was measured, in words", source: .device),
                Column(
                    "component_displays", .string, "Its components in words, separated by |", source: .device),
                Column(
                    "device", .string, "Device, as it described itself (JSON)", identifierClass: .direct,
                    source: .device),
                Column(
                    "provenance", .string, "Where the observation comes from (JSON)",
                    identifierClass: .direct, source: .device),
                Column(
                    "detail", .string, "Further data of the source (JSON)", identifierClass: .direct,
                    source: .device),
            ]
        ])

    static let observationSamples = Table(
        "observation_samples", "Samples of the observations' series",
        key: ["enrolment_id", "observation_id", "component", "t_offset_ms"],
        statement: SQLFile.walks["dataset_observation_samples"], ctes: [.includedObservation],
        foreignKeys: [.observation],
        formats: [.parquet], sortedKeyCount: 3,
        columns: [
            [
                .id("observation_id", "B", "Observation"),
                Column("component", .integer, "Index of the component, from 1", source: .device), .enrolment,
                .participant,
                Column(
                    "t_offset_ms", .integer, "Time since the observation began", unit: "ms", source: .device),
                Column(
                    "until_offset_ms", .integer, "End of the time span of the value; blank for a reading",
                    unit: "ms",
                    source: .device),
                Column("value", .number, "Value, in the component's unit", source: .device),
            ]
        ])
}
