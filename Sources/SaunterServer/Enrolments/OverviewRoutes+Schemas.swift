import SaunterCore

extension OverviewRoutes {
    static let entrySchema = Schema.named(
        "OverviewEntry",
        .object([
            .required("questionnaire", .string()), .required("title", .string()),
            .required("version", .string()),
            .required("minutes", .nullable(.number(min: 0))),
            .required("due_today", .boolean, "Open or overdue, or opening later on the participant's today."),
            .required("disabled", .boolean, "It cannot be answered now."),
            .required(
                "disabled_reason", .nullable(.string(values: DisabledReason.allCases.map(\.rawValue)))),
            .required("occasion_id", .nullable(.id)), .required("opens_at", .nullable(.instant)),
            .required("due_at", .nullable(.instant)), .required("closes_at", .nullable(.instant)),
            .required("completed_at", .nullable(.instant)), .required("next_opens_at", .nullable(.instant)),
        ]))

    static let walkSchema = Schema.named(
        "WalkReadiness",
        .object([
            .required("may_start", .boolean),
            .required("reason", .nullable(.string(values: WalkReadiness.Reason.allCases.map(\.rawValue)))),
            .required("calibration_id", .nullable(.id)),
            .required("target_speed_kmh", .nullable(.number(min: 0))),
            .required(
                "target_feedback", .boolean, "Whether the device signals when the target speed is passed."),
            .required("walks", .integer(min: 0), "Walks so far."),
        ]))

    static let consentDueSchema = Schema.nullable(
        .object([.required("version", .string()), .required("text", .string(), "Markdown.")]))

    static let occasionSchema = Schema.named(
        "Occasion",
        .object([
            .required("occasion_id", .id), .required("questionnaire", .string()),
            .required("schedule", .string()),
            .required("day", .integer()), .required("local_date", .string(format: .date)),
            .required("time_zone", .zone),
            .required("state", .string(values: OccasionState.allCases.map(\.rawValue))),
            .required("visible_at", .instant), .required("opens_at", .instant), .required("due_at", .instant),
            .required("closes_at", .instant), .required("dst_adjusted", .boolean),
            .required("completed_at", .nullable(.instant)), .required("sheet_id", .nullable(.id)),
        ]))
}
