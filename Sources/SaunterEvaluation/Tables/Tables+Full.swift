extension Tables {
    static let textRevisions = Table(
        "text_revisions", "Free-text answers in every wording that they had",
        key: ["enrolment_id", "sheet_id", "rev", "item"],
        statement: SQLFile.sheets["dataset_text_revisions"], frames: [.sheetInScope], foreignKeys: [.sheet],
        columns: [
            [
                .sheet, .enrolment, .participant, .instrument, .version,
                Column("rev", .integer, "Revision that has this wording"), .item,
                Column("text", .string, "What was written", identifierClass: .direct, source: .answer),
            ]
        ])

    static let walkDevices = Table(
        "walk_devices", "What devices said of themselves and of their own totals",
        key: ["enrolment_id", "walk_id"], statement: SQLFile.walks["dataset_walk_devices"],
        frames: [.includedWalk],
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
}
