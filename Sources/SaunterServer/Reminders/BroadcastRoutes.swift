import Crypto
import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore

/// Messages of a coordinator to many participants.
struct BroadcastRoutes: Sendable {
    private static let maximumBodyLength = 10_000
    private static let maximumListLength = 1000
    private static let defaultValiditySeconds = 7 * 86_400

    let context: ServerContext

    private static let broadcastID = PathParameter.uuid(
        "broadcast_id", "A UUID that the client creates. The same id with the same body is a repetition.")

    var put: Route {
        Route(
            .put, "/v1/studies/{study}/broadcasts/{broadcast_id}", who: .coordinator, tag: "Reminders",
            summary: "Send a message to many participants",
            description: """
                Each active participant of the audience who has not paused gets the message in the inbox, and by the \
                first of their channels that works. It does not count for the daily maximum. A participant reads it in \
                the own language if `words` has it. Otherwise it is in the first language of the study, or, if \
                `words` lacks that too, in the first language of `words`. `{{name}}` in the words is the \
                participant's name. In a blinded study an audience of arms needs the permission to see arms. In a \
                browser session the password must have been entered within 10 minutes \
                (`POST /v1/session/confirmation`).
                """,
            parameters: [.study, Self.broadcastID],
            body: .json(
                .named("BroadcastRequest", Self.request),
                example: [
                    "audience": ["all": true],
                    "words": ["en": ["subject": "New times", "body": "From Monday on we call you at 9:00."]],
                ]),
            outcomes: [
                .json(.created, "The broadcast is stored.", Self.stored),
                .json(.ok, "It was stored before.", Self.stored),
            ], problems: [.notFound, .armsBlinded, .idReused]
        ) { call in
            try call.caller.requireConfirmedPassword(at: call.now)
            let study = try await study(call)
            let broadcast = try Self.broadcast(
                call.body, try call.id("broadcast_id", as: ID<Broadcast>.self), study, now: call.now)
            do {
                let (recipients, isNew) = try await context.store.insert(
                    broadcast, by: .account(call.caller.account), requestID: call.requestID, now: call.now)
                let state =
                    try await context.store.findBroadcast(broadcast.id, of: study.code)?.state ?? "queued"
                return .json(
                    isNew ? .created : .ok,
                    [
                        "broadcast_id": .id(broadcast.id), "addressed": .int(recipients),
                        "state": .string(state),
                    ])
            } catch BroadcastFault.idReused {
                throw Problem(.idReused)
            } catch BroadcastFault.unknownParticipants(let codes) {
                throw Self.unknown(codes, in: call.body)
            } catch BroadcastFault.emptyAudience {
                throw Self.problem(
                    "/audience", "empty_audience", "No active participant belongs to the audience.")
            }
        }
    }

    var preview: Route {
        Route(
            .post, "/v1/studies/{study}/broadcasts/preview", who: .coordinator, tag: "Reminders",
            summary: "Count the recipients of an audience",
            description: """
                Nothing is sent. In a blinded study an audience of arms needs the permission to see arms.
                """,
            parameters: [.study],
            body: .json(
                .named("BroadcastPreview", .object([Self.audienceMember])),
                example: ["audience": ["all": true]]),
            outcomes: [
                .json(
                    .ok, "The number of participants.",
                    .named(
                        "BroadcastRecipients",
                        .object([
                            .required(
                                "recipients", .integer(min: 0),
                                "The number of active participants in the audience."),
                            .required(
                                "paused", .integer(min: 0),
                                "Those of them who have paused now. While they do, they do not get a message."
                            ),
                        ])))
            ], problems: [.notFound, .armsBlinded]
        ) { call in
            let study = try await study(call)
            var faults: [Fault] = []
            let audience = Self.audience(call.body["audience"], study, &faults)
            guard faults.isEmpty else { throw Problem(.bodyInvalid, Faults(faults)) }
            let found = try await context.store.countRecipients(of: study.code, audience)
            guard found.unknown.isEmpty else { throw Self.unknown(found.unknown, in: call.body) }
            return .json(.ok, ["recipients": .int(found.recipients), "paused": .int(found.paused)])
        }
    }

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/broadcasts", who: .coordinator, tag: "Reminders",
            summary: "List the broadcasts of a study", description: "The newest first.",
            parameters: [.study], query: [.limit, .cursor],
            outcomes: [
                .json(
                    .ok, "Broadcasts with their progress.",
                    .page(
                        of: Self.listedSchema,
                        [
                            .required("as_of", .instant, "The instant of the numbers."),
                            .required(
                                "arms", .array(of: .string()),
                                "The arms that an audience can name; empty if they are hidden from the caller."
                            ),
                        ]))
            ], problems: [.notFound]
        ) { call in
            guard let study = try await context.catalogue.findLive(call.text("study"))?.published.study else {
                throw Problem(.notFound)
            }
            let position = try call.listPosition()
            let found = try await context.store.listBroadcasts(
                of: study.code, after: position.map { ($0.moment, $0.id) }, limit: call.pageLimit + 1)
            let arms = try await context.armView(of: study.code, for: call.caller)
            let page = found.prefix(call.pageLimit)
            let next =
                found.count > page.count
                ? page.last.map { ListPosition(moment: $0.createdAt, id: $0.id.uuid).cursor } : nil
            return .page(
                page.map { Self.listed($0, arms, namesArms: arms.showsNumbers(of: study)) }, next: next,
                path: "/v1/studies/\(study.code)/broadcasts", query: call.pageQuery,
                publicURL: context.configuration.publicURL,
                more: [
                    "as_of": .instant(call.now),
                    "arms": .strings(arms.isBlinded ? [] : arms.names(of: study)),
                ])
        }
    }

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/broadcasts/{broadcast_id}", who: .coordinator, tag: "Reminders",
            summary: "Get the progress of a broadcast", parameters: [.study, Self.broadcastID],
            outcomes: [.json(.ok, "How many participants it has reached.", Self.progressSchema)]
        ) { call in
            let id = try call.id("broadcast_id", as: ID<Broadcast>.self)
            guard let found = try await context.store.findBroadcast(id, of: try call.text("study")) else {
                throw Problem(.notFound)
            }
            return .json(.ok, .object(Self.progress(found)))
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/studies/{study}/broadcasts/{broadcast_id}", who: .coordinator, tag: "Reminders",
            summary: "Cancel a broadcast",
            description: "Participants who already have it keep it. Cancelling it again changes nothing.",
            parameters: [.study, Self.broadcastID],
            outcomes: [.empty(.noContent, "No other participant gets it.")]
        ) { call in
            let isKnown = try await context.store.cancelBroadcast(
                try call.id("broadcast_id", as: ID<Broadcast>.self), of: try call.text("study"),
                by: .account(call.caller.account), requestID: call.requestID, now: call.now)
            guard isKnown else { throw Problem(.notFound) }
            return .noContent
        }
    }

    // MARK: - Writing

    private static func progress(_ broadcast: BroadcastProgress) -> JSONObject {
        [
            "broadcast_id": .id(broadcast.id), "state": .string(broadcast.state),
            "addressed": .int(broadcast.addressed), "sent": .int(broadcast.sent),
            "failed": .int(broadcast.failed), "opened": .int(broadcast.opened),
            "not_before": .instant(broadcast.notBefore), "expires_at": .instant(broadcast.expiresAt),
            "created_at": .instant(broadcast.createdAt),
        ]
    }

    /// - Parameter namesArms: whether the arms of an audience are named. With its numbers they can reveal which arm a
    ///   letter means.
    private static func listed(
        _ broadcast: BroadcastProgress, _ arms: ArmView, namesArms: Bool
    ) -> JSON {
        var object = progress(broadcast)
        object["subject"] = .string(broadcast.subject)
        object["audience"] =
            broadcast.arms != nil ? "arms" : broadcast.participants != nil ? "participants" : "all"
        object["arms"] = .optional(broadcast.arms) {
            .strings(namesArms ? $0.map(arms.name).sorted() : [])
        }
        object["participants"] = .optional(broadcast.participants, JSON.int)
        return .object(object)
    }

    private static func unknown(_ codes: [String], in body: JSON) -> Problem {
        let all = body["audience"]?["participants"]?.array?.map(\.string) ?? []
        return Problem(
            .bodyInvalid,
            Faults(
                codes.compactMap { code in
                    all.firstIndex(of: code).map {
                        Fault(
                            pointer: "/audience/participants/\($0)", code: "unknown_participant",
                            detail: "No active participant has this pseudonym.")
                    }
                }))
    }

    // MARK: - Reading

    /// The live version of the study in the path.
    /// - Throws: `not-found`; `arms-blinded` if the audience names arms that are hidden from the caller.
    private func study(_ call: Call<Identity>) async throws -> Study {
        let code = try call.text("study")
        guard let study = try await context.catalogue.findLive(code)?.published.study else {
            throw Problem(.notFound)
        }
        if call.body["audience"]?["arms"] != nil {
            try await context.armView(of: code, for: call.caller).requireCodes()
        }
        return study
    }

    /// The audience of a body. Adds every fault that the schema does not find.
    private static func audience(
        _ audience: JSON?, _ study: Study, _ faults: inout [Fault]
    ) -> BroadcastAudience {
        if audience?["all"]?.bool == false {
            faults.append(
                Fault(
                    pointer: "/audience/all", code: "not_a_value",
                    detail: "The value is true. Name arms or participants for a smaller audience."))
        }
        let arms = audience?["arms"]?.array?.compactMap(\.string)
        for (index, arm) in (arms ?? []).enumerated() where !study.arms.contains(where: { $0.code == arm }) {
            faults.append(
                Fault(
                    pointer: "/audience/arms/\(index)", code: "unknown_arm",
                    detail: "The study has no arm with this code."))
        }
        if audience?.object?.members.count != 1 {
            faults.append(
                Fault(
                    pointer: "/audience", code: "one_member",
                    detail: "An audience is either all, arms or participants."))
        }
        return BroadcastAudience(
            arms: arms, participants: audience?["participants"]?.array?.compactMap(\.string))
    }

    /// - Throws: every fault that the schema does not find.
    private static func broadcast(
        _ body: JSON, _ id: ID<Broadcast>, _ study: Study, now: Instant
    ) throws -> Broadcast {
        var faults: [Fault] = []
        var texts: [BroadcastWords.Text] = []
        for member in body["words"]?.object ?? [:] {
            let pointer = "/words/\(Fault.escape(member.name))"
            let subject = member.value["subject"]?.string ?? ""
            if !study.languages.contains(member.name) {
                faults.append(
                    Fault(
                        pointer: pointer, code: "not_a_value",
                        detail:
                            "The study offers these languages: \(study.languages.joined(separator: ", "))."))
            }
            if subject.contains(where: \.isNewline) {
                faults.append(
                    Fault(
                        pointer: "\(pointer)/subject", code: "not_one_line", detail: "A subject is one line.")
                )
            }
            texts.append(
                BroadcastWords.Text(
                    language: member.name, subject: subject, body: member.value["body"]?.string ?? ""))
        }
        if texts.isEmpty {
            faults.append(
                Fault(pointer: "/words", code: "too_short", detail: "At least one language is needed."))
        }
        if let target = body["target"]?.string, !DecisionRule.Message.isTarget(target) {
            faults.append(
                Fault(
                    pointer: "/target", code: "invalid_target", detail: DecisionRule.Message.targetRule))
        }
        let audience = audience(body["audience"], study, &faults)
        let notBefore = max(body["not_before"]?.string.flatMap { Instant($0) } ?? now, now)
        let expiresAt =
            body["expires_at"]?.string.flatMap { Instant($0) }
            ?? notBefore.adding(seconds: defaultValiditySeconds)
        if expiresAt <= notBefore {
            faults.append(
                Fault(
                    pointer: "/expires_at", code: "too_early",
                    detail: "It must be later than now and than not_before."))
        }
        guard faults.isEmpty else { throw Problem(.bodyInvalid, Faults(faults)) }
        return Broadcast(
            study: study.code, id: id, digest: Array(SHA256.hash(data: Data(body.canonicalBytes))),
            arms: audience.arms, participants: audience.participants,
            words: BroadcastWords(texts, first: study.languages.first), target: body["target"]?.string,
            channels: body["channels"]?.array?.compactMap {
                $0.string.flatMap { ReminderChannel(rawValue: $0) }
            },
            notBefore: notBefore, expiresAt: expiresAt)
    }

    private static func problem(_ pointer: String, _ code: String, _ detail: String) -> Problem {
        Problem(.bodyInvalid, Faults([Fault(pointer: pointer, code: code, detail: detail)]))
    }

    // MARK: - Schemas

    private static let codes = Schema.array(
        of: .string(minLength: 1, maxLength: 100), min: 1, max: maximumListLength)

    private static let audienceMember = Schema.Member.required(
        "audience",
        .object([
            .optional("all", .boolean, "Every active participant; true."),
            .optional("arms", codes, "The participants of these arms."),
            .optional("participants", codes, "The participants with these pseudonyms."),
        ]), "Who gets it: exactly one of the members.")

    private static let request = Schema.object([
        audienceMember,
        .required(
            "words",
            .map(
                of: .object([
                    .required("subject", .string(minLength: 1, maxLength: 200), "One line."),
                    .required("body", .string(minLength: 1, maxLength: maximumBodyLength), "Plain text."),
                ])), "Language -> the words. The order matters for participants whose language is missing."),
        .optional("channels", EnrolmentResponse.channels, "Restricts the channels; default: no restriction."),
        .optional(
            "target", .string(minLength: 1, maxLength: 500),
            "Where it leads: an https address, or a path of the app; default: the first page."),
        .optional("not_before", .instant, "When it is sent. The default is now."),
        .optional("expires_at", .instant, "From then on, no channel sends it. The default is 7 days later."),
    ])

    private static let states = Schema.string(values: ["queued", "sending", "sent", "cancelled"])

    private static let stored = Schema.named(
        "Broadcast",
        .object([
            .required("broadcast_id", .id, "The id of the broadcast."),
            .required("addressed", .integer(min: 0), "The number of active participants in the audience."),
            .required("state", states, "How far it is."),
        ]))

    private static let progressMembers: [Schema.Member] = [
        .required("broadcast_id", .id, "The id of the broadcast."),
        .required("state", states, "How far it is."),
        .required("addressed", .integer(min: 0), "The number of inboxes that have it."),
        .required("sent", .integer(min: 0), "To how many participants a channel has sent it."),
        .required("failed", .integer(min: 0), "For how many participants a channel has failed."),
        .required("opened", .integer(min: 0), "How many participants have opened it."),
        .required("not_before", .instant, "When it is sent."),
        .required("expires_at", .instant, "From then on, no channel sends it."),
        .required("created_at", .instant, "When it was stored."),
    ]

    private static let progressSchema = Schema.named("BroadcastProgress", .object(progressMembers))

    private static let listedSchema = Schema.named(
        "ListedBroadcast",
        .object(
            progressMembers + [
                .required("subject", .string(), "The subject in the first language of its words."),
                .required(
                    "audience", .string(values: ["all", "arms", "participants"]),
                    "How its audience is chosen."),
                .required(
                    "arms", .nullable(.array(of: .string())),
                    """
                    The arms of the audience; null for all, and empty if its numbers would reveal which arm a letter \
                    means.
                    """),
                .required(
                    "participants", .nullable(.integer(min: 0)),
                    "The number of chosen pseudonyms; null if none were chosen."),
            ]))
}
