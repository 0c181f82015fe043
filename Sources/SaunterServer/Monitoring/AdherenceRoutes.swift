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
                whose window is over. Participants who left the study with `exclude` or `erase` do not count. With \
                `questionnaire`, `from_day` or `to_day`, all members except `messages`, `streak`, `unsent` and \
                `webhook` count only the occasions that fit. The response also counts each participant's messages by \
                their delivery, and contains the state of the study's webhook. \
                If the arms of a blinded study have different ratios, callers who may not see arms get no totals by \
                arm, because the totals reveal which arm a letter means.
                """,
            parameters: [.study], query: AdherenceQuery.parameters,
            outcomes: [
                .json(
                    .ok, "Adherence of participants, sorted by pseudonym.",
                    .page(
                        of: Self.rowSchema,
                        [
                            .required(
                                "total", Adherence.schema, "The adherence of all participants on this page."),
                            .required(
                                "totals", AdherenceTotals.schema,
                                "The adherence of all participants on this page, by week, arm and questionnaire."
                            ),
                            .required(
                                "webhook", Self.webhookSchema,
                                "The state of the study's webhook; null if the study has none."),
                            .required(
                                "arms", .array(of: .string()), "The arms of the live version of the study."),
                            .required(
                                "questionnaires", .array(of: .string()),
                                "The codes of the questionnaires that the live version schedules, sorted."),
                            .required(
                                "study_days", .integer(min: 0),
                                "The number of the last day, in the live version of the study."),
                            .required("as_of", .instant, "The instant of the numbers."),
                        ]))
            ], problems: [.notFound]
        ) { call in
            guard let live = try await context.catalogue.findLive(call.text("study")) else {
                throw Problem(.notFound)
            }
            let study = live.published.study
            let arms = try await context.armView(of: study.code, for: call.caller)
            // No arm has an empty code, so a name that no arm has finds no participants.
            let query = try AdherenceQuery(call) { arms.code($0) ?? "" }
            let found = try await context.store.listParticipants(
                study.code, query.participants.filter(days: study.days), by: query.participants.order,
                after: query.participants.position, limit: call.pageLimit + 1, at: call.now)
            let page = found.prefix(call.pageLimit)
            let details = try await details(of: page.map(\.row))
            let totals = AdherenceTotals(
                rows: details.map { ($0.row, query.select($0.occasions, enrolledOn: $0.row.enrolledOn)) },
                now: call.now)
            let webhook = try await context.store.findWebhook(study.code)
            let next = found.count > page.count ? page.last?.position : nil
            return .page(
                zip(details, totals.rows).map { $0.json(counting: $1.occasions, arms, at: call.now) },
                next: next.map(query.participants.cursor), path: "/v1/studies/\(study.code)/adherence",
                query: call.pageQuery, publicURL: context.configuration.publicURL,
                more: [
                    "total": totals.total.json,
                    "totals": totals.json(arms, showsArms: arms.showsNumbers(of: study)),
                    "webhook": .optional(webhook, Self.json),
                    "arms": .array(arms.names(of: study).map(JSON.string)),
                    "questionnaires": .array(
                        Set(study.schedules.map(\.questionnaire)).sorted().map(JSON.string)),
                    "study_days": .int(study.days), "as_of": .instant(call.now),
                ])
        }
    }

    private func details(of rows: [ParticipantRow]) async throws -> [Details] {
        let ids = rows.map(\.enrolment)
        let occasions = try await context.store.listOccasions(of: ids)
        let messages = try await context.store.countMessages(of: ids)
        let zones = try await context.store.listZones(of: ids)
        let missing = try await context.store.countMissingRecords(of: ids)
        return rows.map { row in
            Details(
                row: row, occasions: occasions[row.enrolment] ?? [],
                messages: messages[row.enrolment] ?? MessageCounts(),
                skippedByTravel: Streak.datesSkippedByTravel(in: zones[row.enrolment] ?? []),
                unsent: missing[row.enrolment] ?? 0)
        }
    }

    /// A participant with everything of which the row is made.
    private struct Details {
        var row: ParticipantRow
        var occasions: [Occasion]
        var messages: MessageCounts
        var skippedByTravel: Set<LocalDate>
        var unsent: Int

        /// - Parameter counted: the occasions that fit the query. The streak counts all.
        func json(counting counted: [Occasion], _ arms: ArmView, at now: Instant) -> JSON {
            let streak = Streak(
                occasions: occasions, at: now, today: row.zone.local(of: now).date,
                skippedByTravel: skippedByTravel)
            let days = StudyDay.group(counted, enrolledOn: row.enrolledOn).sorted { $0.key < $1.key }
            return [
                "participant_id": .string(row.participantID), "arm": arms.json(row.arm),
                "enrolled_on": .string(row.enrolledOn.description),
                "total": Adherence(occasions: counted, at: now).json,
                "messages": AdherenceRoutes.json(messages), "unsent": .int(unsent), "streak": streak.json,
                "weeks": Adherence.weeksJSON(of: counted, enrolledOn: row.enrolledOn, at: now),
                "questionnaires": AdherenceTotals.questionnaires(counted, at: now),
                "days": .array(
                    days.map { StudyDay($0.key, $0.value, enrolledOn: row.enrolledOn, at: now).json }),
            ]
        }
    }

    static let rowSchema = Schema.named(
        "AdherenceRow",
        .object([
            .required(
                "participant_id", .string(),
                "The pseudonym of the participant, which also identifies them in datasets of the profiles coded and full."
            ),
            .required("arm", .string(), ArmView.description),
            .required(
                "enrolled_on", .string(format: .date),
                "The participant's local date of the enrolment, day 0 of the study."),
            .required(
                "total", Adherence.schema,
                "The adherence since the enrolment, or for the occasions that fit the query."),
            .required(
                "streak", Streak.schema,
                """
                Consecutive local dates on which the participant answered every planned occasion, of every \
                questionnaire.
                """),
            .required("weeks", Adherence.weeksSchema, "Study weeks in which an occasion has opened."),
            .required("messages", messagesSchema, "Messages by their delivery."),
            .required(
                "unsent", .integer(min: 0),
                "The number of records that devices have numbered and that have not arrived."),
            .required(
                "questionnaires", AdherenceTotals.questionnairesSchema, "The adherence by questionnaire."),
            .required(
                "days", .array(of: StudyDay.schema), "The study days that have an occasion, in order."),
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
