import HTTPTypes
import SaunterCore
import SaunterReminders
import SaunterStore

/// Routes for the overview of an enrolment: what is due, the planned occasions, and the structure of a questionnaire.
struct OverviewRoutes: Sendable {
    let context: ServerContext

    var overview: Route {
        Route(
            .get, "/v1/enrolments/{id}/overview", who: .participant, tag: "Overview",
            summary: "List the study's questionnaires and what is due today", parameters: [.enrolment],
            outcomes: [
                .json(
                    .ok, "One entry for each questionnaire.",
                    .page(
                        of: Self.entrySchema,
                        Self.overviewMembers))
            ]
        ) { call in
            let (participant, published) = try await context.participantToday(call)
            let enrolment = participant.enrolment
            let study = published.study
            let former = try await context.formerQuestionnaires(of: participant, study, at: call.now)
                .map(\.questionnaire)
            let entries = study.overview(
                arm: enrolment.arm, occasions: participant.occasions, former: former,
                facts: participant.facts(at: call.now),
                at: call.now,
                zone: enrolment.zone)
            let today = enrolment.zone.local(of: call.now).date
            let known = Dictionary(
                (study.questionnaires + former).map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first }
            )
            let entitlements = try await context.entitlements(of: enrolment, at: call.now)
            let items = entries.map {
                Self.json(
                    $0, known[$0.questionnaire], study, language: enrolment.language,
                    entitlements: entitlements)
            }
            return .page(
                items, next: nil, path: "/v1/enrolments/\(enrolment.id)/overview",
                query: call.pageQuery, publicURL: context.configuration.publicURL,
                more: [
                    "walk": walk(participant, study, call.now), "time_zone": .string(enrolment.zone.id),
                    "local_date": .string(today.description),
                    "study_day": .int(today.days - enrolment.enrolledOn.days),
                    "adherence": Adherence(occasions: participant.occasions, at: call.now).json,
                    "streak": Streak(
                        occasions: participant.occasions, at: call.now, today: today,
                        skippedByTravel: Streak.datesSkippedByTravel(in: participant.zones)
                    ).json,
                    "weeks": Adherence.weeksJSON(
                        of: participant.occasions, enrolledOn: enrolment.enrolledOn, at: call.now),
                    "consent_due": try await consentDue(participant),
                    "features": try await context.features(of: study, enrolment),
                ])
        }
    }

    /// The study's current consent text, if the participant consented to another version; otherwise null.
    private func consentDue(_ participant: ParticipantState) async throws -> JSON {
        let enrolment = participant.enrolment
        guard enrolment.state == .active,
            let live = try await context.catalogue.find(
                enrolment.study, version: participant.liveVersion)?.study,
            live.consentVersion != enrolment.consentVersion
        else { return .null }
        let text = live.text[enrolment.language] ?? live.languages.first.flatMap { live.text[$0] }
        return ["version": .string(live.consentVersion), "text": .string(text?.consent ?? "")]
    }

    /// One line of the overview.
    static func json(
        _ entry: OverviewEntry, _ questionnaire: Questionnaire?, _ study: Study, language: String,
        entitlements: Set<String>
    ) -> JSON {
        [
            "questionnaire": .string(entry.questionnaire),
            "title": .string(questionnaire?.text(in: language).title ?? entry.questionnaire),
            "version": .string(entry.version), "minutes": .optional(questionnaire?.minutes, JSON.double),
            "any_time": .bool(study.anyTimeRule(of: entry.questionnaire) != nil),
            "practice": .bool(study.isPractice(entry.questionnaire)),
            "locked": .bool(study.isLocked(entry.questionnaire, for: entitlements)),
            "entitlement": .optional(study.anyTimeRule(of: entry.questionnaire)?.entitlement, JSON.string),
            "due_today": .bool(entry.isDueToday), "disabled": .bool(entry.isDisabled),
            "disabled_reason": .optional(entry.disabledReason) { .string($0.rawValue) },
            "occasion_id": .id(entry.occasionID), "opens_at": .instant(entry.opensAt),
            "due_at": .instant(entry.dueAt),
            "closes_at": .instant(entry.closesAt), "completed_at": .instant(entry.completedAt),
            "next_opens_at": .instant(entry.nextOpensAt),
        ]
    }

    private func walk(_ participant: ParticipantState, _ study: Study, _ now: Instant) -> JSON {
        let readiness = WalkReadiness(study: study, facts: participant.facts(at: now), at: now)
        let feedback = study.walking?.targetFeedbackArms.contains(participant.enrolment.arm) ?? false
        return [
            "may_start": .bool(readiness.canStart),
            "reason": .optional(readiness.reason) { .string($0.rawValue) },
            "calibration_id": .id(participant.calibration?.id),
            "target_speed_kmh": .optional(participant.calibration?.targetSpeedKmh, JSON.double),
            "target_feedback": .bool(feedback), "walks": .int(participant.walks.count),
        ]
    }

    var occasions: Route {
        Route(
            .get, "/v1/enrolments/{id}/occasions", who: .participant, tag: "Overview",
            summary: "List planned occasions with their state, and the next reminders",
            description: """
                `prompts` contains the next 50 messages that the study's reminder rules will send if nothing is \
                answered in the meantime. It takes quiet hours and the daily limit into account. In a study without \
                reminders, it contains the next openings. It also contains notifications, which are not about an \
                occasion. A device can schedule local notifications from this list.
                """,
            parameters: [.enrolment],
            query: [
                QueryParameter(
                    "from", .string(format: .dateTime), "Only windows that close after this instant."),
                QueryParameter(
                    "to", .string(format: .dateTime), "Only windows that open before this instant."),
                .limit, .cursor,
            ],
            outcomes: [
                .json(
                    .ok, "Occasions in the order in which their windows open.",
                    .page(
                        of: Self.occasionSchema,
                        [
                            .required(
                                "prompts", .array(of: ReminderResponse.plannedMessageSchema, max: 50),
                                "The messages that the server plans to send."),
                            .required(
                                "due_today", .array(of: .id), "The ids of the occasions that are due today."),
                            .required(
                                "planned_through", .nullable(.string(format: .date)),
                                """
                                The last local date up to which all occasions are planned, at least a week ahead. \
                                After this date, the list contains only occasions of schedules that have none until \
                                then. Null if nothing is left to plan.
                                """),
                        ]))
            ]
        ) { call in
            if let from = call.queryInstant("from"), let to = call.queryInstant("to"), to < from {
                throw Problem(
                    .requestInvalid,
                    Faults([
                        Fault(
                            pointer: "/to", code: "ends_before_start",
                            detail: "`to` must not be before `from`.")
                    ]))
            }
            let (participant, published) = try await context.participant(call)
            let position = try call.listPosition()
            let all = participant.occasions.sorted {
                ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id)
            }
            let wanted = all.filter { occasion in
                if let from = call.queryInstant("from"), occasion.window.closeAt <= from { return false }
                if let to = call.queryInstant("to"), occasion.window.openAt >= to { return false }
                if let position {
                    return (occasion.window.openAt, occasion.id) > (position.moment, OccasionID(position.id))
                }
                return true
            }
            let page = wanted.prefix(call.pageLimit)
            let next =
                page.count < wanted.count
                ? page.last.map { ListPosition(moment: $0.window.openAt, id: $0.id.uuid).cursor } : nil
            let extendedStudy = try await context.catalogue.addingFormerReminders(
                published.study, participant, at: call.now)
            let ahead = participant.reminderPlanner(extendedStudy, at: call.now).upcomingMessages(
                after: call.now, limit: 50)
            let name = try await name(of: participant.enrolment, in: ahead)
            let dueToday = all.filter { $0.isDueToday(at: call.now, zone: participant.enrolment.zone) }
            return .page(
                page.map { Self.json($0, of: published.study, at: call.now) }, next: next,
                path: "/v1/enrolments/\(participant.enrolment.id)/occasions",
                query: call.pageQuery, publicURL: context.configuration.publicURL,
                more: [
                    "prompts": .array(
                        ahead.map { message in
                            ReminderResponse.plannedMessage(message) { code in
                                ReminderText.notificationText(
                                    code, study: published.study, enrolment: participant.enrolment,
                                    name: name, url: context.configuration.publicURL)
                            }
                        }),
                    "due_today": .array(dueToday.map { .id($0.id) }),
                    "planned_through": plannedThrough(participant.enrolment),
                ])
        }
    }

    /// Null once the plan reaches the end of the study, and for participants who have left.
    private func plannedThrough(_ enrolment: Enrolment) -> JSON {
        guard enrolment.state == .active, enrolment.plannedThrough < .maximum else { return .null }
        return .string(enrolment.plannedThrough.description)
    }

    /// The participant's name for the texts of notifications; empty if `ahead` contains no notification.
    private func name(of enrolment: Enrolment, in ahead: [PlannedMessage]) async throws -> String {
        guard ahead.contains(where: { $0.reminders.contains { $0.key.kind == .notification } }) else {
            return ""
        }
        return try await context.store.findRecipient(of: enrolment.id)?.name ?? ""
    }

    /// A planned occasion with its state at an instant.
    /// - Parameter study: the version that has the schedule of the occasion.
    static func json(_ occasion: Occasion, of study: Study, at now: Instant) -> JSON {
        [
            "occasion_id": .id(occasion.id), "questionnaire": .string(occasion.questionnaire),
            "schedule": .string(occasion.key.schedule), "day": .int(occasion.key.dayIndex),
            "local_date": .string(occasion.localDate.description), "time_zone": .string(occasion.zone.id),
            "state": .string(occasion.state(at: now).rawValue),
            "visible_at": .instant(occasion.window.visibleAt),
            "opens_at": .instant(occasion.window.openAt), "due_at": .instant(occasion.window.dueAt),
            "closes_at": .instant(occasion.window.closeAt), "dst_adjusted": .bool(occasion.isDSTAdjusted),
            "completed_at": .instant(occasion.completedAt), "sheet_id": .id(occasion.sheetID),
            "follows_sheet": .id(study.sheet(followedBy: occasion.key)),
        ]
    }

    var questionnaire: Route {
        Route(
            .get, "/v1/enrolments/{id}/questionnaires/{code}", who: .participant, tag: "Overview",
            summary: "Get the structure and texts of a questionnaire",
            description: """
                Returns the questionnaire in the version and the language of the enrolment, with the member names of \
                FHIR R4. An item can have a `help` text, and a slider or visual analogue scale `anchors`: labels for its \
                `minimum`, `maximum` and optionally `middle`. A client needs no parser for expressions: \
                `enableWhenRule` of an item and `rule` of a constraint contain the checked expression as a tree, as in \
                `{"op": ">=", "args": [{"item": "mood"}, {"type": "number", "value": "2"}]}`. A questionnaire that the \
                study no longer contains is available while one of its occasions is open.

                After the participant has sent answers to a questionnaire with `may_alert`, an app shows the contacts \
                for a crisis (`contacts` of `GET /v1/studies/{study}`) at once, also offline. The answers do not matter, \
                because a device cannot evaluate the rules of the study.
                """,
            parameters: [
                .enrolment, .text("code", "The questionnaire's code.", example: "pss_10"),
            ],
            outcomes: [
                .json(
                    .ok, "The questionnaire.",
                    Self.questionnaireSchema, headers: [Outcome.entityTag])
            ], problems: [.entitlementRequired]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let study = try await context.study(of: enrolment)
            let code = try call.text("code")
            var found = study.questionnaires[code]
            if found == nil { found = try await former(code, call) }
            guard let known = found else { throw Problem(.notFound) }
            guard
                try await !context.isLocked(code, of: enrolment, answeredUnder: study.study, at: call.now)
            else { throw Problem(.entitlementRequired) }
            let structure = known.form(in: study, language: enrolment.language)
            return .json(.ok, structure, entityTag: EntityTag(of: structure))
        }
    }

    private func former(_ code: String, _ call: Call<Identity>) async throws -> PublishedQuestionnaire? {
        let (participant, published) = try await context.participantToday(call)
        return try await context.formerQuestionnaires(of: participant, published.study, at: call.now)
            .first { $0.questionnaire.code == code }
    }

    // MARK: Schemas

    /// The members of the overview besides its items.
    static let overviewMembers: [Schema.Member] = [
        .required(
            "walk", Self.walkSchema, "Whether the participant can start a walk now."),
        .required(
            "time_zone", .zone,
            "The IANA time zone in which the dates of the overview are local."),
        .required(
            "local_date", .string(format: .date), "Today's date in this time zone."),
        .required(
            "study_day", .integer(),
            "The number of the study day; 0 on the day of enrolment."),
        .required("adherence", Adherence.schema, "The adherence since the enrolment."),
        .required(
            "streak", Streak.schema,
            "Consecutive local dates on which the participant answered every planned occasion."
        ),
        .required(
            "weeks", Adherence.weeksSchema, "Study weeks in which an occasion has opened."
        ),
        .required(
            "consent_due", Self.consentDueSchema,
            "The consent text that the participant must accept; null if none is due."),
        .required(
            "features", .array(of: FeatureResponse.schema),
            "The functions of the app, in the order of its navigation."),
    ]

    static let questionnaireSchema = Schema.named(
        "Questionnaire",
        .object(
            [
                .required("code", .string(), "The code of the questionnaire."),
                .required("version", .string(), "The version of the questionnaire."),
                .required("title", .string(), "The title in the participant's language."),
                .required("language", .string(), "The language of the texts."),
                .required(
                    "may_alert", .boolean,
                    "True if a rule of the study can alert its team about the answers."),
                .required(
                    "item", .array(of: .map(of: .any)),
                    "The items, in the form of a FHIR questionnaire."),
            ], additional: .any))

    static let entrySchema = Schema.named(
        "OverviewEntry",
        .object([
            .required("questionnaire", .string(), "The code of the questionnaire."),
            .required("title", .string(), "The title in the participant's language."),
            .required("version", .string(), "The version that the participant answers now."),
            .required(
                "minutes", .nullable(.number(min: 0)),
                "The expected duration in minutes; null if it is not known."),
            .required(
                "any_time", .boolean,
                """
                True if the participant may answer the questionnaire at any time. If it is disabled with \
                `completed_in_period`, the maximum of the day is reached.
                """),
            .required(
                "practice", .boolean,
                "True if the questionnaire is a practice, which an app shows in its programmes."),
            .required(
                "locked", .boolean,
                "True if the participant does not have the entitlement. The questionnaire itself is then not served."
            ),
            .required(
                "entitlement", .nullable(.string()),
                "The entitlement that the questionnaire needs; null if everyone can answer it."),
            .required(
                "due_today", .boolean,
                "True if an occasion is open or overdue, or opens later on the participant's current date."),
            .required("disabled", .boolean, "True if the questionnaire cannot be answered now."),
            .required(
                "disabled_reason", .nullable(.string(values: DisabledReason.allCases.map(\.rawValue))),
                "Why the questionnaire cannot be answered now; null if it can."),
            .required(
                "occasion_id", .nullable(.id),
                "The occasion that an answer would fulfil; null if there is none."),
            .required("opens_at", .nullable(.instant), "When the window opens; null without an occasion."),
            .required("due_at", .nullable(.instant), "When the answer is due; null without an occasion."),
            .required("closes_at", .nullable(.instant), "When the window closes; null without an occasion."),
            .required(
                "completed_at", .nullable(.instant),
                "When the participant answered the occasion; null if they did not."),
            .required(
                "next_opens_at", .nullable(.instant), "When the next window opens; null if none is planned."),
        ]))

    static let walkSchema = Schema.named(
        "WalkReadiness",
        .object([
            .required("may_start", .boolean, "True if a walk can start now."),
            .required(
                "reason", .nullable(.string(values: WalkReadiness.Reason.allCases.map(\.rawValue))),
                "Why no walk can start; null if one can."),
            .required("calibration_id", .nullable(.id), "The current calibration; null if there is none."),
            .required(
                "target_speed_kmh", .nullable(.number(min: 0)),
                "The target speed in km/h; null without a calibration."),
            .required(
                "target_feedback", .boolean, "True if the device signals when the target speed is exceeded."),
            .required("walks", .integer(min: 0), "The number of walks so far."),
        ]))

    static let consentDueSchema = Schema.nullable(
        .object([
            .required("version", .string(), "The version of the consent text."),
            .required("text", .string(), "The consent text in Markdown."),
        ]))

    static let occasionSchema = Schema.named(
        "Occasion",
        .object([
            .required("occasion_id", .id, "The id of the occasion."),
            .required("questionnaire", .string(), "The code of the questionnaire."),
            .required("schedule", .string(), "The code of the schedule in the study."),
            .required("day", .integer(), "The day within the schedule; 0 is the day of the anchor."),
            .required("local_date", .string(format: .date), "The local date of the occasion."),
            .required("time_zone", .zone, "The IANA time zone of the window's local times."),
            .required(
                "state", .string(values: OccasionState.allCases.map(\.rawValue)),
                "The state of the occasion now."),
            .required("visible_at", .instant, "From when an app shows the occasion."),
            .required(
                "opens_at", .instant, "When the window opens: from then on the occasion can be answered."),
            .required("due_at", .instant, "When the answer is due; a later one is late."),
            .required("closes_at", .instant, "When the window closes: a later answer is out of the window."),
            .required("dst_adjusted", .boolean, "True if a clock change moved the window."),
            .required(
                "completed_at", .nullable(.instant),
                "When the participant answered the occasion; null if they did not."),
            .required(
                "sheet_id", .nullable(.id), "The sheet that fulfils the occasion; null if there is none."),
            .required(
                "follows_sheet", .nullable(.id),
                """
                The answer sheet whose completion planned the occasion, such as that of a practice which the \
                participant then rates; null if the occasion follows no sheet.
                """),
        ]))
}
