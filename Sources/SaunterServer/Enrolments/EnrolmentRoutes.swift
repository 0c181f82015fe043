import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes to join a study, read and change an enrolment, and leave the study.
struct EnrolmentRoutes: Sendable {
    let context: ServerContext

    var create: Route {
        Route(
            .post, "/v1/studies/{study}/enrolments", who: .account, tag: "Enrolments",
            summary: "Join a study",
            description: """
                The request must accept the current version of the consent text. The server allocates the arm in the \
                same transaction. If the account is already enrolled in the study, the response contains the existing \
                enrolment.
                """,
            parameters: [.study],
            body: .json(
                .named(
                    "EnrolmentRequest",
                    .object([
                        .required(
                            "consent",
                            .object([
                                .required(
                                    "version", .string(minLength: 1),
                                    "The version of the consent text that the participant saw."),
                                .required("accepted", .boolean, "Must be true."),
                            ]), "The participant's consent."),
                        .optional(
                            "code", .string(maxLength: 64), "The enrolment code, if the study requires one."
                        ),
                        .optional(
                            "factors", .map(of: .string(maxLength: 64)),
                            "The participant's level for each factor that the study lists."),
                        .required("time_zone", .zone, "The IANA time zone in which the participant is now."),
                        .optional(
                            "language", .string(format: .language),
                            "The language of texts and mails, a BCP 47 tag such as `de`."),
                    ])),
                example: [
                    "consent": ["version": "1.0.0", "accepted": true], "time_zone": "Europe/Berlin",
                    "language": "de",
                ]),
            outcomes: [
                .json(.created, "The participant is enrolled.", EnrolmentResponse.schema),
                .json(.ok, "The participant was already enrolled.", EnrolmentResponse.schema),
            ], problems: [.notFound, .notPermitted, .consentOutdated]
        ) { call in
            guard let live = try await context.catalogue.findLive(call.text("study")) else {
                throw Problem(.notFound)
            }
            let study = live.published.study
            // An account that is already enrolled gets its enrolment, even if the study is closed now. The request
            // takes the same locks as the first one: a plain read could confirm data that a standby does not have yet.
            let isMember = try await context.store.listMemberships(call.caller.account).contains {
                $0.study == study.code
            }
            if !isMember {
                guard live.row.closedAt == nil, study.openEnrolment else {
                    throw Problem(.notPermitted, "The study is closed, or it does not accept self-enrolment.")
                }
                try checkConsent(call.body, study)
            }
            let levels =
                try isMember ? FactorLevels.empty : FactorLevels(call.body["factors"], of: study.allocation)
            guard let zone = call.body["time_zone"]?.string.flatMap({ Zone($0) }) else {
                throw Problem(.bodyInvalid)
            }
            let wanted = call.body["language"]?.string
            let enrolled = try await context.store.enrol(
                EnrolmentDraft(
                    id: EnrolmentID(UUID()), account: call.caller.account, study: study,
                    participantID: Pseudonym.make(), levels: levels, zone: zone,
                    language: context.language(wanted, of: study.languages, fallback: study.languages[0]),
                    seed: context.store.secrets.studySeed(study.code), requestID: call.requestID),
                now: call.now)
            return .json(
                enrolled.isNew ? .created : .ok,
                EnrolmentResponse(
                    enrolled.enrolment, study: try await context.study(of: enrolled.enrolment).study
                ).json)
        }
    }

    private func checkConsent(_ body: JSON, _ study: Study) throws {
        guard body["consent"]?["accepted"]?.bool == true else {
            throw Problem(
                .bodyInvalid,
                Faults([
                    Fault(
                        pointer: "/consent/accepted", code: "not_accepted",
                        detail: "`accepted` must be true: participation requires consent.")
                ]))
        }
        guard body["consent"]?["version"]?.string == study.consentVersion else {
            throw Problem(.consentOutdated, "The current consent text is version \(study.consentVersion).")
        }
    }

    var list: Route {
        Route(
            .get, "/v1/enrolments", who: .participant, tag: "Enrolments",
            summary: "List the caller's enrolments",
            outcomes: [.json(.ok, "All enrolments of the account.", .page(of: EnrolmentResponse.schema))]
        ) { call in
            var items: [JSON] = []
            for membership in try await context.store.listMemberships(call.caller.account) {
                guard let enrolment = try await context.store.findEnrolment(membership.enrolment) else {
                    continue
                }
                items.append(
                    EnrolmentResponse(enrolment, study: try await context.study(of: enrolment).study).json)
            }
            return .json(.ok, ["items": .array(items), "next": nil])
        }
    }

    var get: Route {
        Route(
            .get, "/v1/enrolments/{id}", who: .participant, tag: "Enrolments", summary: "Get one enrolment",
            parameters: [.enrolment],
            outcomes: [.json(.ok, "The enrolment in its current state.", EnrolmentResponse.schema)]
        ) { call in
            let (participant, study) = try await context.participantToday(call)
            return .json(
                .ok,
                EnrolmentResponse(
                    participant.enrolment, study: study.study,
                    paused: participant.status.isPaused(at: call.now)
                ).json)
        }
    }

    var patch: Route {
        Route(
            .patch, "/v1/enrolments/{id}", who: .participant, tag: "Enrolments",
            summary: "Change the time zone, language, reminders or pause of an enrolment",
            description: """
                After a change of the time zone, assessment windows that are not open yet move to the new zone. No \
                window is lost by travelling.
                """,
            parameters: [.enrolment],
            body: .json(
                .named(
                    "EnrolmentChange",
                    .object([
                        .optional(
                            "time_zone", .zone,
                            "The IANA time zone in which the participant is now. Future occasions follow it."),
                        .optional(
                            "language", .string(format: .language),
                            "The language of texts and mails, a BCP 47 tag such as `de`."),
                        .optional("paused", .boolean, "True to pause reminders, false to resume them."),
                        .optional(
                            "reminder",
                            .object([
                                .optional(
                                    "time", .nullable(.clock),
                                    "The local time of the daily reminder; null restores the study's default."
                                ),
                                .optional("on", .boolean, "Whether reminders are sent."),
                                .optional(
                                    "channels", EnrolmentResponse.channels,
                                    """
                                    The channels for messages in order of preference, each at most once. The server \
                                    uses the first channel that can reach the participant.
                                    """
                                ),
                            ]), "The daily reminder."),
                    ])), example: ["time_zone": "Europe/Lisbon", "reminder": ["time": "19:30"]]),
            outcomes: [.json(.ok, "The changed enrolment.", EnrolmentResponse.schema)],
            problems: [.enrolmentWithdrawn]
        ) { call in
            let stored = try await context.enrolment(call)
            guard stored.state == .active else { throw Problem(.enrolmentWithdrawn) }
            let study = try await context.study(of: stored).study
            let body = call.body
            if let language = body["language"]?.string, !study.languages.contains(language) {
                throw Problem(
                    .bodyInvalid,
                    Faults([
                        Fault(
                            pointer: "/language", code: "not_a_value",
                            detail:
                                "The study offers these languages: \(study.languages.joined(separator: ", "))."
                        )
                    ]))
            }
            let channels = try Self.channels(body["reminder"]?["channels"])
            if let zone = body["time_zone"]?.string, zone != stored.zone.id {
                try await context.accounts.replanThrottle.admit(.account(call.caller.account), now: call.now)
            }
            let enrolment = try await context.store.updateEnrolment(stored.id, study: study, now: call.now) {
                settings in
                if let zone = body["time_zone"]?.string.flatMap({ Zone($0) }) { settings.zone = zone }
                if let language = body["language"]?.string { settings.language = language }
                if let paused = body["paused"]?.bool { settings.pause = paused ? .begin : .end }
                if let reminder = body["reminder"] {
                    if let time = reminder["time"] {
                        settings.reminderAt = time.string.flatMap { LocalTime($0) }
                    }
                    if let on = reminder["on"]?.bool { settings.remindersOn = on }
                    if let channels { settings.channels = channels }
                }
            }
            let state = try await context.store.findParticipantState(enrolment.id, now: call.now)
            return .json(
                .ok,
                EnrolmentResponse(
                    enrolment, study: study, paused: state?.status.isPaused(at: call.now) ?? false
                )
                .json)
        }
    }

    /// The channels in the body; nil if the body has none.
    /// - Throws: `Problem` if a channel appears twice.
    private static func channels(_ given: JSON?) throws -> [ReminderChannel]? {
        guard let names = given?.array else { return nil }
        let channels = names.compactMap { $0.string.flatMap { ReminderChannel(rawValue: $0) } }
        guard Set(channels).count == names.count, !channels.isEmpty else {
            throw Problem(
                .bodyInvalid,
                Faults([
                    Fault(
                        pointer: "/reminder/channels", code: "duplicate",
                        detail: "Each channel must appear at most once.")
                ]))
        }
        return channels
    }

    var withdraw: Route {
        Route(
            .post, "/v1/enrolments/{id}/withdrawal", who: .participant, tag: "Enrolments",
            summary: "Leave the study",
            description: """
                `stop` ends all reminders and keeps the data. `exclude` also excludes the data from every dataset \
                and from monitoring. `erase` deletes the data for good. After `stop`, the server still accepts answer \
                sheets that were completed before.
                """,
            parameters: [.enrolment],
            body: .json(
                .named(
                    "Withdrawal",
                    .object([
                        .required(
                            "mode", .string(values: ["stop", "exclude", "erase"]),
                            "Keep the data, exclude them from datasets, or erase them for good.")
                    ])),
                example: ["mode": "stop"]),
            outcomes: [
                .json(
                    .ok, "The enrolment has ended, and the server keeps its data.", EnrolmentResponse.schema),
                .empty(.noContent, "The data of the enrolment is erased."),
            ]
        ) { call in
            let stored = try await context.enrolment(call)
            let mode = call.body["mode"]?.string ?? ""
            let audit = AuditEntry(
                actor: .participant, action: "withdrawn", study: stored.study,
                enrolment: mode == "erase" ? nil : stored.id, requestID: call.requestID,
                detail: ["mode": .string(mode)])
            if mode == "erase" {
                try await context.store.erase(stored, audit: audit, now: call.now)
                context.memberships.remove(stored.id)
                return .noContent
            }
            let study = try await context.study(of: stored).study
            let ended = try await context.store.withdraw(
                stored.id, to: mode == "exclude" ? .excluded : .stopped, study: study, audit: audit,
                now: call.now)
            return .json(.ok, EnrolmentResponse(ended, study: study).json)
        }
    }
}
