import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes for the messages of a study, by pseudonym. They contain no address, no name and no text.
struct StaffMessageRoutes: Sendable {
    /// The days of a response without dates.
    private static let usualDays = 14
    /// The largest number of days of one response.
    static let maximumDays = 28

    let context: ServerContext

    private static let dateParameters: [QueryParameter] = [
        QueryParameter(
            "from", .string(format: .date), "Only entries that are planned for this date or later."),
        QueryParameter(
            "to", .string(format: .date), "Only entries that are planned for this date or earlier."),
    ]

    private static let filters: [QueryParameter] = [
        QueryParameter(
            "participant", .string(minLength: 1, maxLength: 100), "Only the participant with this pseudonym."),
        QueryParameter(
            "state", .string(values: ReminderState.allCases.map(\.rawValue)), "Only entries in this state."),
        QueryParameter("kind", ReminderResponse.kinds, "Only entries of this kind."),
        QueryParameter(
            "rule", .string(minLength: 1, maxLength: 100),
            """
            Only messages of the rule or notification with this code; `broadcast` selects the messages of the study \
            team.
            """),
    ]

    private static let dateMembers: [Schema.Member] = [
        .required("as_of", .instant, "The instant of the response."),
        .required("from", .string(format: .date), "The first local date of the response."),
        .required("to", .string(format: .date), "The last local date of the response."),
    ]

    // MARK: Reminders

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/messages", who: .researcher, tag: "Monitoring",
            summary: "List the messages of a study",
            description: """
                Each entry is one reminder or one message of a rule or of the study team, the newest first. Reminders \
                that were sent together have the same `message_id`. An entry begins to exist when the message is due or \
                waits for its channel: what is planned later is computed when it is needed. The dates are local dates of \
                the participants, by their present time zones, and at most \(Self.maximumDays) days. Without `from` the \
                response has \(Self.usualDays) days; without `to` it ends with the latest local date of any participant. \
                Participants who left with `exclude` or `erase` are left out. The response contains no text of a \
                message and no address.
                """,
            parameters: [.study],
            query: Self.filters + Self.dateParameters + [QueryParameter.limit, .cursor],
            outcomes: [
                .json(.ok, "Messages that fit all filters.", .page(of: Self.schema, Self.dateMembers))
            ], problems: [.notFound]
        ) { call in
            let (study, visibility) = try await context.visibleStudy(call)
            let (from, to) = try DateRange.recent(
                call, usualDays: Self.usualDays, maximumDays: Self.maximumDays)
            var filter = StudyReminderFilter(from: from, to: to)
            (filter.kind, filter.rule) = (call.query("kind"), call.query("rule"))
            filter.state = call.query("state")
            let position = try Self.position(call)
            // The participants of a rule whose code names an arm would be those of the arm.
            let isHidden = filter.rule.map(visibility.isHidden) ?? false
            let found = isHidden ? [] : try await reminders(of: study.code, filter, after: position, call)
            let page = found.prefix(call.pageLimit)
            let next = found.count > page.count ? page.last.map { Self.cursor($0.position) } : nil
            return .page(
                page.map { Self.json($0, visibility) }, next: next,
                path: "/v1/studies/\(study.code)/messages",
                query: call.pageQuery, publicURL: context.configuration.publicURL,
                more: Self.dateValues(from, to, call.now))
        }
    }

    /// The reminders of the page, and one more if there is another page.
    private func reminders(
        of study: String, _ filter: StudyReminderFilter, after position: StudyReminder.Position?,
        _ call: Call<Identity>
    ) async throws -> [StudyReminder] {
        var filter = filter
        if let pseudonym = call.query("participant") {
            // An unknown pseudonym has no messages.
            guard let enrolment = try await context.store.findEnrolment(of: pseudonym, in: study) else {
                return []
            }
            filter.enrolment = enrolment.id
        }
        return try await context.store.listReminders(
            of: study, filter, after: position, limit: call.pageLimit + 1)
    }

    private static func position(_ call: Call<Identity>) throws(Problem) -> StudyReminder.Position? {
        guard let parts = try call.cursor(parts: 5)?.parts else { return nil }
        guard let milliseconds = Int64(parts[0]), let enrolment = EnrolmentID(parts[1]),
            let ordinal = Int(parts[4]), (0...Int(Int32.max)) ~= ordinal
        else { throw .invalidCursor }
        return StudyReminder.Position(
            plannedAt: Instant(milliseconds: milliseconds), enrolment: enrolment, kind: parts[2],
            subject: parts[3], ordinal: ordinal)
    }

    private static func cursor(_ position: StudyReminder.Position) -> Cursor {
        Cursor([
            String(position.plannedAt.milliseconds), position.enrolment.description, position.kind,
            position.subject, String(position.ordinal),
        ])
    }

    private static func json(_ reminder: StudyReminder, _ visibility: RuleVisibility) -> JSON {
        [
            "participant_id": .string(reminder.participantID), "message_id": .id(reminder.message),
            "kind": .string(reminder.position.kind), "rule": .optional(reminder.rule, visibility.name),
            "occasion_id": .id(reminder.occasion),
            "questionnaire": .optional(reminder.questionnaire, JSON.string),
            "study_day": .int(reminder.studyDay), "planned_at": .instant(reminder.position.plannedAt),
            "state": .string(reminder.state.rawValue), "reason": .optional(reminder.reason, JSON.string),
            "sent_at": .instant(reminder.sentAt), "delivered_at": .instant(reminder.deliveredAt),
            "opened_at": .instant(reminder.openedAt), "attempts": reminder.attempts,
        ]
    }

    // MARK: Days

    var days: Route {
        Route(
            .get, "/v1/studies/{study}/messages/days", who: .researcher, tag: "Monitoring",
            summary: "Count the messages of a study by day",
            description: """
                The numbers are those of the entries of `/v1/studies/{study}/messages` with the same dates. Dates \
                without a message are left out. At most \(Self.maximumDays) days; without dates the last \
                \(Self.usualDays).
                """,
            parameters: [.study], query: Self.dateParameters,
            outcomes: [
                .json(
                    .ok, "The counts, sorted by date.",
                    .named(
                        "MessageDays",
                        .object(
                            [.required("items", .array(of: Self.daySchema), "The dates with a message.")]
                                + Self.dateMembers)))
            ], problems: [.notFound]
        ) { call in
            let study = try await findStudy(call)
            let (from, to) = try DateRange.recent(
                call, usualDays: Self.usualDays, maximumDays: Self.maximumDays)
            let found = try await context.store.countRemindersByDay(of: study, from: from, to: to)
            var body: JSONObject = ["items": .array(found.map(Self.json))]
            for member in Self.dateValues(from, to, call.now) { body[member.name] = member.value }
            return .json(.ok, .object(body))
        }
    }

    private static func json(_ day: ReminderDay) -> JSON {
        [
            "date": .string(day.date.description), "planned": .int(day.planned), "sent": .int(day.sent),
            "failed": .int(day.failed), "uncertain": .int(day.uncertain),
            "suppressed": .int(day.suppressed), "waiting": .int(day.waiting),
            "delivered": .int(day.delivered), "opened": .int(day.opened),
        ]
    }

    private static func dateValues(_ from: LocalDate, _ to: LocalDate, _ now: Instant) -> JSONObject {
        [
            "as_of": .instant(now), "from": .string(from.description), "to": .string(to.description),
        ]
    }

    // MARK: Unreachable participants

    var unreachable: Route {
        Route(
            .get, "/v1/studies/{study}/unreachable", who: .researcher, tag: "Monitoring",
            summary: "List the participants whom messages do not reach",
            description: """
                One entry for each channel on which messages failed three times in a row, or whose address does not \
                exist any more, sorted by pseudonym. Only participants who take part are listed. A message that is sent \
                later by the channel, or another address, ends the entry.
                """,
            parameters: [.study], query: [.limit, .cursor],
            outcomes: [
                .json(
                    .ok, "The channels.",
                    .page(
                        of: Self.unreachableSchema,
                        [.required("as_of", .instant, "The instant of the list.")]))
            ], problems: [.notFound]
        ) { call in
            let study = try await findStudy(call)
            let position = try call.cursor(parts: 2).map {
                (participantID: $0.parts[0], channel: $0.parts[1])
            }
            let found = try await context.store.listUnreachable(
                of: study, after: position, limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let next =
                found.count > page.count ? page.last.map { Cursor([$0.participantID, $0.channel]) } : nil
            return .page(
                page.map { entry in
                    [
                        "participant_id": .string(entry.participantID), "channel": .string(entry.channel),
                        "failures": .int(entry.failures), "since": .instant(entry.since),
                        "last_failed_at": .instant(entry.lastFailedAt),
                    ]
                }, next: next, path: "/v1/studies/\(study)/unreachable", query: call.pageQuery,
                publicURL: context.configuration.publicURL, more: ["as_of": .instant(call.now)])
        }
    }

    /// The code of the study in the path.
    /// - Throws: `not-found`.
    private func findStudy(_ call: Call<Identity>) async throws -> String {
        let study = try call.text("study")
        guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
        return study
    }

    // MARK: Schemas

    private static let count = Schema.integer(min: 0)

    private static let schema = Schema.named(
        "StudyMessage",
        .object([
            .required("participant_id", .string(), "The pseudonym of the participant."),
            .required("message_id", .id, "The message. Reminders that are sent together have the same one."),
            .required("kind", ReminderResponse.kinds, "Why it is sent."),
            .required(
                "rule", .nullable(.string()),
                """
                The code of the rule or notification, or `broadcast` for a message of the study team; null for \
                reminders.
                """),
            .required("occasion_id", .nullable(.id), "The occasion of which it reminds; null for none."),
            .required(
                "questionnaire", .nullable(.string()), "The code of its questionnaire; null for no occasion."),
            .required("study_day", .integer(), "The day of the study for which it is planned."),
            .required("planned_at", .instant, "When it is planned."),
            .required(
                "state", .string(values: ReminderState.allCases.map(\.rawValue)),
                """
                `claimed`: a worker sends it; `retrying`: another attempt follows; `failed`: no channel could deliver \
                it; `unknown`: it was possibly sent and is not sent again; `suppressed`: the server decided not to send \
                it.
                """),
            .required(
                "reason", .nullable(.string()),
                "Why it was not sent, or why the last attempt failed; null if it was sent."),
            .required("sent_at", .nullable(.instant), "When a channel accepted it; null if none did."),
            .required("delivered_at", .nullable(.instant), "When a device received it; null if not known."),
            .required("opened_at", .nullable(.instant), "When it was opened; null if not known."),
            .required(
                "attempts",
                .array(
                    of: .object([
                        .required("channel", .string(), "The channel, such as mail."),
                        .required("attempted_at", .instant, "When it tried."),
                        .required("outcome", .string(), "`sent`, or why it failed."),
                        .required(
                            "reply_code", .nullable(.integer()),
                            "The reply code of SMTP or the HTTP status; null without a reply."),
                    ])),
                "The attempts to send it, the oldest first. A message that only the inbox has needs none."),
        ]))

    private static let daySchema = Schema.named(
        "MessageDay",
        .object([
            .required("date", .string(format: .date), "The local date of the participants."),
            .required(
                "planned", count, "All entries: the sum of sent, failed, uncertain, suppressed and waiting."),
            .required("sent", count, "A channel accepted them (`sent`)."),
            .required("failed", count, "No channel could deliver them (`failed`)."),
            .required("uncertain", count, "They were possibly sent (`unknown`)."),
            .required("suppressed", count, "The server decided not to send them (`suppressed`)."),
            .required("waiting", count, "They are about to be sent (`claimed` or `retrying`)."),
            .required("delivered", count, "A device reported that it received them."),
            .required("opened", count, "A device reported that they were opened."),
        ]))

    private static let unreachableSchema = Schema.named(
        "UnreachableChannel",
        .object([
            .required("participant_id", .string(), "The pseudonym of the participant."),
            .required("channel", .string(), "The channel, such as mail."),
            .required("failures", .integer(min: 1), "The number of failures in a row."),
            .required("since", .instant, "Since when the participant counts as unreachable."),
            .required("last_failed_at", .instant, "When a message last failed."),
        ]))
}
