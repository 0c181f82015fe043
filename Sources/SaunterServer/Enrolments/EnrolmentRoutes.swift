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
                enrolment, and no code is used. A study without open enrolment admits only participants with an \
                enrolment code of its study team. In a study with open enrolment a code is optional; if the request \
                contains one, it must be valid and is recorded. The study states in `account_kinds` which accounts it admits; \
                others get 403 `not-permitted`.
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
                            "code", .string(maxLength: 64),
                            """
                            The enrolment code, such as `K7QF-2M9X-HD3E`. Upper and lower case, spaces and hyphens \
                            make no difference.
                            """
                        ),
                        .optional(
                            "factors", .map(of: .string(maxLength: 64)),
                            "The participant's level for each factor that the study lists."),
                        .required("time_zone", .zone, "The IANA time zone in which the participant is now."),
                        .optional(
                            "language", .string(format: .language),
                            "The language of texts and mails, a BCP 47 tag such as `de`."),
                        .optional(
                            "data_kinds", EnrolmentResponse.permissions,
                            "The kinds of data that the participant permits from now on."),
                    ])),
                example: [
                    "consent": ["version": "1.0.0", "accepted": true], "time_zone": "Europe/Berlin",
                    "language": "de",
                ]),
            outcomes: [
                .json(.created, "The participant is enrolled.", EnrolmentResponse.schema),
                .json(.ok, "The participant was already enrolled.", EnrolmentResponse.schema),
            ], problems: [.notFound, .notPermitted, .consentOutdated, .enrolmentCodeInvalid]
        ) { call in
            var code: EnrolmentCodeSecret?
            let enrolled = try await context.withCurrentVersion { try await enrol(call, &code) }
            if code != nil { await context.accounts.codeThrottle.clear(.account(call.caller.account)) }
            let participant =
                enrolled.isNew
                ? nil
                : try await context.participantStates.findToday(enrolled.enrolment.id, now: call.now)
            return .json(
                enrolled.isNew ? .created : .ok,
                try await context.response(
                    enrolled.enrolment, study: try await context.study(of: enrolled.enrolment).study,
                    pausedSince: participant?.status.pausedSince(at: call.now)))
        }
    }

    /// Enrols the caller in the version that is live now.
    /// - Parameter code: the code of the request. It counts as an attempt only if it is nil before.
    /// - Throws: `StudyVersionMismatch` if another version became live in the meantime.
    private func enrol(
        _ call: Call<Identity>, _ code: inout EnrolmentCodeSecret?
    ) async throws -> (enrolment: Enrolment, isNew: Bool) {
        guard let live = try await context.catalogue.findLive(call.text("study")) else {
            throw Problem(.notFound)
        }
        let study = live.published.study
        // An account that is already enrolled gets its enrolment, even if the study is closed now. The request
        // takes the same locks as the first one, because a plain read could confirm an enrolment that a standby
        // does not have yet.
        let isMember = try await context.store.listMemberships(call.caller.account).contains {
            $0.study == study.code
        }
        var levels = FactorLevels.empty
        var permissions: [String: Bool] = [:]
        if !isMember {
            guard live.row.closedAt == nil else {
                throw Problem(.notPermitted, "The study is closed. It admits no more participants.")
            }
            (levels, permissions) = try checkedChoices(call.body, study)
            if code == nil { code = try await self.code(call) }
        }
        guard let zone = call.body["time_zone"]?.string.flatMap({ Zone($0) }) else {
            throw Problem(.bodyInvalid)
        }
        let wanted = call.body["language"]?.string
        return try await context.store.enrol(
            EnrolmentDraft(
                id: EnrolmentID(UUID()), account: call.caller.account, study: study,
                participantID: Pseudonym.make(), levels: levels, zone: zone,
                language: context.language(wanted, of: study.languages, fallback: study.languages[0]),
                seed: context.store.secrets.studySeed(study.code), code: code,
                dataKinds: permissions.filter(\.value).keys.sorted(), requestID: call.requestID),
            now: call.now)
    }

    /// Checks the consent, the factors, the permissions and whether the study needs a code.
    /// - Returns: the participant's levels of the allocation factors, and the permissions for kinds of data.
    /// - Throws: all faults of the body, or `consent-outdated`.
    private func checkedChoices(
        _ body: JSON, _ study: Study
    ) throws -> (levels: FactorLevels, permissions: [String: Bool]) {
        var faults: [Fault] = []
        if body["consent"]?["accepted"]?.bool != true {
            faults.append(
                Fault(
                    pointer: "/consent/accepted", code: "not_accepted",
                    detail: "`accepted` must be true: participation requires consent."))
        }
        if !study.openEnrolment, (body["code"]?.string ?? "").isEmpty {
            faults.append(
                Fault(
                    pointer: "/code", code: "required",
                    detail: """
                        This study admits only participants with an enrolment code. Ask the study team for one and \
                        send it as `code`.
                        """))
        }
        var levels = FactorLevels.empty
        do {
            levels = try FactorLevels(body["factors"], of: study.allocation)
        } catch {
            faults += error.list
        }
        var permissions: [String: Bool] = [:]
        do throws(Faults) {
            permissions = try study.dataKindPermissions(body["data_kinds"])
        } catch {
            faults += error.list
        }
        guard faults.isEmpty else { throw Problem(.bodyInvalid, Faults(faults)) }
        guard body["consent"]?["version"]?.string == study.consentVersion else {
            throw Problem(.consentOutdated, "The current consent text is version \(study.consentVersion).")
        }
        return (levels, permissions)
    }

    /// The code of the request; nil if it contains none. Each code counts as an attempt, for the account and for its
    /// network address, so that a client cannot guess codes.
    /// - Throws: `too-many-requests`; `enrolment-code-invalid` for a text that cannot be a code.
    private func code(_ call: Call<Identity>) async throws -> EnrolmentCodeSecret? {
        guard let typed = call.body["code"]?.string, !typed.isEmpty else { return nil }
        try await context.accounts.codeThrottle.admit(.account(call.caller.account), now: call.now)
        try await context.accounts.codeAddressThrottle.admit(.address(call.remoteAddress), now: call.now)
        guard let code = EnrolmentCodeSecret(typed: typed) else {
            throw Problem(
                .enrolmentCodeInvalid,
                Faults([
                    Fault(
                        pointer: "/code", code: "mistyped",
                        detail:
                            "The text is not an enrolment code. Compare it with the code that you received.")
                ]))
        }
        return code
    }

    var list: Route {
        Route(
            .get, "/v1/enrolments", who: .participant, tag: "Enrolments",
            summary: "List the caller's enrolments",
            outcomes: [.json(.ok, "All enrolments of the account.", .page(of: EnrolmentResponse.schema))]
        ) { call in
            var items: [JSON] = []
            for membership in try await context.store.listMemberships(call.caller.account) {
                guard
                    let participant = try await context.participantStates.findToday(
                        membership.enrolment, now: call.now)
                else { continue }
                items.append(
                    try await context.response(
                        participant.enrolment,
                        study: try await context.study(of: participant.enrolment).study,
                        pausedSince: participant.status.pausedSince(at: call.now)))
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
                try await context.response(
                    participant.enrolment, study: study.study,
                    pausedSince: participant.status.pausedSince(at: call.now)))
        }
    }

    var patch: Route {
        Route(
            .patch, "/v1/enrolments/{id}", who: .participant, tag: "Enrolments",
            summary: "Change the time zone, language, reminders, pause or permissions of an enrolment",
            description: """
                After a change of the time zone, assessment windows that are not open yet move to the new zone. No \
                window is lost by travelling. A permission in `data_kinds` is valid for data from now on. Revoking it \
                stops the collection and keeps what is stored.
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
                        .optional(
                            "data_kinds", EnrolmentResponse.permissions,
                            "For kinds of data of the study: true to permit it from now on, false to revoke it."
                        ),
                    ])), example: ["time_zone": "Europe/Lisbon", "reminder": ["time": "19:30"]]),
            outcomes: [.json(.ok, "The changed enrolment.", EnrolmentResponse.schema)],
            problems: [.enrolmentWithdrawn]
        ) { call in
            let stored = try await context.enrolment(call)
            guard stored.state == .active else { throw Problem(.enrolmentWithdrawn) }
            let study = try await context.study(of: stored).study
            let body = call.body
            let (channels, permissions) = try Self.checked(body, study)
            let dataKinds = DataKindChanges(
                permissions: permissions, study: study.code, requestID: call.requestID)
            if let zone = body["time_zone"]?.string, zone != stored.zone.id {
                try await context.accounts.replanThrottle.admit(.account(call.caller.account), now: call.now)
            }
            let enrolment = try await context.store.updateEnrolment(
                stored.id, study: study, dataKinds: permissions.isEmpty ? nil : dataKinds, now: call.now
            ) { settings in
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
                try await context.response(
                    enrolment, study: study, pausedSince: state?.status.pausedSince(at: call.now)))
        }
    }

    /// The channels and the permissions in the body; nil if the body has no channels.
    /// - Throws: every fault that the schema does not find.
    private static func checked(
        _ body: JSON, _ study: Study
    ) throws(Faults) -> (channels: [ReminderChannel]?, permissions: [String: Bool]) {
        var faults: [Fault] = []
        if let language = body["language"]?.string, !study.languages.contains(language) {
            faults.append(
                Fault(
                    pointer: "/language", code: "not_a_value",
                    detail: "The study offers these languages: \(study.languages.joined(separator: ", "))."))
        }
        let names = body["reminder"]?["channels"]?.array
        let channels = names?.compactMap { $0.string.flatMap { ReminderChannel(rawValue: $0) } }
        if let names, let channels, Set(channels).count != names.count {
            faults.append(
                Fault(
                    pointer: "/reminder/channels", code: "duplicate",
                    detail: "Each channel must appear at most once."))
        }
        if let least = study.reminder?.leastChannels,
            channels.map({ $0.count < least }) == true || body["reminder"]?["on"]?.bool == false
        {
            faults.append(
                Fault(
                    pointer: channels == nil ? "/reminder/on" : "/reminder/channels", code: "last_channel",
                    detail:
                        "The study must be able to reach you: at least \(least) of its channels must stay on."
                ))
        }
        var permissions: [String: Bool] = [:]
        do throws(Faults) {
            permissions = try study.dataKindPermissions(body["data_kinds"])
        } catch {
            faults += error.list
        }
        guard faults.isEmpty else { throw Faults(faults) }
        return (channels, permissions)
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
            return .json(.ok, try await context.response(ended, study: study))
        }
    }
}

extension Study {
    /// The permissions in the `data_kinds` of a request.
    /// - Throws: a fault for each kind that the study does not have.
    func dataKindPermissions(_ json: JSON?) throws(Faults) -> [String: Bool] {
        var permissions: [String: Bool] = [:]
        var faults: [Fault] = []
        for member in json?.object ?? [:] {
            if dataKinds.contains(where: { $0.code == member.name }) {
                permissions[member.name] = member.value.bool
            } else {
                faults.append(
                    Fault(
                        pointer: "/data_kinds/\(Fault.escape(member.name))", code: "unknown_data_kind",
                        detail: "The study has no data kind with this code."))
            }
        }
        guard faults.isEmpty else { throw Faults(faults) }
        return permissions
    }
}
