/// The tables of entries, settings, data kinds and entitlements.
extension Tables {
    /// Included only if the study has settings.
    static let settings = Table(
        "settings", "Settings, long: every value, with the time for which it was in force",
        key: ["enrolment_id", "sheet_id", "item", "option"],
        statement: SQLFile.sheets["dataset_setting_values"], ctes: [.definition, .settingSheet, .answer],
        foreignKeys: [.enrolment],
        columns: [
            [
                .id("sheet_id", "S", "Sheet that set the value"), .enrolment, .participant, .arm, .instrument,
                .version, .revision, .item, .option,
                Column("type", .string, "Type of the item; texts are in free_text", source: .design),
                Column(
                    "value", .string, .answer, "Value; 1 or 0 for an option, if several can be chosen",
                    source: .answer),
                Column(
                    "label", .string, "Label of the value, or of the option if several can be chosen",
                    source: .design),
                .missing("missing", "Why there is no value"),
            ],
            Column.instant(
                "valid_from", "The value was in force from then on: completion of its sheet", hasOffset: true,
                source: .device),
            Column.instant(
                "valid_to", "The next sheet replaced it (blank while it is in force)", hasOffset: true,
                source: .derived),
        ])

    /// Included only if the study has questionnaires with `active: one`.
    static let episodes = Table(
        "episodes", "Episodes: periods in which an entry was the active one of its instrument",
        key: ["enrolment_id", "sheet_id"], statement: SQLFile.histories["dataset_episodes"],
        foreignKeys: [.enrolment], computed: .episodes,
        columns: [
            [.id("sheet_id", "S", "Entry that was active"), .enrolment, .participant, .arm, .instrument],
            Column.instant("began", "Entry was completed", hasOffset: true, source: .device),
            Column.instant("ended", "It ended (blank while it is active)", hasOffset: true, source: .derived),
            [
                Column("why", .string, "Why it ended", valueSet: "episode_end", source: .derived),
                .id("ended_by", "S", "Sheet that replaced or ended it"),
                Column(
                    "linked", .integer, "Number of entries that refer to it, without the one that ended it",
                    source: .derived),
                Column(
                    "linked_sheets", .string, .ids("S"), "These entries by completion, separated by |",
                    identifierClass: .quasi, source: .derived),
            ],
        ])

    /// Included only if an edition of the content library has programmes, and if the filters have no dates, because
    /// progress is computed from the whole participation.
    static let programmes = Table(
        "programmes", "Programmes: one row per enrolment and practice of a programme that was done",
        key: ["enrolment_id", "programme", "module"], statement: SQLFile.histories["dataset_programmes"],
        foreignKeys: [.enrolment], computed: .programmes,
        columns: [
            [
                .enrolment, .participant, .arm,
                Column("programme", .string, "Programme; see meta/library", source: .design),
                Column("module", .string, "Practice: the code of its instrument", source: .design),
                .moment("first_done_at", "Its first sheet was completed, UTC"),
                Column("times", .integer, "Number of its sheets, in any version", source: .derived),
                Column("edition", .integer, "Edition that was live when it was first done", source: .derived),
            ]
        ])

    /// Included only if the study has data kinds.
    static let dataKinds = Table(
        "data_kinds", "Permissions: periods in which a participant permitted a data kind",
        key: ["enrolment_id", "kind", "ordinal"], statement: SQLFile.histories["dataset_data_kinds"],
        foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant, Column("kind", .string, "Data kind", source: .design),
                Column("ordinal", .integer, "Number of the permission, from 1"),
                .moment("granted_at", "Permission was given, UTC"),
                .moment("revoked_at", "Permission was revoked, UTC; blank while it lasts"),
                .moment("purged_at", "The participant deleted the data of the period for good, UTC"),
            ]
        ])

    /// Included only if the study has entitlements, and never in a release: purchases could be compared with what a
    /// store knows.
    static let entitlements = Table(
        "entitlements", "Entitlements: periods in which a participant had access to locked parts",
        key: ["enrolment_id", "ordinal"], statement: SQLFile.histories["dataset_entitlements"],
        foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant,
                Column("ordinal", .integer, "Number of the period, by its beginning"),
                Column("entitlement", .string, "Entitlement", source: .design),
                Column(
                    "source", .string,
                    "app_store for a purchase in the app store, gift for a gift of the study team"),
                .moment("valid_from_at", "Beginning, UTC: purchase, renewal or gift"),
                .moment("valid_until_at", "Planned end, UTC; blank if there is none"),
                .moment("revoked_at", "The store or the study team revoked it, UTC; blank if they did not"),
            ]
        ])
}

extension Column {
    static let refersTo = Column.id("refers_to", "S", "Earlier entry that the sheet is about")
    static let author = Column(
        "source", .string, "Author of the sheet: participant, or the code of a partner", source: .device)
}

extension Table.CTE {
    static let settingSheet = Table.CTE(
        name: "answered_sheet", statement: SQLFile.sheets["dataset_setting_sheet"], isMaterialized: true)
}
