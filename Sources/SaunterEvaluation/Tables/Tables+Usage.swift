extension Tables {
    static let usageEvents = Table(
        "usage_events", "Usage events: what happened in the app around the measurements",
        key: ["enrolment_id", "event_id"], statement: SQLFile.usage["dataset_usage_events"],
        foreignKeys: [.enrolment],
        columns: [
            [
                .id("event_id", "U", "Usage event"), .enrolment, .participant, .arm, .studyDay,
                Column("event", .string, "What happened", valueSet: "usage_event", source: .device),
            ],
            Column.instant(
                "happened", "It happened, by the corrected clock", hasOffset: true, source: .device),
            [
                .moment("received_at", "Event reached the server, UTC"), .clockSkew,
                .id("occasion_id", "O", "Occasion that it is about, as the device names it"),
                Column("instrument", .string, "Instrument that it is about", source: .device),
                Column(
                    "properties", .string, "What the device says besides (JSON)", identifierClass: .quasi,
                    source: .device
                ).dropped,
            ],
        ])
}
