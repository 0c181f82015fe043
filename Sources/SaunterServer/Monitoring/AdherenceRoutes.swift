import HTTPTypes
import SaunterCore
import SaunterStore

/// The route for the adherence of a study's participants.
struct AdherenceRoutes: Sendable {
    let context: ServerContext

    var adherence: Route {
        Route(
            .get, "/v1/studies/{study}/adherence", who: .researcher, tag: "Monitoring",
            summary: "List adherence by participant, questionnaire, study week and study day",
            description: """
                The denominator of adherence is the number of settled occasions: those that are answered, and those \
                whose window is over. Participants who left the study with `exclude` or `erase` do not count. The \
                response also counts each participant's messages by their delivery, and contains the state of the \
                study's webhook.
                """,
            parameters: [.study], query: [.limit, .cursor],
            outcomes: [
                .json(
                    .ok, "Adherence of participants, sorted by pseudonym.",
                    .page(
                        of: Self.rowSchema,
                        [
                            .required(
                                "total", Adherence.schema, "The adherence of all participants on this page."),
                            .required(
                                "webhook", Self.webhookSchema,
                                "The state of the study's webhook; null if the study has none."),
                        ]))
            ]
        ) { call in
            let (rows, next) = try await page(call)
            let arms = try await context.armView(of: call.text("study"), for: call.caller)
            let occasions = try await context.store.listOccasions(of: rows.map(\.enrolment))
            let messages = try await context.store.countMessages(of: rows.map(\.enrolment))
            let zones = try await context.store.listZones(of: rows.map(\.enrolment))
            let items = rows.map { row in
                self.row(
                    row, arms, occasions[row.enrolment] ?? [], messages[row.enrolment] ?? MessageCounts(),
                    skippedByTravel: Streak.datesSkippedByTravel(in: zones[row.enrolment] ?? []), at: call.now
                )
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
        _ row: ParticipantRow, _ arms: ArmView, _ occasions: [Occasion], _ messages: MessageCounts,
        skippedByTravel: Set<LocalDate>, at now: Instant
    ) -> JSON {
        let today = row.zone.local(of: now).date
        let byQuestionnaire = Dictionary(grouping: occasions, by: \.questionnaire).sorted { $0.key < $1.key }
        let byDay = Dictionary(grouping: occasions) { $0.localDate.days - row.enrolledOn.days }.sorted {
            $0.key < $1.key
        }
        return [
            "participant_id": .string(row.participantID), "arm": arms.json(row.arm),
            "total": Adherence(occasions: occasions, at: now).json, "messages": Self.json(messages),
            "streak": Streak(
                occasions: occasions, at: now, today: today, skippedByTravel: skippedByTravel
            ).json,
            "weeks": Adherence.weeksJSON(of: occasions, enrolledOn: row.enrolledOn, at: now),
            "questionnaires": .array(
                byQuestionnaire.map {
                    [
                        "questionnaire": .string($0.key),
                        "adherence": Adherence(occasions: $0.value, at: now).json,
                    ]
                }),
            "days": .array(
                byDay.map { day, occasionsOfDay in
                    let adherence = Adherence(occasions: occasionsOfDay, at: now)
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

    static let rowSchema = Schema.named(
        "AdherenceRow",
        .object([
            .required(
                "participant_id", .string(),
                "The pseudonym of the participant, which also identifies them in datasets of the profiles coded and full."
            ),
            .required("arm", .string(), ArmView.description),
            .required("total", Adherence.schema, "The adherence since the enrolment."),
            .required(
                "streak", Streak.schema,
                "Consecutive local dates on which the participant answered every planned occasion."),
            .required("weeks", Adherence.weeksSchema, "Study weeks in which an occasion has opened."),
            .required("messages", messagesSchema, "Messages by their delivery."),
            .required(
                "questionnaires",
                .array(
                    of: .object([
                        .required("questionnaire", .string(), "The code of the questionnaire."),
                        .required("adherence", Adherence.schema, "The adherence for this questionnaire."),
                    ])), "The adherence by questionnaire."),
            .required(
                "days",
                .array(
                    of: .object([
                        .required(
                            "study_day", .integer(),
                            "The day of the study; day 0 is the day of the enrolment."),
                        .required(
                            "settled", .integer(min: 0),
                            "The number of occasions of the day that are answered, or whose window has closed."
                        ),
                        .required(
                            "completed", .integer(min: 0),
                            "The number of occasions of the day that are answered."),
                        .required(
                            "on_time", .integer(min: 0),
                            "The number of occasions of the day that were answered on time."),
                    ])), "The counts by study day."),
        ]))

    static func json(_ counts: MessageCounts) -> JSON {
        [
            "sent": .int(counts.sent), "confirmed": .int(counts.confirmed),
            "undelivered": .int(counts.undelivered), "uncertain": .int(counts.uncertain),
            "last_undelivered_at": .instant(counts.lastUndeliveredAt),
        ]
    }

    static let messagesSchema = Schema.named(
        "MessageCounts",
        .object([
            .required("sent", .integer(min: 0), "The number of messages that a channel accepted."),
            .required(
                "confirmed", .integer(min: 0),
                "The number of sent messages whose delivery a device confirmed."),
            .required(
                "undelivered", .integer(min: 0), "The number of messages that no channel could deliver."),
            .required(
                "uncertain", .integer(min: 0),
                "The number of messages that were possibly sent. The server does not send them again."),
            .required(
                "last_undelivered_at", .nullable(.instant),
                "When a message last could not be delivered; null if all were."),
        ]))

    static func json(_ webhook: StudyWebhook) -> JSON {
        [
            "state": .string(WebhookRoutes.state(webhook)),
            "since": .instant(webhook.disabledAt ?? webhook.failingSince ?? webhook.setAt),
            "reason": .optional(webhook.disabledReason) { .string($0.rawValue) },
        ]
    }

    static let webhookSchema = Schema.nullable(
        .object([
            .required("state", WebhookRoutes.states, "Whether the server calls the webhook."),
            .required(
                "since", .instant,
                "Since when the webhook is disabled or failing; if it is active, when it was set."),
            .required(
                "reason", .nullable(WebhookRoutes.reasons), "Why the webhook is disabled; null if it is not."),
        ]))
}
