import HTTPTypes
import SaunterCore
import SaunterStore

/// How a study goes, for those who run it: pseudonyms only.
struct MonitoringRoutes: Sendable {
    let context: ServerContext

    var participants: Route {
        Route(
            .get, "/v1/studies/{study}/participants", who: .researcher, tag: "Monitoring",
            summary: "Participants by pseudonym",
            parameters: [.study], query: [.limit, .cursor],
            outcomes: [.json(.ok, "In the order of the pseudonyms.", .page(of: Self.participantSchema))]
        ) { call in
            let (rows, next) = try await page(call)
            let occasions = try await context.store.listOccasions(of: rows.map(\.enrolment))
            let unreachable = try await context.store.listUnreachableChannels(of: rows.map(\.enrolment))
            let least = try await context.catalogue.findLive(call.text("study"))?.published.study
                .lowAdherencePercent
            let items = rows.map { row -> JSON in
                let own = occasions[row.enrolment] ?? []
                return [
                    "participant_id": .string(row.participantID), "arm": .string(row.arm),
                    "status": .string(row.state.rawValue), "enrolled_at": .instant(row.enrolledAt),
                    "ended_at": .instant(row.endedAt), "time_zone": .string(row.zone.id),
                    "language": .string(row.language), "last_sheet_at": .instant(row.lastSheetAt),
                    "answer_sheets": .int(row.sheets), "walks": .int(row.walks),
                    "adherence": Adherence(occasions: own, at: call.now).json,
                    "low_adherence_since": .instant(lowAdherence(own, below: least, at: call.now)),
                    "unreachable": .array(
                        (unreachable[row.enrolment] ?? []).map {
                            ["channel": .string($0.channel), "since": .instant($0.since)]
                        }),
                ]
            }
            return .page(
                items, next: next, path: "/v1/studies/\(try call.text("study"))/participants",
                query: call.pageQuery, publicURL: context.configuration.publicURL)
        }
    }

    /// Since when this participant's adherence is lower than the study is content with; nil when it is not.
    private func lowAdherence(_ occasions: [Occasion], below percent: Int?, at now: Instant) -> Instant? {
        guard let percent, let last = LowAdherence.spells(of: occasions, below: percent, until: now).last,
            last.to == nil
        else { return nil }
        return last.from
    }

    var adherence: Route {
        Route(
            .get, "/v1/studies/{study}/adherence", who: .researcher, tag: "Monitoring",
            summary: "Adherence per participant, questionnaire, study week and study day",
            description: """
                Settled occasions are the denominator: answered ones, and those whose window is over. Beside them what became of each participant's messages, \
                and how the study's webhook goes.
                """,
            parameters: [.study], query: [.limit, .cursor],
            outcomes: [
                .json(
                    .ok, "In the order of the pseudonyms.",
                    .page(
                        of: Self.rowSchema,
                        [
                            .required("total", Adherence.schema, "Of this page."),
                            .required("webhook", Self.webhookSchema, "Null where the study has none."),
                        ]))
            ]
        ) { call in
            let (rows, next) = try await page(call)
            let occasions = try await context.store.listOccasions(of: rows.map(\.enrolment))
            let messages = try await context.store.countMessages(of: rows.map(\.enrolment))
            let zones = try await context.store.listZones(of: rows.map(\.enrolment))
            let items = rows.map { row in
                self.row(
                    row, occasions[row.enrolment] ?? [], messages[row.enrolment] ?? MessageCounts(),
                    lost: Streak.datesLost(in: zones[row.enrolment] ?? []), at: call.now)
            }
            let webhook = try await context.store.findWebhook(call.text("study"))
            let total = Adherence(occasions: rows.flatMap { occasions[$0.enrolment] ?? [] }, at: call.now)
            return .page(
                items, next: next, path: "/v1/studies/\(try call.text("study"))/adherence",
                query: call.pageQuery, publicURL: context.configuration.publicURL,
                more: [
                    "total": total.json, "webhook": .optional(webhook, Self.json),
                ])
        }
    }

    private func row(
        _ row: ParticipantRow, _ occasions: [Occasion], _ messages: MessageCounts, lost: Set<LocalDate>,
        at now: Instant
    ) -> JSON {
        let today = row.zone.local(of: now).date
        let byQuestionnaire = Dictionary(grouping: occasions, by: \.questionnaire).sorted { $0.key < $1.key }
        let byDay = Dictionary(grouping: occasions) { $0.localDate.days - row.enrolledOn.days }.sorted {
            $0.key < $1.key
        }
        return [
            "participant_id": .string(row.participantID), "arm": .string(row.arm),
            "total": Adherence(occasions: occasions, at: now).json, "messages": Self.json(messages),
            "streak": Streak(occasions: occasions, at: now, today: today, lost: lost).json,
            "weeks": Adherence.weeksJSON(of: occasions, enrolledOn: row.enrolledOn, at: now),
            "questionnaires": .array(
                byQuestionnaire.map {
                    [
                        "questionnaire": .string($0.key),
                        "adherence": Adherence(occasions: $0.value, at: now).json,
                    ]
                }),
            "days": .array(
                byDay.map { day, ofDay in
                    let adherence = Adherence(occasions: ofDay, at: now)
                    return [
                        "study_day": .int(day), "settled": .int(adherence.settled),
                        "completed": .int(adherence.completed), "on_time": .int(adherence.onTime),
                    ]
                }),
        ]
    }

    private func page(_ call: Call<Identity>) async throws -> (rows: [ParticipantRow], next: Cursor?) {
        let study = try call.text("study")
        guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
        let rows = try await context.store.listParticipants(
            study, after: try call.cursor(parts: 1)?.parts[0], limit: call.pageLimit + 1)
        let page = Array(rows.prefix(call.pageLimit))
        return (page, rows.count > page.count ? page.last.map { Cursor([$0.participantID]) } : nil)
    }

    static let participantSchema = Schema.named(
        "Participant",
        .object([
            .required("participant_id", .string()), .required("arm", .string()),
            .required("status", .string(values: ["active", "stopped", "excluded"])),
            .required("enrolled_at", .instant), .required("ended_at", .nullable(.instant)),
            .required("time_zone", .zone), .required("language", .string()),
            .required("last_sheet_at", .nullable(.instant)), .required("answer_sheets", .integer(min: 0)),
            .required("walks", .integer(min: 0)), .required("adherence", Adherence.schema),
            .required(
                "low_adherence_since", .nullable(.instant),
                "Since when it is below what the study is content with."),
            .required(
                "unreachable",
                .array(
                    of: .object([.required("channel", .string()), .required("since", .instant)])),
                "Channels by which reminders failed three times in a row."),
        ]))

    static let rowSchema = Schema.named(
        "AdherenceRow",
        .object([
            .required("participant_id", .string()), .required("arm", .string()),
            .required("total", Adherence.schema),
            .required(
                "streak", Streak.schema, "Local dates in a row of which everything planned was answered."),
            .required("weeks", Adherence.weeksSchema, "Those in which something has opened."),
            .required("messages", messagesSchema, "What became of the reminders."),
            .required(
                "questionnaires",
                .array(
                    of: .object([
                        .required("questionnaire", .string()),
                        .required("adherence", Adherence.schema),
                    ]))),
            .required(
                "days",
                .array(
                    of: .object([
                        .required("study_day", .integer()), .required("settled", .integer(min: 0)),
                        .required("completed", .integer(min: 0)), .required("on_time", .integer(min: 0)),
                    ]))),
        ]))
}
