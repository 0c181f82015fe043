extension Tables {
    static let participants = Table(
        "participants", "Participants of the study", key: ["participant_id"],
        statement: SQLFile.people["dataset_participants"],
        columns: [
            [
                .participant, .arm,
                Column("enrolments", .integer, "Enrolments of this participant", source: .derived),
                Column("status", .string, "Status of the newest enrolment", valueSet: "enrolment_status"),
                Column("language", .string, "Language that the participant chose", identifierClass: .quasi),
                .date("first_enrolled_on", "Local date of the first enrolment"),
            ]
        ])

    static let enrolments = Table(
        "enrolments", "Enrolments: one for each time that a participant joined the study",
        key: ["enrolment_id"],
        statement: SQLFile.people["dataset_enrolments"], foreignKeys: [.participant],
        columns: [
            [
                .enrolment, .participant, .arm,
                Column(
                    "allocated_arm", .string, "Arm that the allocation assigned; see arm_changes",
                    source: .design),
                Column(
                    "study_version", .string, "Version of the study that the enrolment follows",
                    source: .design),
                Column(
                    "allocation_method", .string, "How the arm was allocated", valueSet: "allocation_method",
                    source: .design),
                Column(
                    "allocation_stratum", .string, "Stratum of the allocation",
                    identifierClass: .quasi, source: .design
                ).dropped,
                Column("allocation_position", .integer, "Index in the stratum's list of arms, from 0")
                    .dropped,
                Column("consent_version", .string, "Version of the consent text", source: .design),
            ],
            Column.instant("consented", "Consent"),
            Column.instant("started", "Enrolment"),
            [
                .date(
                    "started_on", "Local date of enrolment: day 0", source: .derived,
                    derivedFrom: "started_at started_tz")
            ],
            Column.instant("ended", "End of the enrolment, if it is before the end of the study"),
            [
                Column("end_reason", .string, "Why the enrolment ended", identifierClass: .quasi).dropped,
                Column("status", .string, "Status", valueSet: "enrolment_status"),
                Column(
                    "zone", .string, .zone, "Time zone now", identifierClass: .quasi, source: .device),
                Column("language", .string, "Language that the participant chose", identifierClass: .quasi),
                .flag("reminders_on", "The participant receives reminders"),
                Column("reminder_time", .time, "Local time that the participant chose for reminders"),
                Column(
                    "reminder_channels", .string, .list,
                    "Channels of the participant's reminders, separated by |"
                ),
                Column(
                    "allocation_factors", .string, "Factors that the allocation used (JSON)",
                    identifierClass: .quasi
                ).dropped,
                Column(
                    "allocation_basis", .string, "Counts from which the arm was computed (JSON)",
                    source: .derived
                ).dropped,
                Column(
                    "account_kind", .string, "Kind of the account at the enrolment",
                    valueSet: "account_kind"),
            ],
        ])

    static let armChanges = Table(
        "arm_changes", "Changes of arm: arms that researchers assigned after the allocation",
        key: ["enrolment_id", "ordinal"], statement: SQLFile.people["dataset_arm_changes"],
        foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant, Column("ordinal", .integer, "Number of the change, from 1"),
                Column("from_arm", .string, "Arm before", source: .design),
                Column("to_arm", .string, "Arm from then on", source: .design),
                Column("who", .string, "Role of the person who changed it"),
                .moment("changed_at", "When it was changed, UTC"),
                Column("reason", .string, "Reason that was given", identifierClass: .quasi).dropped,
            ]
        ])

    static let tombstones = Table(
        "tombstones", "People whose data are not included, for counting only", key: ["kind", "ordinal"],
        statement: SQLFile.people["dataset_tombstones"],
        columns: [
            [
                Column("kind", .string, "Excluded or erased", valueSet: "tombstone_kind"),
                Column(
                    "ordinal", .integer, "Number of the row within its kind; it does not identify a person"),
            ]
        ])

    static let reminders = Table(
        "reminders", "Reminders: one row per attempt to send one",
        key: ["enrolment_id", "kind", "subject", "ordinal", "attempt"],
        statement: SQLFile.people["dataset_reminders"], foreignKeys: [.enrolment],
        columns: [
            [
                .id("reminder_id", "R", "Reminder and attempt"), .enrolment, .participant,
                Column("kind", .string, "Kind of reminder", valueSet: "reminder_kind", source: .design),
                Column(
                    "subject", .string, .subject,
                    "Subject: local date of a daily mail, an occasion, or a notification rule and the instant from which it counts",
                    source: .design),
                Column("ordinal", .integer, "Number of the reminder of this kind about this subject"),
                Column("attempt", .integer, "Number of the attempt to send it; 0 if there was none"),
                Column("channel", .string, "How it was sent", valueSet: "reminder_channel"),
                Column("occasion_count", .integer, "Occasions that were due"),
            ],
            Column.instant("planned", "Planned"),
            Column.instant("sent", "Attempt to send"),
            [
                Column(
                    "outcome", .string, "Outcome of the attempt, or of the reminder if there was no attempt",
                    valueSet: "reminder_outcome"),
                Column("reply_code", .integer, "Reply code of the mail server"),
                Column("state", .string, "State of the reminder", valueSet: "reminder_state"),
                Column("suppressed_why", .string, "Why it was not sent", valueSet: "suppression_reason"),
                .moment("delivered_at", "A device confirmed that it arrived, UTC"),
                .moment("opened_at", "The participant opened it, UTC"),
            ],
        ])

    static let usageEvents = Table(
        "usage_events", "Usage events: what happened in the app around the measurements",
        key: ["enrolment_id", "event_id"], statement: SQLFile.usage["dataset_usage_events"],
        foreignKeys: [.enrolment],
        columns: [
            [
                .id("event_id", "U", "Usage event"), .enrolment, .participant, .arm, .studyDay, .weekday,
                Column("event", .string, "What happened", valueSet: "usage_event", source: .device),
            ],
            Column.instant(
                "happened", "It happened, by the corrected clock", hasOffset: true, source: .device),
            [
                .moment("received_at", "Event reached the server, UTC"), .clockSkew,
                .id("occasion_id", "O", "Occasion to which it refers, as the device named it"),
                Column("instrument", .string, "Instrument to which it refers", source: .device),
                Column("feature", .string, "Feature of the study to which it refers", source: .device),
                // Devices choose these texts freely.
                Column(
                    "collection", .string, "Collection of the content that was shown or played",
                    identifierClass: .quasi, source: .device
                ).dropped,
                Column(
                    "item", .string, "Content in the collection", valueSet: ContentLabels.columnSet,
                    identifierClass: .quasi, source: .device
                ).dropped,
                Column("seconds", .number, "Duration", unit: "s", source: .device),
                Column(
                    "properties", .string, "Further properties that the device sent (JSON)",
                    identifierClass: .quasi,
                    source: .device
                ).dropped,
            ],
        ])

    /// Included only if the study has published a content library.
    static let contentShown = Table(
        "content_shown", "Content: every item that was selected for a participant",
        key: ["enrolment_id", "collection", "why", "ordinal"],
        statement: SQLFile.usage["dataset_content_shown"],
        foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant, .arm,
                Column("collection", .string, "Collection of the library", source: .design),
                Column(
                    "item", .string, "Item; see meta/library", valueSet: ContentLabels.columnSet,
                    source: .design),
                Column("edition", .integer, "Edition that was live when it was selected"),
                Column("why", .string, "Selection: daily, draw, or the code of a rule"),
                Column("ordinal", .integer, "Number among these selections of the participant, from 1"),
                .studyDay,
                .moment("selected_at", "The server selected it, UTC"),
                .moment("shown_at", "The app showed it first on that date, UTC"),
                Column("played_s", .number, "Time for which it was played", unit: "s", source: .device),
            ]
        ])

    /// Included only if the study has decision rules.
    static let decisions = Table(
        "decisions", "Decisions: what the decision rules decided, and on which values",
        key: ["enrolment_id", "rule", "ordinal"], statement: SQLFile.usage["dataset_decisions"],
        foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant, .arm, Column("rule", .string, "Decision rule", source: .design),
                Column("ordinal", .integer, "Number among the stored decisions of the rule, from 1"),
                // The name contains a date or the id of a sheet.
                Column("point", .string, "Decision point", identifierClass: .quasi).dropped,
                Column("key", .string, "Element or key of the rule; blank for none", identifierClass: .quasi)
                    .dropped,
                Column("study_version", .string, "Study version whose rule decided", source: .design),
                .studyDay,
                .moment("moment", "Moment of the decision point, UTC"),
                .moment("decided_at", "The server decided, UTC"),
                Column(
                    "outcome", .string, "Action, or the step that stopped it", valueSet: "rule_outcome"),
                .flag("available", "The action was possible before the draw"),
                Column(
                    "probability", .number, "Probability of the action; blank if the rule does not randomise"),
                Column("draw", .number, "Number that was drawn; below the probability, the action is done"),
                Column(
                    "variables", .string, "Values on which the decision rested (JSON)",
                    identifierClass: .direct
                ).dropped,
                Column("collection", .string, "Collection of the content in the message", source: .design),
                Column(
                    "item", .string, "Item of the content in the message", valueSet: ContentLabels.columnSet,
                    source: .design),
                Column("edition", .integer, "Edition of the item"),
                Column("target", .string, "Where the message leads", source: .design),
                .moment("sent_at", "A channel accepted the message, or it was put into the inbox, UTC"),
                .moment("delivered_at", "A device confirmed that it arrived, UTC"),
                .moment("opened_at", "The participant opened it, UTC"),
                .moment("acted_at", "The participant did what it suggests, UTC"),
                .moment("dismissed_at", "The participant dismissed it, UTC"),
            ]
        ])

    /// Included only if the study has decision rules.
    static let alerts = Table(
        "alerts", "Alerts of the study team", key: ["enrolment_id", "ordinal"],
        statement: SQLFile.usage["dataset_alerts"], foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant,
                Column("ordinal", .integer, "Number of the participant's alert, from 1"),
                Column("rule", .string, "Rule that raised it", source: .design),
                Column("about", .string, "Reason", identifierClass: .quasi, source: .design),
                .moment("raised_at", "The rule decided, UTC"),
                .moment("acknowledged_at", "A coordinator acknowledged it, UTC"),
                Column("note", .string, "What the coordinator did", identifierClass: .direct).dropped,
            ]
        ])

    /// Messages of coordinators. Their words are not in the dataset.
    static let broadcasts = Table(
        "broadcasts", "Messages that coordinators sent to many participants",
        key: ["enrolment_id", "broadcast_id"],
        statement: SQLFile.usage["dataset_broadcasts"], foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant,
                Column("broadcast_id", .string, "Id of the broadcast", source: .design),
                .moment("created_at", "It was put into the inbox, UTC"),
                .moment("sent_at", "A channel accepted it, or it was put into the inbox, UTC"),
                .moment("opened_at", "The participant opened it, UTC"),
                .moment("acted_at", "The participant did what it suggests, UTC"),
                .moment("dismissed_at", "The participant dismissed it, UTC"),
            ]
        ])

    /// Included only if the study has decision rules.
    static let awards = Table(
        "awards", "Awards that decision rules granted", key: ["enrolment_id", "award", "ordinal"],
        statement: SQLFile.usage["dataset_awards"], foreignKeys: [.enrolment],
        columns: [
            [
                .enrolment, .participant, Column("award", .string, "Award", source: .design),
                Column("ordinal", .integer, "Number of the award, from 1"),
                Column("rule", .string, "Rule that granted it", source: .design),
                .moment("awarded_at", "It was granted, UTC"),
            ]
        ])
}
