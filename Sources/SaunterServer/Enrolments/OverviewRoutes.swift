import HTTPTypes
import SaunterCore
import SaunterReminders
import SaunterStore

/// What is due, what comes, and how to ask it.
struct OverviewRoutes: Sendable {
    let context: ServerContext

    var overview: Route {
        Route(
            .get, "/v1/enrolments/{id}/overview", who: .participant, tag: "Overview",
            summary: "All questionnaires of the study, with what is due today", parameters: [.enrolment],
            outcomes: [
                .json(
                    .ok, "One entry per questionnaire.",
                    .page(
                        of: Self.entrySchema,
                        [
                            .required("walk", Self.walkSchema), .required("time_zone", .zone),
                            .required("local_date", .string(format: .date)),
                            .required("study_day", .integer(), "0 on the day of enrolment."),
                            .required("adherence", Adherence.schema),
                            .required(
                                "streak", Streak.schema,
                                "Local dates in a row of which everything planned was answered."),
                            .required(
                                "weeks", Adherence.weeksSchema, "Those in which something has opened."),
                            .required("consent_due", Self.consentDueSchema),
                        ]))
            ]
        ) { call in
            let (participation, published) = try await context.today(call)
            let enrolment = participation.enrolment
            let study = published.study
            let former = try await context.formerQuestionnaires(of: participation, study, at: call.now)
                .map(\.questionnaire)
            let entries = study.overview(
                arm: enrolment.arm, occasions: participation.occasions, former: former,
                facts: participation.facts(at: call.now),
                at: call.now,
                zone: enrolment.zone)
            let today = enrolment.zone.local(of: call.now).date
            let known = Dictionary(
                (study.questionnaires + former).map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first }
            )
            let items = entries.map { entry(entry: $0, known[$0.questionnaire], enrolment) }
            return .page(
                items, next: nil, path: "/v1/enrolments/\(enrolment.id)/overview",
                query: call.pageQuery, publicURL: context.configuration.publicURL,
                more: [
                    "walk": walk(participation, study, call.now), "time_zone": .string(enrolment.zone.id),
                    "local_date": .string(today.description),
                    "study_day": .int(today.days - enrolment.enrolledOn.days),
                    "adherence": Adherence(occasions: participation.occasions, at: call.now).json,
                    "streak": Streak(
                        occasions: participation.occasions, at: call.now, today: today,
                        lost: Streak.datesLost(in: participation.zones)
                    ).json,
                    "weeks": Adherence.weeksJSON(
                        of: participation.occasions, enrolledOn: enrolment.enrolledOn, at: call.now),
                    "consent_due": try await consentDue(participation),
                ])
        }
    }

    /// The consent text that is in force, where the participant has consented to another.
    private func consentDue(_ participation: Participation) async throws -> JSON {
        let enrolment = participation.enrolment
        guard enrolment.state == .active,
            let live = try await context.catalogue.find(
                enrolment.study, version: participation.liveVersion)?.study,
            live.consentVersion != enrolment.consentVersion
        else { return .null }
        let text = live.text[enrolment.language] ?? live.languages.first.flatMap { live.text[$0] }
        return ["version": .string(live.consentVersion), "text": .string(text?.consent ?? "")]
    }

    private func entry(
        entry: OverviewEntry, _ questionnaire: Questionnaire?, _ enrolment: Enrolment
    ) -> JSON {
        [
            "questionnaire": .string(entry.questionnaire),
            "title": .string(questionnaire?.text(in: enrolment.language).title ?? entry.questionnaire),
            "version": .string(entry.version), "minutes": .optional(questionnaire?.minutes, JSON.double),
            "due_today": .bool(entry.dueToday), "disabled": .bool(entry.disabled),
            "disabled_reason": .optional(entry.disabledReason) { .string($0.rawValue) },
            "occasion_id": .id(entry.occasionID), "opens_at": .instant(entry.opensAt),
            "due_at": .instant(entry.dueAt),
            "closes_at": .instant(entry.closesAt), "completed_at": .instant(entry.completedAt),
            "next_opens_at": .instant(entry.nextOpensAt),
        ]
    }

    private func walk(_ participation: Participation, _ study: Study, _ now: Instant) -> JSON {
        let readiness = WalkReadiness(study: study, facts: participation.facts(at: now), at: now)
        let feedback = study.walking?.targetFeedbackArms.contains(participation.enrolment.arm) ?? false
        return [
            "may_start": .bool(readiness.mayStart),
            "reason": .optional(readiness.reason) { .string($0.rawValue) },
            "calibration_id": .id(participation.calibration?.id),
            "target_speed_kmh": .optional(participation.calibration?.targetSpeedKmh, JSON.double),
            "target_feedback": .bool(feedback), "walks": .int(participation.walks.count),
        ]
    }

    var occasions: Route {
        Route(
            .get, "/v1/enrolments/{id}/occasions", who: .participant, tag: "Overview",
            summary: "Planned occasions with their state, and the next prompts",
            description: """
                Prompts are the next 50 messages that the study's reminders give, quiet hours and the day's count heeded, were nothing answered until \
                then and nothing else told; of a study without reminders the next openings. Notices, which no occasion asks for, stand among them. A device can make notifications of them by itself.
                """,
            parameters: [.enrolment],
            query: [
                QueryParameter("from", .string(format: .dateTime), "Windows that close after this moment."),
                QueryParameter("to", .string(format: .dateTime), "Windows that open before this moment."),
                .limit, .cursor,
            ],
            outcomes: [
                .json(
                    .ok, "In the order of opening.",
                    .page(
                        of: Self.occasionSchema,
                        [
                            .required("prompts", .array(of: ReminderWire.promptSchema, max: 50)),
                            .required("due_today", .array(of: .id), "Occasions that are due today."),
                            .required(
                                "planned_through", .nullable(.string(format: .date)),
                                """
                                The last local date up to which everything is planned, a week ahead or more; of later dates only what a schedule asks \
                                next that asks nothing until then. Null where, as things stand, nothing is left to plan.
                                """),
                        ]))
            ]
        ) { call in
            if let from = call.queryInstant("from"), let to = call.queryInstant("to"), to < from {
                throw Problem(
                    .requestInvalid,
                    Faults([
                        Fault(
                            pointer: "/to", code: "ends_before_start", detail: "It lies before `from`.")
                    ]))
            }
            let (participation, published) = try await context.participation(call)
            let place = try call.place()
            let all = participation.occasions.sorted {
                ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id)
            }
            let wanted = all.filter { occasion in
                if let from = call.queryInstant("from"), occasion.window.closeAt <= from { return false }
                if let to = call.queryInstant("to"), occasion.window.openAt >= to { return false }
                if let place {
                    return (occasion.window.openAt, occasion.id) > (place.moment, OccasionID(place.id))
                }
                return true
            }
            let page = wanted.prefix(call.pageLimit)
            let next =
                page.count < wanted.count
                ? page.last.map { PagePlace(moment: $0.window.openAt, id: $0.id.uuid).cursor } : nil
            let asking = try await context.catalogue.reminding(published.study, participation, at: call.now)
            let ahead = participation.prompting(asking, at: call.now).ahead(of: call.now, limit: 50)
            let name = try await name(of: participation.enrolment, in: ahead)
            let dueToday = all.filter { $0.isDueToday(at: call.now, zone: participation.enrolment.zone) }
            return .page(
                page.map { json($0, at: call.now) }, next: next,
                path: "/v1/enrolments/\(participation.enrolment.id)/occasions",
                query: call.pageQuery, publicURL: context.configuration.publicURL,
                more: [
                    "prompts": .array(
                        ahead.map { message in
                            ReminderWire.prompt(message) { code in
                                ReminderText.notice(
                                    code, study: published.study, enrolment: participation.enrolment,
                                    name: name, url: context.configuration.publicURL)
                            }
                        }),
                    "due_today": .array(dueToday.map { .id($0.id) }),
                    "planned_through": plannedThrough(participation.enrolment),
                ])
        }
    }

    /// Null once the plan reaches the end, and for those who have left: nothing is planned for them any more.
    private func plannedThrough(_ enrolment: Enrolment) -> JSON {
        guard enrolment.state == .active, enrolment.plannedThrough < .maximum else { return .null }
        return .string(enrolment.plannedThrough.description)
    }

    /// What a notice calls the person; asked for only where there is one.
    private func name(of enrolment: Enrolment, in ahead: [PlannedMessage]) async throws -> String {
        guard ahead.contains(where: { $0.prompts.contains { $0.key.kind == .notice } }) else { return "" }
        return try await context.store.findRecipient(of: enrolment.id)?.name ?? ""
    }

    private func json(_ occasion: Occasion, at now: Instant) -> JSON {
        [
            "occasion_id": .id(occasion.id), "questionnaire": .string(occasion.questionnaire),
            "schedule": .string(occasion.key.schedule), "day": .int(occasion.key.dayIndex),
            "local_date": .string(occasion.localDate.description), "time_zone": .string(occasion.zone.id),
            "state": .string(occasion.state(at: now).rawValue),
            "visible_at": .instant(occasion.window.visibleAt),
            "opens_at": .instant(occasion.window.openAt), "due_at": .instant(occasion.window.dueAt),
            "closes_at": .instant(occasion.window.closeAt), "dst_adjusted": .bool(occasion.dstAdjusted),
            "completed_at": .instant(occasion.completedAt), "sheet_id": .id(occasion.sheetID),
        ]
    }

    var questionnaire: Route {
        Route(
            .get, "/v1/enrolments/{id}/questionnaires/{code}", who: .participant, tag: "Overview",
            summary: "A questionnaire's structure and words",
            description:
                "At the version that this enrolment answers, in its language, under the names of FHIR R4. One that the study has left out is there as long as something of it is open.",
            parameters: [
                .enrolment, .text("code", "The questionnaire's code.", example: "pss_10"),
            ],
            outcomes: [
                .json(
                    .ok, "The structure.",
                    .named(
                        "Questionnaire",
                        .object(
                            [
                                .required("code", .string()), .required("version", .string()),
                                .required("title", .string()), .required("language", .string()),
                                .required("item", .array(of: .map(of: .any))),
                            ], additional: .any)), headers: [Outcome.entityTag])
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let study = try await context.study(of: enrolment)
            let code = try call.text("code")
            var found = study.questionnaires[code]
            if found == nil { found = try await former(code, call) }
            guard let known = found else { throw Problem(.notFound) }
            let structure = known.questionnaire.json(language: enrolment.language)
            return .json(.ok, structure, entityTag: EntityTag(of: structure))
        }
    }

    private func former(_ code: String, _ call: Call<Identity>) async throws -> PublishedQuestionnaire? {
        let (participation, published) = try await context.today(call)
        return try await context.formerQuestionnaires(of: participation, published.study, at: call.now)
            .first { $0.questionnaire.code == code }
    }
}
