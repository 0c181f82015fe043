/// The tables of what happened during an enrolment besides its sheets and walks.
extension Tables {
    static let consents = Table(
        "consents", "Consents: every version of the consent text that a participant agreed to",
        key: ["enrolment_id", "consent_version"], statement: SQLFile.histories["dataset_consents"],
        foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant,
                Column("consent_version", .string, "Version of the consent text", source: .design),
                .moment("consented_at", "When the participant agreed, UTC"),
                Column("study_version", .string, "Version of the study", source: .design),
                Column(
                    "language", .string, "Language of the text that was shown", identifierClass: .quasi,
                    source: .device),
                Column("text_digest", .string, "SHA-256 of the text that was shown", source: .design),
            ]
        ])

    static let followedVersions = Table(
        "followed_versions", "Versions of the study that each enrolment followed",
        key: ["enrolment_id", "study_version"], statement: SQLFile.histories["dataset_followed_versions"],
        foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant,
                Column("study_version", .string, "Version of the study", source: .design),
                .moment("followed_from", "The enrolment followed the version from then on, UTC"),
            ]
        ])

    static let zones = Table(
        "zones", "Time zones of each enrolment over time", key: ["enrolment_id", "ordinal"],
        statement: SQLFile.histories["dataset_zones"], foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant, Column("ordinal", .integer, "Number of the row, from 1"),
                .moment("effective_from", "The zone applied from then on, UTC"),
                Column(
                    "zone", .string, .zone, "Time zone", identifierClass: .quasi, source: .device),
                Column("reported_by", .string, "What reported the zone"),
            ]
        ])

    static let pauses = Table(
        "pauses", "Pauses: times for which a participant asked for no occasions",
        key: ["enrolment_id", "ordinal"], statement: SQLFile.histories["dataset_pauses"],
        foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant, Column("ordinal", .integer, "Number of the pause, from 1"),
                .moment("from_at", "Beginning, UTC"),
                .moment("to_at", "End, UTC; blank for a pause that has not ended"),
            ]
        ])

    static let events = Table(
        "events", "Study events: every report, the newest of which is in force",
        key: ["enrolment_id", "event", "rev"], statement: SQLFile.histories["dataset_events"],
        foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant, .arm, .studyDay, .weekday,
                Column("event", .string, "Study event", source: .design),
                Column("rev", .integer, "Number of the report, from 1"),
                .flag("in_force", "The newest report of this event"),
            ],
            Column.instant("occurred", "The event happened", source: .device),
            [.moment("recorded_at", "Report reached the server, UTC")],
        ])

    /// Included only if the study has phases.
    static let phases = Table(
        "phases", "Phases that have begun, with their local dates", key: ["enrolment_id", "phase"],
        statement: SQLFile.histories["dataset_phases"], ctes: [.datedEvent, .phase],
        foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant, .arm,
                Column("phase", .string, "Phase of the study", source: .design),
                Column("ordinal", .integer, "Position of the phase in the study, from 1", source: .design),
                .date("starts_on", "First local date", source: .derived),
                .date("ends_on", "Last local date; blank if an event ends the phase", source: .derived),
            ]
        ])

    static let devices = Table(
        "devices", "Devices that number their submissions", key: ["enrolment_id", "device_id"],
        statement: SQLFile.histories["dataset_devices"], foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant, .id("device_id", "D", "Device"),
                .moment("first_seen_at", "First upload, UTC"),
                .moment("last_seen_at", "Last upload, UTC"),
                Column("records", .integer, "Numbered submissions that arrived"),
                Column("sequences", .string, "Their numbers, as ranges without their upper end"),
            ]
        ])

    static let edits = Table(
        "edits", "Edits: corrections and deletions as devices sent them, with their outcome",
        key: ["enrolment_id", "edit_id"], statement: SQLFile.histories["dataset_edits"],
        foreignKeys: [.enrolment], columns: [editColumns])

    /// `edits` with the content of each edit. It can contain free text.
    static let fullEdits = Table(
        "edits", edits.title, key: edits.key, statement: SQLFile.histories["dataset_edits"],
        foreignKeys: [.enrolment],
        columns: [
            editColumns,
            [
                Column("refusal", .string, "Why it was refused (JSON)"),
                Column(
                    "body", .string, "Edit as the device sent it (JSON)", identifierClass: .direct,
                    source: .answer),
            ],
        ])

    private static let editColumns: [Column] = [
        .id("edit_id", "X", "Edit"), .enrolment, .participant,
        Column("kind", .string, "Correction or deletion"),
        Column("record_kind", .string, "Kind of the edited record"),
        // Named without the letter of its kind, because the column can contain ids of several kinds.
        Column("record_id", .string, .anchor, "Id of the edited record, without its letter"),
        .moment("made_at", "When it was made, by the order of the device's numbers, UTC"),
        .moment("stated_at", "When it was made, by the device's clock, UTC"),
        .moment("received_at", "Edit reached the server, UTC"),
        Column("state", .string, "Outcome of the edit"),
        Column("rev", .integer, "Revision of the record that it made"),
        .id("device_id", "D", "Device that sent it"),
        Column("sequence", .integer, "Number that the device gave it"),
    ]

    static let conflicts = Table(
        "conflicts", "Quarantined records: their id belonged to another record; no other table contains them",
        key: ["enrolment_id", "kind", "record_id", "digest"],
        statement: SQLFile.histories["dataset_conflicts"], foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant, Column("kind", .string, "Kind of the record"),
                Column("record_id", .string, .anchor, "Id of the record, without a letter"),
                Column("digest", .string, "SHA-256 of the content"),
                .moment("received_at", "Record reached the server, UTC"),
                Column(
                    "body", .string, "Record as the device sent it (JSON)", identifierClass: .direct,
                    source: .device),
            ]
        ])

    static let snoozes = Table(
        "snoozes", "Snoozes: requests to be reminded later", key: ["enrolment_id", "occasion_id", "ordinal"],
        statement: SQLFile.histories["dataset_snoozes"], foreignKeys: [.enrolment, .occasion],
        columns: [
            [
                .id("occasion_id", "O", "Occasion"), .enrolment, .participant,
                Column("ordinal", .integer, "Number of the snooze of this occasion, from 1"),
                .moment("asked_at", "Snooze reached the server, UTC"),
                .moment("until_at", "When the participant wanted to be reminded, UTC"),
            ]
        ])

    static let timings = Table(
        "timings", "Time that participants spent on each item", key: ["enrolment_id", "sheet_id", "item"],
        statement: SQLFile.histories["dataset_timings"], ctes: [.sheetInScope], foreignKeys: [.sheet],
        columns: [
            [
                .sheet, .enrolment, .participant, .instrument, .version, .counts, .item,
                Column("duration_ms", .integer, "Time on the item", unit: "ms", source: .device),
            ]
        ])

    static let sheetDevices = Table(
        "sheet_devices", "Devices on which sheets were answered, as they described themselves",
        key: ["enrolment_id", "sheet_id"], statement: SQLFile.histories["dataset_sheet_devices"],
        ctes: [.sheetInScope], foreignKeys: [.sheet],
        columns: [
            [
                .sheet, .enrolment, .participant,
                Column(
                    "device", .string, "Device, as it described itself (JSON)", identifierClass: .direct,
                    source: .device),
            ]
        ])
}

extension Table.CTE {
    static let datedEvent = Table.CTE(
        name: "dated_event", statement: SQLFile.panel["dataset_dated_event"], isMaterialized: true)
    static let phase = Table.CTE(
        name: "phase", statement: SQLFile.panel["dataset_phase"], isMaterialized: true)
}
