import Foundation
import Postgres
import SaunterCore

/// The words of a broadcast in several languages.
package struct BroadcastWords: Sendable, Hashable {
    /// The words in one language.
    package struct Text: Sendable, Hashable {
        /// A language of the study.
        package var language: String
        /// One line.
        package var subject: String
        /// Plain text.
        package var body: String

        /// Creates the words in one language.
        package init(language: String, subject: String, body: String) {
            self.language = language
            self.subject = subject
            self.body = body
        }
    }

    /// A participant whose language is missing gets the first one.
    package let texts: [Text]

    /// - Parameters:
    ///   - texts: in the order of the request.
    ///   - language: the study's first language. Its words are the first ones, if they exist.
    package init(_ texts: [Text], first language: String?) {
        self.texts = texts.filter { $0.language == language } + texts.filter { $0.language != language }
    }

    /// Reads the result of `json`.
    init(json: JSON) {
        texts = (json.object ?? [:]).map { member in
            Text(
                language: member.name, subject: member.value["subject"]?.string ?? "",
                body: member.value["body"]?.string ?? "")
        }
    }

    /// Language -> words, in the order of `texts`.
    var json: JSON {
        .object(
            JSONObject(
                texts.map {
                    .init(
                        name: $0.language, value: ["subject": .string($0.subject), "body": .string($0.body)])
                }))
    }

    /// The words for a participant: in their language, in the language without its region, or the first ones. Nil if
    /// there are none.
    package func text(for language: String) -> Text? {
        let general = language.prefix { $0 != "-" }
        return texts.first { $0.language == language } ?? texts.first { $0.language == general }
            ?? texts.first
    }
}

/// A message of a coordinator to many participants.
package struct Broadcast: Sendable {
    /// The code of the study.
    package var study: String
    /// The id that the coordinator's client has chosen.
    package var id: ID<Broadcast>
    /// The digest of the request, by which a repetition is recognised.
    package var digest: [UInt8]
    /// Only participants of these arms; nil for all.
    package var arms: [String]?
    /// Only participants with these pseudonyms; nil for all.
    package var participants: [String]?
    /// The words in each language.
    package var words: BroadcastWords
    /// Where the message leads: an https address or a path of the app; nil for the first page.
    package var target: String?
    /// The channels that may send it; nil for all channels of each participant.
    package var channels: [ReminderChannel]?
    /// It is sent at this instant or soon after.
    package var notBefore: Instant
    /// From this instant on, no channel sends it.
    package var expiresAt: Instant

    /// Creates a broadcast that is not stored yet.
    package init(
        study: String, id: ID<Broadcast>, digest: [UInt8], arms: [String]?, participants: [String]?,
        words: BroadcastWords, target: String?, channels: [ReminderChannel]?, notBefore: Instant,
        expiresAt: Instant
    ) {
        self.study = study
        self.id = id
        self.digest = digest
        self.arms = arms
        self.participants = participants
        self.words = words
        self.target = target
        self.channels = channels
        self.notBefore = notBefore
        self.expiresAt = expiresAt
    }
}

/// Who gets a broadcast. Without arms and participants, all active participants do.
package struct BroadcastAudience: Sendable, Hashable {
    /// Only participants of these arms; nil for all.
    package var arms: [String]?
    /// Only participants with these pseudonyms; nil for all.
    package var participants: [String]?

    /// Creates an audience.
    package init(arms: [String]?, participants: [String]?) {
        self.arms = arms
        self.participants = participants
    }
}

/// How far a broadcast is.
package struct BroadcastProgress: Sendable {
    /// The id that the coordinator's client has chosen.
    package var id: ID<Broadcast>
    /// The subject in its first language.
    package var subject: String
    /// Only participants of these arms; nil for all.
    package var arms: [String]?
    /// The number of chosen pseudonyms; nil if none were chosen.
    package var participants: Int?
    /// `queued`, `sending`, `sent` or `cancelled`.
    package var state: String
    /// The number of inboxes that have it.
    package var addressed: Int
    /// To how many participants a channel has sent it.
    package var sent: Int
    /// For how many participants every channel has failed.
    package var failed: Int
    /// How many participants have opened it.
    package var opened: Int
    /// It is sent at this instant or soon after.
    package var notBefore: Instant
    /// From this instant on, no channel sends it.
    package var expiresAt: Instant
    /// When it was stored.
    package var createdAt: Instant

    /// A broadcast without its counts, which are 0.
    fileprivate init(_ row: Row) throws {
        id = try row.id("broadcast_id")
        let words = BroadcastWords(json: try JSONReader.read(row.get("words", as: String.self)))
        subject = words.texts.first?.subject ?? ""
        arms = try row.getOptional("arms", as: [String?].self)?.compactMap(\.self)
        participants = try row.getOptional("participants")
        let isFinished = try row.instantOptional("finished_at") != nil
        let isCancelled = try row.instantOptional("cancelled_at") != nil
        state = isFinished ? "sent" : isCancelled ? "cancelled" : "queued"
        (addressed, sent, failed, opened) = (0, 0, 0, 0)
        notBefore = try row.instant("not_before")
        expiresAt = try row.instant("expires_at")
        createdAt = try row.instant("created_at")
    }

    /// Adds the counts, from which follows whether it is being sent.
    fileprivate mutating func count(_ row: Row) throws {
        addressed = try row.get("addressed")
        sent = try row.get("sent")
        failed = try row.get("failed")
        opened = try row.get("opened")
        if state == "queued", addressed > 0 { state = "sending" }
    }
}

/// Why a broadcast is not stored.
package enum BroadcastFault: Error {
    /// No active participant belongs to the audience.
    case emptyAudience
    /// No active participant has these pseudonyms.
    case unknownParticipants([String])
    /// The id belongs to a broadcast with other content.
    case idReused
}

extension Store {
    private static let recipientsPerStep = 200

    /// Stores a broadcast and writes the audit entry. A repetition of the same request changes nothing.
    /// - Returns: the number of active participants in the audience, and whether the broadcast is new.
    /// - Throws: `BroadcastFault`.
    package func insert(
        _ broadcast: Broadcast, by actor: AuditEntry.Actor, requestID: String?, now: Instant
    ) async throws -> (recipients: Int, isNew: Bool) {
        try await research.writeRetrying(idempotent: true) { transaction in
            let audience = try await transaction.query(
                Statements.staffMessages["count_recipients"],
                [
                    "study": .text(broadcast.study), "arms": .texts(broadcast.arms),
                    "participants": .texts(broadcast.participants),
                ]
            ).one()
            let recipients: Int = try audience.get("recipients")
            let stored = try await transaction.query(
                Statements.staffMessages["insert_broadcast"],
                [
                    "study": .text(broadcast.study), "broadcast_id": .id(broadcast.id),
                    "body_sha256": .bytes(broadcast.digest), "arms": .texts(broadcast.arms),
                    "participants": .texts(broadcast.participants), "words": .verbatim(broadcast.words.json),
                    "channels": .texts(broadcast.channels?.map(\.rawValue)),
                    "target": .text(broadcast.target),
                    "not_before": .instant(broadcast.notBefore), "expires_at": .instant(broadcast.expiresAt),
                    "now": .instant(now),
                ]
            ).one()
            guard try stored.get("body_sha256", as: [UInt8].self) == broadcast.digest else {
                throw BroadcastFault.idReused
            }
            let isNew: Bool = try stored.get("inserted")
            guard isNew else { return (recipients, false) }
            let unknown = try audience.get("unknown", as: [String?].self).compactMap(\.self)
            guard unknown.isEmpty else { throw BroadcastFault.unknownParticipants(unknown) }
            guard recipients > 0 else { throw BroadcastFault.emptyAudience }
            let audit = AuditEntry(
                actor: actor, action: "broadcast_created", study: broadcast.study, requestID: requestID,
                detail: ["broadcast_id": .string(broadcast.id.description), "recipients": .int(recipients)])
            _ = try await transaction.pipeline([audit.call(at: now, secrets)])
            return (recipients, true)
        }
    }

    /// The number of active participants in an audience, of those among them who have paused and will not get the
    /// message, and the pseudonyms that no active participant has.
    package func countRecipients(
        of study: String, _ audience: BroadcastAudience
    ) async throws -> (recipients: Int, paused: Int, unknown: [String]) {
        let row = try await research.query(
            Statements.staffMessages["count_recipients"],
            [
                "study": .text(study), "arms": .texts(audience.arms),
                "participants": .texts(audience.participants),
            ]
        ).one()
        return (
            try row.get("recipients"), try row.get("paused"),
            try row.get("unknown", as: [String?].self).compactMap(\.self)
        )
    }

    /// How far a broadcast is; nil if the study has none with this id.
    package func findBroadcast(_ id: ID<Broadcast>, of study: String) async throws -> BroadcastProgress? {
        let rows = try await research.query(
            Statements.staffMessages["find_broadcast"], ["study": .text(study), "broadcast_id": .id(id)])
        return try await progress(of: rows.map { try BroadcastProgress($0) }, in: study).first
    }

    /// Broadcasts of a study, the newest first.
    /// - Parameter position: the last broadcast of the previous page; nil for the first page.
    package func listBroadcasts(
        of study: String, after position: (moment: Instant, id: UUID)?, limit: Int
    ) async throws -> [BroadcastProgress] {
        let rows = try await research.query(
            Statements.staffMessages["list_broadcasts"],
            [
                "study": .text(study), "before": .instant(position?.moment ?? .maximum),
                "before_id": .uuid(position?.id ?? .last), "limit_rows": .int(limit),
            ])
        return try await progress(of: rows.map { try BroadcastProgress($0) }, in: study)
    }

    private func progress(
        of broadcasts: [BroadcastProgress], in study: String
    ) async throws -> [BroadcastProgress] {
        guard !broadcasts.isEmpty else { return [] }
        let rows = try await research.query(
            Statements.staffMessages["count_broadcasts"],
            ["study": .text(study), "broadcast_ids": .uuids(broadcasts.map(\.id.uuid))])
        var counts: [ID<Broadcast>: Row] = [:]
        for row in rows { counts[try row.id("broadcast_id")] = row }
        return try broadcasts.map { broadcast in
            var counted = broadcast
            if let row = counts[broadcast.id] { try counted.count(row) }
            return counted
        }
    }

    /// Stops a broadcast that is not finished, and writes the audit entry. Participants who have it keep it.
    /// - Returns: false if the study has none with this id.
    package func cancelBroadcast(
        _ id: ID<Broadcast>, of study: String, by actor: AuditEntry.Actor, requestID: String?, now: Instant
    ) async throws -> Bool {
        guard try await findBroadcast(id, of: study) != nil else { return false }
        let audit = AuditEntry(
            actor: actor, action: "broadcast_cancelled", study: study, requestID: requestID,
            detail: ["broadcast_id": .string(id.description)])
        try await research.writeRetrying(idempotent: true) { transaction in
            _ = try await transaction.pipeline([
                (
                    Statements.staffMessages["cancel_broadcast"],
                    ["study": .text(study), "broadcast_id": .id(id), "now": .instant(now)]
                ), audit.call(at: now, secrets),
            ])
        }
        return true
    }

    /// Puts a broadcast that is due into the inboxes of the next participants, in one transaction. A worker that dies
    /// before the commit leaves them to the next one.
    /// - Returns: whether a broadcast was due.
    package func distributeBroadcast(now: Instant) async throws -> Bool {
        try await research.writeRetrying(idempotent: true) { transaction in
            guard
                let row = try await transaction.query(
                    Statements.staffMessages["claim_broadcast"], ["now": .instant(now)]
                ).oneOrNone()
            else { return false }
            let study: String = try row.get("study")
            let id: ID<Broadcast> = try row.id("broadcast_id")
            let expiresAt = try row.instant("expires_at")
            let target: String? = try row.getOptional("target")
            let words = BroadcastWords(json: try JSONReader.read(row.get("words", as: String.self)))
            let channels = try Self.texts("channels", row)
            let rows = try await transaction.query(
                Statements.staffMessages["list_recipients"],
                [
                    "study": .text(study), "arms": .texts(try Self.texts("arms", row)),
                    "participants": .texts(try Self.texts("participants", row)),
                    "after": .uuid(try row.get("addressed_through")),
                    "limit_rows": .int(Self.recipientsPerStep),
                ])
            let recipients = now < expiresAt ? try rows.map(Self.enrolment) : []
            for enrolment in recipients {
                guard let text = words.text(for: enrolment.language) else { continue }
                let message = NewInboxMessage(
                    id: MessageID(UUID()), rule: "broadcast", key: "broadcast/\(id)",
                    words: ComposedMessage(subject: text.subject, body: text.body, target: target),
                    channels: channels?.compactMap { ReminderChannel(rawValue: $0) },
                    countsForDay: false, sendsByAllChannels: false, sendAt: now, expiresAt: expiresAt,
                    broadcast: id.uuid)
                try await Self.insert(message, for: enrolment, now: now, in: transaction)
            }
            _ = try await transaction.query(
                Statements.staffMessages["advance_broadcast"],
                [
                    "study": .text(study), "broadcast_id": .id(id),
                    "addressed_through": .uuid(recipients.last?.id.uuid ?? .last),
                    "finished_at": .instant(recipients.count < Self.recipientsPerStep ? now : nil),
                ])
            return true
        }
    }

    private static func texts(_ column: String, _ row: Row) throws -> [String]? {
        try row.getOptional(column, as: [String?].self)?.compactMap(\.self)
    }
}
