import HTTPTypes
import SaunterCore
import SaunterStore

/// The route for the participants of a study, by pseudonym.
struct ParticipantRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/participants", who: .researcher, tag: "Monitoring",
            summary: "List participants by pseudonym",
            description: """
                The list does not contain participants who left the study with `exclude` or `erase`. Without \
                parameters it is sorted by pseudonym.
                """,
            parameters: [.study], query: ParticipantQuery.parameters,
            outcomes: [
                .json(
                    .ok, "Participants that fit all filters.",
                    .page(
                        of: Self.schema,
                        [
                            .required("as_of", .instant, "The instant of the numbers."),
                            .required(
                                "arms", .array(of: .string()), "The arms of the live version of the study."),
                        ]))
            ], problems: [.notFound]
        ) { call in
            guard let live = try await context.catalogue.findLive(call.text("study")) else {
                throw Problem(.notFound)
            }
            let study = live.published.study
            let arms = try await context.armView(of: study.code, for: call.caller)
            // No arm has an empty code, so a name that no arm has finds no participants.
            let query = try ParticipantQuery(call) { arms.code($0) ?? "" }
            var filter = query.filter(days: study.days)
            if let trouble = query.trouble {
                let found = try await context.store.listTroubles(study.code, codes: [trouble], at: call.now)
                filter.enrolments = Array(found.keys)
            }
            let found = try await context.store.listParticipants(
                study.code, filter, by: query.order,
                try await ranking(of: query.order.key, study, arms, call.now),
                after: query.position, limit: call.pageLimit + 1, at: call.now)
            let page = found.prefix(call.pageLimit)
            let items = try await items(page.map(\.row), of: study, arms, at: call.now)
            let next = found.count > page.count ? page.last?.position : nil
            return .page(
                items, next: next.map(query.cursor),
                path: "/v1/studies/\(study.code)/participants", query: call.pageQuery,
                publicURL: context.configuration.publicURL,
                more: [
                    "as_of": .instant(call.now), "arms": .array(arms.names(of: study).map(JSON.string)),
                ])
        }
    }

    /// What an order needs besides the stored data.
    private func ranking(
        of key: ParticipantOrder.Key, _ study: Study, _ arms: ArmView, _ now: Instant
    ) async throws -> ParticipantOrder.Ranking {
        var ranking = ParticipantOrder.Ranking()
        switch key {
        case .arm:
            let codes = try await context.catalogue.findArms(of: study.code)?.codes
            ranking.arms = arms.sorted(codes ?? study.arms.map(\.code))
        case .state:
            ranking.lastDay = study.days
            ranking.numbers = try await context.store.listTroubles(
                study.code, codes: [.neverStarted], at: now
            )
            .mapValues(\.count)
        case .trouble:
            ranking.numbers = try await context.store.listTroubles(study.code, at: now).mapValues(\.count)
        case .participantID, .enrolledAt, .lastSheetAt, .studyDay, .adherence, .unsent: break
        }
        return ranking
    }

    private func items(
        _ rows: [ParticipantRow], of study: Study, _ arms: ArmView, at now: Instant
    ) async throws -> [JSON] {
        let ids = rows.map(\.enrolment)
        let occasions = try await context.store.listOccasions(of: ids)
        let unreachable = try await context.store.listUnreachableChannels(of: ids)
        let troubles = try await context.store.listTroubles(study.code, of: ids, at: now)
        let missing = try await context.store.countMissingRecords(of: ids)
        return rows.map { row in
            let own = occasions[row.enrolment] ?? []
            return [
                "participant_id": .string(row.participantID), "arm": arms.json(row.arm),
                "stratum": .string(row.stratum), "status": .string(row.state.rawValue),
                "enrolled_at": .instant(row.enrolledAt),
                "enrolled_on": .string(row.enrolledOn.description),
                "study_day": .int(row.zone.local(of: row.endedAt ?? now).date.days - row.enrolledOn.days),
                "study_days": .int(study.days),
                "ended_at": .instant(row.endedAt), "time_zone": .string(row.zone.id),
                "language": .string(row.language), "last_sheet_at": .instant(row.lastSheetAt),
                "answer_sheets": .int(row.sheets), "walks": .int(row.walks),
                "adherence": Adherence(occasions: own, at: now).json,
                "low_adherence_since": .instant(
                    study.lowAdherencePercent.flatMap { LowAdherence.start(of: own, below: $0, at: now) }),
                "unsent": .int(missing[row.enrolment] ?? 0),
                "unreachable": .array(
                    (unreachable[row.enrolment] ?? []).map {
                        ["channel": .string($0.channel), "since": .instant($0.since)]
                    }),
                "trouble": .array((troubles[row.enrolment] ?? []).map(\.json)),
            ]
        }
    }

    static let schema = Schema.named(
        "Participant",
        .object([
            .required(
                "participant_id", .string(),
                "The pseudonym of the participant, which also identifies them in datasets of the profiles coded and full."
            ),
            .required("arm", .string(), ArmView.description),
            .required(
                "stratum", .string(),
                "The levels of the factors by which the study allocates arms; empty if it has none."),
            .required(
                "status", .string(values: ["active", "stopped"]),
                "Whether the participant takes part or has stopped."),
            .required("enrolled_at", .instant, "When the participant joined the study."),
            .required(
                "enrolled_on", .string(format: .date),
                "The participant's local date of the enrolment, day 0 of the study."),
            .required(
                "study_day", .integer(),
                """
                The day of the study by the participant's local date, or that on which the participant stopped. The \
                day of the enrolment is day 0.
                """),
            .required(
                "study_days", .integer(min: 0),
                "The number of the last day, in the live version of the study."
            ),
            .required(
                "ended_at", .nullable(.instant),
                "When the participant left the study; null while taking part."),
            .required("time_zone", .zone, "The IANA time zone."),
            .required("language", .string(), "The language of texts and mails, a BCP 47 tag such as `de`."),
            .required(
                "last_sheet_at", .nullable(.instant), "When the newest sheet arrived; null if there is none."),
            .required("answer_sheets", .integer(min: 0), "The number of answer sheets."),
            .required("walks", .integer(min: 0), "The number of walks."),
            .required("adherence", Adherence.schema, "The adherence since the enrolment."),
            .required(
                "low_adherence_since", .nullable(.instant),
                "Since when the adherence is below the study's threshold; null if it is not."),
            .required(
                "unsent", .integer(min: 0),
                "The number of numbered records of the participant's devices that have not arrived."),
            .required(
                "unreachable",
                .array(
                    of: .object([
                        .required("channel", .string(), "The channel, such as mail."),
                        .required("since", .instant, "Since when messages by this channel fail."),
                    ])),
                "Channels on which three reminders in a row failed."),
            .required(
                "trouble", .array(of: ParticipantTrouble.schema),
                "The problems that `/v1/studies/{study}/overview` counts, sorted by code."),
        ]))
}
