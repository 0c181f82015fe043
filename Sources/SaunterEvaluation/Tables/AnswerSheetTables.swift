extension Tables {
    static let sheets = Table(
        "sheets", "Answer sheets, each in its newest revision", key: ["enrolment_id", "sheet_id"],
        statement: SQLFile.sheets["dataset_sheets"], ctes: [.sheetInScope],
        foreignKeys: [.enrolment, .occasion],
        columns: [
            [
                .sheet, .enrolment, .participant, .arm, .occasion, .schedule, .refersTo, .author, .studyDay,
                .weekday, .instrument, .version, .revision, .counts, .completes, .timeliness,
                Column("late_s", .integer, "Seconds after due", unit: "s", source: .derived),
            ],
            Column.instant(
                "started", "Sheet was begun, by the corrected clock", hasOffset: true, source: .device),
            Column.instant(
                "submitted", "Sheet was completed, by the corrected clock", hasOffset: true, source: .device),
            [
                .moment("received_at", "Sheet reached the server, UTC"), .clockSkew,
                Column(
                    "language", .string, "Language in which it was answered", identifierClass: .quasi,
                    source: .device),
                Column("study_version", .string, "Version of the study", source: .design),
                Column("consent_version", .string, "Version of the consent text", source: .design),
                Column("flags", .string, .list, "Flags, separated by |", valueSet: "sheet_flag"),
                Column(
                    "cleared", .string, .list,
                    "Items whose answers were removed, because they were not shown or not permitted, separated by |"
                ),
                .id("duplicate_of", "S", "Sheet that had already fulfilled the occasion"),
                .id("walk_id", "W", "Walk to which it refers"),
                .flag("deleted", "The participant deleted it; its answers are blank"),
                .moment("revised_at", "Newest revision reached the server, UTC"),
                .moment("deleted_at", "The deletion reached the server, UTC"),
                Column(
                    "device_model", .string, "Model of the device", identifierClass: .quasi, source: .device
                ).dropped,
                Column(
                    "app_version", .string, "Version of the app", identifierClass: .quasi, source: .device
                ).dropped,
            ],
        ])

    /// Included only if some instrument shuffles options or items.
    static let presentedOrders = Table(
        "presented_orders", "Orders in which shuffled options and items were shown",
        key: ["enrolment_id", "sheet_id", "item", "place"],
        statement: SQLFile.sheets["dataset_presented"], ctes: [.sheetInScope], foreignKeys: [.sheet],
        columns: [
            [
                .sheet, .enrolment, .participant, .instrument, .version, .counts, .item,
                Column("place", .integer, "Position on the screen, from 1", source: .device),
                Column("member", .string, "Code of the option, or name of the item", source: .device),
            ]
        ])

    static let freeText = Table(
        "free_text", "Free-text answers", key: ["enrolment_id", "sheet_id", "item"],
        statement: SQLFile.sheets["dataset_free_text"], ctes: [.sheetInScope], foreignKeys: [.sheet],
        columns: [
            [
                .sheet, .enrolment, .participant, .instrument, .version, .counts, .item,
                Column("text", .string, "What was written", identifierClass: .direct, source: .answer)
                    .dropped,
            ]
        ])

    static let revisions = Table(
        "revisions", "Corrections: one row per field that a revision changed",
        key: ["enrolment_id", "sheet_id", "rev", "item", "option"],
        statement: SQLFile.sheets["dataset_revisions"],
        ctes: [.sheetInScope, .definition, .revisedSheet, .answer], foreignKeys: [.sheet],
        columns: [
            [
                .sheet, .enrolment, .participant, .instrument, .version,
                Column("rev", .integer, "Revision that made the change"), .item,
                .option,
                Column("old_value", .string, .answer, "Value before", source: .answer),
                .missing("old_missing", "Why there was no value before"),
                Column("new_value", .string, .answer, "Value after", source: .answer),
                .missing("new_missing", "Why there is no value after"),
                .flag("text_changed", "Free text or a location was changed", source: .answer),
                Column("who", .string, "Role of the person who changed it"),
                .moment("revised_at", "Revision reached the server, UTC"),
                Column(
                    "reason", .string, "Reason that was given", identifierClass: .quasi, source: .answer
                ).dropped,
            ]
        ])

    static let textRevisions = Table(
        "text_revisions", "Free-text answers in all their wordings",
        key: ["enrolment_id", "sheet_id", "rev", "item"],
        statement: SQLFile.sheets["dataset_text_revisions"], ctes: [.sheetInScope], foreignKeys: [.sheet],
        columns: [
            [
                .sheet, .enrolment, .participant, .instrument, .version,
                Column("rev", .integer, "Revision that has this wording"), .item,
                Column("text", .string, "What was written", identifierClass: .direct, source: .answer),
            ]
        ])
}

extension Column {
    static let revision = Column("rev", .integer, "Revision; 1 is the first submission")
    static let sheet = Column.id("sheet_id", "S", "Answer sheet")
    static let occasion = Column.id(
        "occasion_id", "O", "Occasion that it answers; blank when it answers none")
    static let schedule = Column("schedule", .string, "Schedule of the occasion", source: .design)
    static let instrument = Column("instrument", .string, "Instrument", source: .design)
    static let version = Column("version", .string, "Version of the instrument", source: .design)
    static let item = Column("item", .string, "Item; see meta/codebook.csv", source: .design)
    static let option = Column(
        "option", .string, .expression("nullif(r.option, '')"),
        "Code of the option, if several can be chosen",
        source: .design)
    static let counts = Column.flag(
        "counts", "The answer of its occasion, at most one, or a sheet without an occasion")
    static let completes = Column.flag(
        "completes", "Fulfils its occasion; a late sheet can be stored without fulfilling it")
    static let timeliness = Column(
        "standing", .string, "Timeliness of the sheet for the window of its occasion",
        valueSet: "standing",
        source: .derived)

    static let clockSkew = Column(
        "clock_skew_s", .number,
        "Server clock minus device clock; a time minus this skew is the device's time",
        unit: "s", source: .derived)

    static func missing(_ name: String, _ label: String) -> Column {
        Column(name, .string, label, valueSet: "missing", source: .derived)
    }
}
