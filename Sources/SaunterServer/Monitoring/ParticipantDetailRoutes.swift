import HTTPTypes
import SaunterCore
import SaunterStore

/// The route for one participant of a study, by pseudonym.
struct ParticipantDetailRoutes: Sendable {
    let context: ServerContext

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/participants/{participant}", who: .researcher, tag: "Monitoring",
            summary: "Get one participant by pseudonym",
            description: """
                The progress of a participant, and what has changed during the enrolment: permissions, consents, pauses, \
                time zones, study versions and awards. `days` has one entry for each study day so far. `devices` states \
                how many records a device still holds: these answers have not arrived, which differs from not answered. \
                A participant who left the study with `exclude` or `erase` is not found.
                """,
            parameters: [.study, ArmRoutes.participant],
            outcomes: [.json(.ok, "The participant.", Self.schema)], problems: [.notFound]
        ) { call in
            let enrolment = try await context.fetchParticipant(call)
            let arms = try await context.armView(of: enrolment.study, for: call.caller)
            return .json(.ok, try await json(of: enrolment, arms, at: call.now))
        }
    }

    private func json(of enrolment: Enrolment, _ arms: ArmView, at now: Instant) async throws -> JSON {
        let study = try await context.study(of: enrolment).study
        let history = try await context.store.fetchParticipantHistory(of: enrolment.id)
        let occasions = try await context.store.listOccasions(of: [enrolment.id])[enrolment.id] ?? []
        let unreachable = try await context.store.listUnreachableChannels(of: [enrolment.id])
        let devices = try await context.store.listDevices(of: enrolment.id)
        let threshold = try await context.catalogue.findLive(enrolment.study)?.published.study
            .lowAdherencePercent
        let today = enrolment.zone.local(of: enrolment.endedAt ?? now).date
        // A participant who has travelled west can be on the date before the enrolment.
        let studyDay = max(0, min(today.days - enrolment.enrolledOn.days, study.days))
        var object: JSONObject = [
            "participant_id": .string(enrolment.participantID), "arm": arms.json(enrolment.arm),
            "stratum": .string(history.stratum), "status": .string(enrolment.state.rawValue),
            "enrolled_at": .instant(enrolment.enrolledAt), "ended_at": .instant(enrolment.endedAt),
            "study_day": .int(studyDay), "study_days": .int(study.days),
            "study_version": .string(enrolment.studyVersion), "time_zone": .string(enrolment.zone.id),
            "language": .string(enrolment.language), "last_sheet_at": .instant(history.lastSheetAt),
            "answer_sheets": .int(history.sheets), "walks": .int(history.walks),
            "unsent": .int(devices.reduce(0) { $0 + Int($1.missingCount) }),
            "adherence": Adherence(occasions: occasions, at: now).json,
            "low_adherence_since": .instant(
                threshold.flatMap { LowAdherence.start(of: occasions, below: $0, at: now) }),
            "unreachable": .array(
                (unreachable[enrolment.id] ?? []).map {
                    ["channel": .string($0.channel), "since": .instant($0.since)]
                }),
            "channels": .array(enrolment.channels.map { .string($0.rawValue) }),
            "reminders_on": .bool(enrolment.remindersOn),
        ]
        for list in history.lists { object[list.name] = list.value }
        object["devices"] = .array(devices.map(Self.json))
        object["days"] = .array(Self.days(occasions, of: enrolment, through: studyDay, at: now))
        object["as_of"] = .instant(now)
        return .object(object)
    }

    private static func json(_ device: StoredDevice) -> JSON {
        var object = DeviceResponse.members(device)
        object["first_seen_at"] = .instant(device.firstSeenAt)
        object["last_seen_at"] = .instant(device.lastSeenAt)
        return .object(object)
    }

    /// One entry for each study day from 0 to the last one.
    static func days(
        _ occasions: [Occasion], of enrolment: Enrolment, through last: Int, at now: Instant
    ) -> [JSON] {
        let byDay = StudyDay.group(occasions, enrolledOn: enrolment.enrolledOn)
        return (0...last).map { day in
            StudyDay(day, byDay[day] ?? [], enrolledOn: enrolment.enrolledOn, at: now).json
        }
    }

    private static let schema = Schema.named(
        "ParticipantDetail",
        .object([
            .required(
                "participant_id", .string(),
                "The pseudonym of the participant, which also identifies them in datasets of the profiles coded and full."
            ),
            .required("arm", .string(), ArmView.description),
            .required("stratum", .string(), "The stratum of the allocation."),
            .required(
                "status", .string(values: ["active", "stopped"]),
                "Whether the participant takes part or has stopped."),
            .required("enrolled_at", .instant, "When the participant joined the study."),
            .required(
                "ended_at", .nullable(.instant),
                "When the participant left the study; null while taking part."),
            .required(
                "study_day", .integer(min: 0),
                "The day of the study today, or when the participant left it; at most the last day."),
            .required("study_days", .integer(min: 0), "The number of the last day of the study."),
            .required("study_version", .string(), "The study version that the participant follows."),
            .required("time_zone", .zone, "The IANA time zone."),
            .required("language", .string(), "The language of texts and mails, a BCP 47 tag such as `de`."),
            .required(
                "last_sheet_at", .nullable(.instant), "When the newest sheet arrived; null if there is none."),
            .required("answer_sheets", .integer(min: 0), "The number of answer sheets."),
            .required("walks", .integer(min: 0), "The number of walks."),
            .required(
                "unsent", .integer(min: 0),
                "The number of records that devices have numbered and that have not arrived."),
            .required("adherence", Adherence.schema, "The adherence since the enrolment."),
            .required(
                "low_adherence_since", .nullable(.instant),
                "Since when the adherence is below the study's threshold; null if it is not."),
            .required(
                "unreachable",
                .array(
                    of: .object([
                        .required("channel", .string(), "The channel, such as mail."),
                        .required("since", .instant, "Since when messages by this channel fail."),
                    ])),
                "Channels on which three reminders in a row failed."),
            .required(
                "channels", .array(of: .string()), "The channels of messages, in the order of preference."),
            .required("reminders_on", .boolean, "Whether the participant wants messages."),
            .required("consents", consents, "The consents, the oldest first."),
            .required("data_kinds", dataKinds, "The permissions for kinds of data, the oldest first."),
            .required(
                "pauses",
                .array(
                    of: .object([
                        .required("from", .instant, "When the pause began."),
                        .required("to", .nullable(.instant), "When it ended; null while it has no end."),
                    ])), "The pauses, the oldest first."),
            .required(
                "zones",
                .array(
                    of: .object([
                        .required("from", .instant, "Since when the zone is valid."),
                        .required("time_zone", .zone, "The IANA time zone."),
                        .required("source", .string(), "Who reported it."),
                    ])), "The time zones, the oldest first."),
            .required(
                "versions",
                .array(
                    of: .object([
                        .required("version", .string(), "The study version."),
                        .required("from", .instant, "Since when the participant has followed it."),
                    ])), "The study versions that the participant has followed, in order."),
            .required(
                "awards",
                .array(
                    of: .object([
                        .required("award", .string(), "The code of the award."),
                        .required("rule", .string(), "The rule that gave it."),
                        .required("awarded_at", .instant, "When the rule gave it."),
                    ])), "The awards, the oldest first."),
            .required(
                "devices",
                .array(
                    of: .object(
                        DeviceResponse.members + [
                            .required("first_seen_at", .instant, "When the device first sent records."),
                            .required("last_seen_at", .instant, "When the device last sent records."),
                        ])), "The devices that number their records, with the numbers that are missing."),
            .required("days", .array(of: StudyDay.schema), "The study days so far, in order."),
            .required("as_of", .instant, "The instant of the values."),
        ]))

    private static let consents = Schema.array(
        of: .object([
            .required("version", .string(), "The version of the consent text."),
            .required("study_version", .string(), "The study version at the consent."),
            .required("language", .string(), "The language of the text."),
            .required("consented_at", .instant, "When the participant agreed."),
        ]))

    private static let dataKinds = Schema.array(
        of: .object([
            .required("kind", .string(), "The code of the kind of data."),
            .required("granted_at", .instant, "When the participant permitted it."),
            .required(
                "revoked_at", .nullable(.instant), "When the permission ended; null while it is valid."),
            .required("purged_at", .nullable(.instant), "When the data were deleted; null if they were not."),
        ]))
}

extension LowAdherence {
    /// Since when the adherence is below a threshold; nil if it is not below now.
    static func start(of occasions: [Occasion], below percent: Int, at now: Instant) -> Instant? {
        guard let last = periods(of: occasions, below: percent, until: now).last, last.to == nil else {
            return nil
        }
        return last.from
    }
}

extension ServerContext {
    /// The participant whom the path of a researcher's request names.
    /// - Throws: `not-found`, also for a participant who is excluded from the study.
    func fetchParticipant(_ call: Call<Identity>) async throws -> Enrolment {
        guard
            let enrolment = try await store.findEnrolment(
                of: call.text("participant"), in: call.text("study")),
            enrolment.state != .excluded
        else { throw Problem(.notFound) }
        return enrolment
    }

    /// A route with which a coordinator, who has entered the password again, acts on one participant.
    /// - Parameter name: the end of its path.
    func participantAction(
        _ name: String, summary: String, description: String, body: BodyRule? = nil, outcomes: [Outcome],
        problems: [ProblemType], handler: @escaping @Sendable (Call<Identity>) async throws -> Reply
    ) -> Route {
        Route(
            .post, "/v1/studies/{study}/participants/{participant}/\(name)", who: .coordinator,
            tag: "Monitoring", summary: summary, description: description,
            parameters: [.study, ArmRoutes.participant], body: body, outcomes: outcomes, problems: problems
        ) { call in
            try call.caller.requireConfirmedPassword(at: call.now)
            return try await handler(call)
        }
    }

    /// The path of a participant's resources for researchers.
    func path(of enrolment: Enrolment) -> String {
        "/v1/studies/\(enrolment.study)/participants/\(PercentEncoding.encode(enrolment.participantID))"
    }
}
