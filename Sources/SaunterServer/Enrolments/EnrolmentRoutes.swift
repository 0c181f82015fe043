import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore

/// Joining a study, and what participants set for themselves.
struct EnrolmentRoutes: Sendable {
    let context: ServerContext

    var create: Route {
        Route(
            .post, "/v1/studies/{study}/enrolments", who: .account, tag: "Enrolments",
            summary: "Join a study",
            description: """
                Needs consent to the version of the consent text that is in force. The arm is allocated in the same transaction. Whoever is enrolled \
                already gets the same enrolment again.
                """,
            parameters: [.study],
            body: .json(
                .named(
                    "EnrolmentRequest",
                    .object([
                        .required(
                            "consent",
                            .object([
                                .required("version", .string(minLength: 1)), .required("accepted", .boolean),
                            ])),
                        .optional(
                            "code", .string(maxLength: 64), "An enrolment code, where the study asks for one."
                        ),
                        .optional(
                            "factors", .map(of: .string(maxLength: 64)),
                            "A level for each factor that the study lists."),
                        .required("time_zone", .zone), .optional("language", .string(format: .language)),
                    ])),
                example: [
                    "consent": ["version": "1.0.0", "accepted": true], "time_zone": "Europe/Berlin",
                    "language": "de",
                ]),
            outcomes: [
                .json(.created, "Enrolled now.", EnrolmentWire.schema),
                .json(.ok, "Enrolled before.", EnrolmentWire.schema),
            ], problems: [.notFound, .notPermitted, .consentOutdated]
        ) { call in
            guard let live = try await context.catalogue.findLive(call.text("study")) else {
                throw Problem(.notFound)
            }
            let study = live.published.study
            // Whoever is enrolled is told so whatever has become of the study since, and by the same locks as the first time: a read would confirm
            // what a standby may not have yet.
            let isMember = try await context.store.listMemberships(call.caller.account).contains {
                $0.study == study.code
            }
            if !isMember {
                guard live.row.closedAt == nil, study.openEnrolment else {
                    throw Problem(.notPermitted, "This study takes no participants by themselves.")
                }
                try checkConsent(call.body, study)
            }
            let levels =
                try isMember ? FactorLevels.nothing : FactorLevels(call.body["factors"], of: study.allocation)
            guard let zone = call.body["time_zone"]?.string.flatMap({ Zone($0) }) else {
                throw Problem(.bodyInvalid)
            }
            let wanted = call.body["language"]?.string
            let enrolled = try await context.store.enrol(
                EnrolmentDraft(
                    id: EnrolmentID(UUID()), account: call.caller.account, study: study,
                    participantID: Pseudonym.make(), levels: levels, zone: zone,
                    language: context.language(wanted, of: study.languages, otherwise: study.languages[0]),
                    seed: context.store.secrets.studySeed(study.code), requestID: call.requestID),
                now: call.now)
            return .json(
                enrolled.isNew ? .created : .ok,
                EnrolmentWire(
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
                        detail: "Nobody takes part without accepting the consent text.")
                ]))
        }
        guard body["consent"]?["version"]?.string == study.consentVersion else {
            throw Problem(.consentOutdated, "The consent text in force is version \(study.consentVersion).")
        }
    }

    var list: Route {
        Route(
            .get, "/v1/enrolments", who: .participant, tag: "Enrolments", summary: "The caller's enrolments",
            outcomes: [.json(.ok, "All of them.", .page(of: EnrolmentWire.schema))]
        ) { call in
            var items: [JSON] = []
            for membership in try await context.store.listMemberships(call.caller.account) {
                guard let enrolment = try await context.store.findEnrolment(membership.enrolment) else {
                    continue
                }
                items.append(
                    EnrolmentWire(enrolment, study: try await context.study(of: enrolment).study).json)
            }
            return .json(.ok, ["items": .array(items), "next": nil])
        }
    }

    var get: Route {
        Route(
            .get, "/v1/enrolments/{id}", who: .participant, tag: "Enrolments", summary: "One enrolment",
            parameters: [.enrolment], outcomes: [.json(.ok, "As it is now.", EnrolmentWire.schema)]
        ) { call in
            let (participation, study) = try await context.today(call)
            return .json(
                .ok,
                EnrolmentWire(
                    participation.enrolment, study: study.study,
                    paused: participation.status.isPaused(at: call.now)
                ).json)
        }
    }

    var patch: Route {
        Route(
            .patch, "/v1/enrolments/{id}", who: .participant, tag: "Enrolments",
            summary: "Change zone, language, reminder hour, channels or pause",
            description: "Windows that are not yet open move to a new zone; no window is lost by travelling.",
            parameters: [.enrolment],
            body: .json(
                .named(
                    "EnrolmentChange",
                    .object([
                        .optional("time_zone", .zone), .optional("language", .string(format: .language)),
                        .optional("paused", .boolean),
                        .optional(
                            "reminder",
                            .object([
                                .optional("time", .nullable(.clock), "Null: the study's own hour."),
                                .optional("on", .boolean),
                                .optional(
                                    "channels", EnrolmentWire.channels,
                                    "By which messages go out, each once: the first that can reach the person."
                                ),
                            ])),
                    ])), example: ["time_zone": "Europe/Lisbon", "reminder": ["time": "19:30"]]),
            outcomes: [.json(.ok, "As it is now.", EnrolmentWire.schema)], problems: [.enrolmentWithdrawn]
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
                            detail: "The study speaks \(study.languages.joined(separator: ", ")).")
                    ]))
            }
            let channels = try Self.channels(body["reminder"]?["channels"])
            if let zone = body["time_zone"]?.string, zone != stored.zone.id {
                try await context.accounts.journeys.admit(.account(call.caller.account), now: call.now)
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
            let now = try await context.store.findParticipation(enrolment.id, now: call.now)
            return .json(
                .ok,
                EnrolmentWire(enrolment, study: study, paused: now?.status.isPaused(at: call.now) ?? false)
                    .json)
        }
    }

    /// - Throws: `Problem` where one stands twice.
    private static func channels(_ given: JSON?) throws -> [ReminderChannel]? {
        guard let names = given?.array else { return nil }
        let channels = names.compactMap { $0.string.flatMap { ReminderChannel(rawValue: $0) } }
        guard Set(channels).count == names.count, !channels.isEmpty else {
            throw Problem(
                .bodyInvalid,
                Faults([
                    Fault(
                        pointer: "/reminder/channels", code: "duplicate",
                        detail: "A channel stands here once.")
                ]))
        }
        return channels
    }

    var withdraw: Route {
        Route(
            .post, "/v1/enrolments/{id}/withdrawal", who: .participant, tag: "Enrolments",
            summary: "Leave the study",
            description: """
                `stop` ends all prompts and keeps the data; `exclude` also keeps the data out of every dataset; `erase` removes it. Sheets that were \
                finished before are still taken after `stop`.
                """,
            parameters: [.enrolment],
            body: .json(
                .named(
                    "Withdrawal", .object([.required("mode", .string(values: ["stop", "exclude", "erase"]))])),
                example: ["mode": "stop"]),
            outcomes: [
                .json(.ok, "Ended; the data stays.", EnrolmentWire.schema), .empty(.noContent, "Erased."),
            ]
        ) { call in
            let stored = try await context.enrolment(call)
            let mode = call.body["mode"]?.string ?? ""
            let audit = AuditEntry(
                actor: .account(call.caller.account), action: "withdrawn", study: stored.study,
                enrolment: mode == "erase" ? nil : stored.id, requestID: call.requestID,
                detail: ["mode": .string(mode)])
            if mode == "erase" {
                try await context.store.erase(stored, audit: audit, now: call.now)
                context.memberships.forget(stored.id)
                return .noContent
            }
            let study = try await context.study(of: stored).study
            let ended = try await context.store.withdraw(
                stored.id, to: mode == "exclude" ? .excluded : .stopped, study: study, audit: audit,
                now: call.now)
            return .json(.ok, EnrolmentWire(ended, study: study).json)
        }
    }
}
