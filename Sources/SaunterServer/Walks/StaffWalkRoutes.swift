import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes for the walks of a study, by pseudonym.
struct StaffWalkRoutes: Sendable {
    /// The days of the list without dates.
    private static let usualDays = 14
    /// The largest number of days of one list.
    static let maximumDays = 92

    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/walks", who: .researcher, tag: "Monitoring",
            summary: "List the walks of a study",
            description: """
                The newest walk first. The dates are local dates of the participants, and at most \(Self.maximumDays) \
                days. Without `from` the list has \(Self.usualDays) days; without `to` it ends today. Walks that the \
                participant deleted, and walks of participants who left with `exclude` or `erase`, are left out.
                """,
            parameters: [.study],
            query: [
                QueryParameter(
                    "arm", .string(minLength: 1, maxLength: 100), "Only participants of this arm."),
                QueryParameter(
                    "participant", .string(minLength: 1, maxLength: 100),
                    "Only the participant with this pseudonym."),
                QueryParameter(
                    "from", .string(format: .date), "Only walks that began on this date or later."),
                QueryParameter(
                    "to", .string(format: .date), "Only walks that began on this date or earlier."),
                QueryParameter(
                    "flag", .string(values: WalkFlag.allCases.map(\.rawValue)), "Only walks with this flag."),
                .limit, .cursor,
            ],
            outcomes: [
                .json(
                    .ok, "Walks that fit all filters.",
                    .page(
                        of: Self.listedSchema,
                        [
                            .required("as_of", .instant, "The instant of the list."),
                            .required("from", .string(format: .date), "The first local date of the list."),
                            .required("to", .string(format: .date), "The last local date of the list."),
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
            var filter = try Self.filter(call)
            // No arm has an empty code, so a name that no arm has finds no walks.
            filter.arm = call.query("arm").map { arms.code($0) ?? "" }
            let position = try Self.position(call)
            let pseudonym = call.query("participant")
            if let pseudonym {
                filter.enrolment = try await context.store.findEnrolment(of: pseudonym, in: study.code)?.id
            }
            // An unknown pseudonym has no walks.
            let found =
                pseudonym != nil && filter.enrolment == nil
                ? []
                : try await context.store.listWalks(
                    of: study.code, filter, after: position, limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let next = found.count > page.count ? page.last.map { Self.cursor($0.position) } : nil
            return .page(
                page.map { Self.json($0, arms) }, next: next, path: "/v1/studies/\(study.code)/walks",
                query: call.pageQuery, publicURL: context.configuration.publicURL,
                more: [
                    "as_of": .instant(call.now), "from": .string(filter.from.description),
                    "to": .string(filter.to.description),
                    "arms": .array(arms.names(of: study).map(JSON.string)),
                ])
        }
    }

    /// The dates and the flag of the query.
    private static func filter(_ call: Call<Identity>) throws(Problem) -> StudyWalkFilter {
        let (from, to) = try DateRange.recent(call, usualDays: usualDays, maximumDays: maximumDays)
        var filter = StudyWalkFilter(from: from, to: to)
        filter.flag = call.query("flag")
        return filter
    }

    private static func position(_ call: Call<Identity>) throws(Problem) -> StudyWalk.Position? {
        guard let parts = try call.cursor(parts: 3)?.parts else { return nil }
        guard let milliseconds = Int64(parts[0]), let enrolment = EnrolmentID(parts[1]),
            let walk = WalkID(parts[2])
        else { throw .invalidCursor }
        return StudyWalk.Position(
            at: Instant(milliseconds: milliseconds), enrolment: enrolment, walk: walk)
    }

    private static func cursor(_ position: StudyWalk.Position) -> Cursor {
        Cursor([
            String(position.at.milliseconds), position.enrolment.description, position.walk.description,
        ])
    }

    private static func json(_ listed: StudyWalk, _ arms: ArmView) -> JSON {
        participant(
            listed.participantID, arm: arms.json(listed.arm), enrolledOn: listed.enrolledOn, listed.walk,
            WalkResponse.listed(listed.walk))
    }

    /// A walk with what is known about its participant.
    private static func participant(
        _ name: String, arm: JSON, enrolledOn: LocalDate, _ walk: StoredWalk, _ json: JSON
    ) -> JSON {
        var object: JSONObject = [
            "participant_id": .string(name), "arm": arm, "at": .instant(walk.correctedStart),
            "local_date": .string(walk.localDate.description),
            "study_day": .int(walk.localDate.days - enrolledOn.days), "time_zone": .string(walk.zone.id),
        ]
        for member in json.object ?? [:] { object[member.name] = member.value }
        return .object(object)
    }

    // MARK: One walk

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/participants/{participant}/walks/{walk_id}", who: .researcher,
            tag: "Monitoring", summary: "Get a walk of a participant",
            description: """
                The summary, the pauses and the samples. Of what the client stated about the device, only the gaps of \
                the recording are included without the right to export the profile `full`. A walk that the participant \
                deleted is not found.
                """,
            parameters: [.study, ArmRoutes.participant, WalkRoutes.walkParameter],
            outcomes: [.json(.ok, "The walk with its samples.", Self.detailSchema)], problems: [.notFound]
        ) { call in
            let enrolment = try await context.fetchParticipant(call)
            guard var walk = try await context.store.findWalk(enrolment.id, call.id("walk_id")) else {
                throw Problem(.notFound)
            }
            let right = call.caller.grant(.researcher, study: enrolment.study)
            if right?.fullExport != true {
                let gaps = walk.detail?.device?["gaps"]
                walk.detail?.device = gaps.map { ["gaps": $0] }
            }
            let arms = try await context.armView(of: enrolment.study, for: call.caller)
            return .json(
                .ok,
                Self.participant(
                    enrolment.participantID, arm: arms.json(enrolment.arm), enrolledOn: enrolment.enrolledOn,
                    walk, WalkResponse.detail(walk)))
        }
    }

    // MARK: Schemas

    private static let participantFields: [Schema.Member] = [
        .required("participant_id", .string(), "The pseudonym of the participant."),
        .required("arm", .string(), ArmView.description),
        .required("at", .instant, "When the walk began, corrected for the device's clock."),
        .required("local_date", .string(format: .date), "The participant's local date of this instant."),
        .required("study_day", .integer(), "The day of the study. The day of the enrolment is day 0."),
        .required("time_zone", .zone, "The IANA time zone of the participant during the walk."),
    ]

    private static let listedSchema = Schema.named(
        "StudyWalk", .object(participantFields + WalkResponse.listedFields))
    private static let detailSchema = Schema.named(
        "StudyWalkDetail",
        .object(participantFields + WalkResponse.detailFields.filter { $0.name != "time_zone" }))
}
