import Postgres
import SaunterCore

/// What a timeline of a participant contains. The raw values are in the API.
package enum TimelineKind: String, Sendable, CaseIterable {
    /// An occasion, when its window opened.
    case occasion
    /// The current revision of an answer sheet, when it was completed.
    case sheet
    /// A correction or deletion that a participant or a device made.
    case edit
    case walk, calibration, observation
    /// A message with reminders, of a rule or of the study team.
    case message
    /// A decision of a rule.
    case decision
    case alert, consent
    /// A change of the arm.
    case arm
    /// A change of the time zone.
    case zone
    case pause
    /// The newest report of a named event of the study.
    case event
    /// A kind of data that the participant permits or no longer permits.
    case dataKind = "data_kind"
}

/// Something that happened to a participant.
package struct TimelineEntry: Sendable {
    /// When it happened, by the corrected clock.
    package var at: Instant
    package var kind: TimelineKind
    /// Unique among the entries of its kind at this instant.
    package var id: String
    /// What became of it, a code; nil for kinds without states, and for occasions, whose state depends on the time.
    package var state: String?
    /// The code of the questionnaire of a sheet; nil for all other kinds.
    package var questionnaire: String?
    /// What is stored about it, see `list_timeline`; nil for occasions and changes of the arm.
    package var detail: JSONObject?

    /// Creates an entry.
    package init(
        at: Instant, kind: TimelineKind, id: String, state: String?, questionnaire: String?,
        detail: JSONObject?
    ) {
        self.at = at
        self.kind = kind
        self.id = id
        self.state = state
        self.questionnaire = questionnaire
        self.detail = detail
    }
}

/// A position in a timeline: the entries on one side of an entry.
package struct TimelinePosition: Sendable, Hashable {
    package var at: Instant
    package var kind: TimelineKind
    package var id: String
    /// Whether the newer entries are wanted; otherwise the older ones.
    package var isNewer: Bool

    /// The entries on one side of this entry.
    package init(_ entry: TimelineEntry, isNewer: Bool) {
        self.init(at: entry.at, kind: entry.kind, id: entry.id, isNewer: isNewer)
    }

    /// Creates a position from its parts.
    package init(at: Instant, kind: TimelineKind, id: String, isNewer: Bool) {
        self.at = at
        self.kind = kind
        self.id = id
        self.isNewer = isNewer
    }
}

/// How much a participant has sent, and what has changed besides records.
package struct ParticipantHistory: Sendable {
    /// The stratum of the allocation.
    package var stratum: String
    /// When an answer sheet last arrived; nil if none did.
    package var lastSheetAt: Instant?
    /// The number of answer sheets that are not deleted.
    package var sheets: Int
    /// The number of walks that are not deleted.
    package var walks: Int
    /// Name of a list -> its JSON: consents, data kinds, pauses, zones, versions, awards. See
    /// `find_participant_history`.
    package var lists: JSONObject

    /// The names of `lists`.
    static let listNames = ["consents", "data_kinds", "pauses", "zones", "versions", "awards"]
}

/// One revision of an answer sheet, with everything that researchers may read about it.
package struct SheetRecord: Sendable {
    /// The revision, with its texts and without scores.
    package var sheet: StoredSheet
    /// Whether it is the newest revision.
    package var isCurrent: Bool { revisions.last?.number == sheet.revision }
    /// Milliseconds by item, as the device measured them; nil if it did not.
    package var timings: JSON?
    /// The description of the device; nil if it sent none.
    package var device: JSON?
    /// All revisions, the oldest first.
    package var revisions: [Revision]
    /// All scores that were ever computed for this revision; for each scale, the first is by the newest key.
    package var scores: [KeyedScore]

    /// A revision in the list of revisions.
    package struct Revision: Sendable {
        /// From 1.
        package var number: Int
        /// When the revision arrived or was made, by the server's clock.
        package var madeAt: Instant
        /// Why the participant corrected the sheet; nil if not stated.
        package var reason: String?
    }

    /// A score with its key.
    package struct KeyedScore: Sendable {
        package var score: Score
        package var keyVersion: String
        /// SHA-256 of the key, in hexadecimal digits.
        package var keyDigest: String
        package var engineVersion: String
        package var computedAt: Instant
    }
}

extension Store {
    /// How much a participant has sent, and what has changed besides records.
    /// - Throws: `ConcurrentErasure`.
    package func fetchParticipantHistory(of id: EnrolmentID) async throws -> ParticipantHistory {
        let rows = try await export.query(
            Statements.timeline["find_participant_history"], ["enrolment_id": .id(id)])
        guard let row = try rows.oneOrNone() else { throw ConcurrentErasure() }
        var lists: JSONObject = [:]
        for name in ParticipantHistory.listNames {
            lists[name] = try JSONReader.read(row.get(name, as: String.self))
        }
        return ParticipantHistory(
            stratum: try row.get("stratum"), lastSheetAt: try row.instantOptional("last_sheet_at"),
            sheets: try row.get("sheets"), walks: try row.get("walks"), lists: lists)
    }

    /// What happened to a participant, the newest first.
    /// - Parameters:
    ///   - period: only entries of these instants; the end is exclusive.
    ///   - position: only entries on one side of it; nil for the newest entries.
    ///   - now: occasions that open later are left out.
    ///   - limit: how many entries next to the position.
    package func listTimeline(
        of id: EnrolmentID, kinds: [TimelineKind], period: (from: Instant?, to: Instant?),
        at position: TimelinePosition?, now: Instant, limit: Int
    ) async throws -> [TimelineEntry] {
        let entries = try await export.query(
            Statements.timeline["list_timeline"],
            [
                "enrolment_id": .id(id), "kinds": .texts(kinds.map(\.rawValue)),
                "from_at": .instant(period.from), "to_at": .instant(period.to), "now": .instant(now),
                "position_at": .instant(position?.at), "position_kind": .text(position?.kind.rawValue),
                "position_id": .text(position?.id), "is_newer": .bool(position?.isNewer ?? false),
                "limit_rows": .int(limit),
            ]
        ).map { row in
            TimelineEntry(
                at: try row.instant("at"), kind: try row.value("kind"), id: try row.get("id"),
                state: try row.getOptional("state"), questionnaire: try row.getOptional("questionnaire"),
                detail: try row.getOptional("detail", as: String.self).map { try JSONReader.read($0) }?.object
            )
        }
        return position?.isNewer ?? false ? entries.reversed() : entries
    }

    /// The scores of the current revisions of sheets by the newest key, without deleted sheets.
    package func listCurrentScores(
        of id: EnrolmentID, _ sheets: [SheetID]
    ) async throws -> [SheetID: [(scale: String, value: Double?, band: String?)]] {
        guard !sheets.isEmpty else { return [:] }
        var scores: [SheetID: [(scale: String, value: Double?, band: String?)]] = [:]
        for row in try await export.query(
            Statements.timeline["list_current_scores"],
            ["enrolment_id": .id(id), "sheet_ids": .ids(sheets)])
        {
            scores[try row.id("sheet_id"), default: []].append(
                (try row.get("scale"), try row.getOptional("value"), try row.getOptional("band")))
        }
        return scores
    }

    /// One revision of an answer sheet, with its texts. Deleted sheets are found too.
    /// - Parameter revision: nil for the current one.
    /// - Returns: nil if there is no such revision.
    package func findSheetRecord(
        _ sheet: SheetID, of id: EnrolmentID, revision: Int?
    ) async throws -> SheetRecord? {
        let key: Arguments = ["enrolment_id": .id(id), "sheet_id": .id(sheet)]
        let rows = try await export.query(
            Statements.timeline["find_sheet_revision"], key + ["revision": .int(revision)])
        guard let row = try rows.oneOrNone() else { return nil }
        var stored = try StoredSheet(row)
        stored.answers.texts = try await Self.texts([stored], of: id, in: export)[stored.id] ?? [:]
        let revisions = try await export.query(Statements.timeline["list_sheet_revisions"], key).map {
            SheetRecord.Revision(
                number: try $0.get("revision"), madeAt: try $0.instant("made_at"),
                reason: try $0.getOptional("revision_reason"))
        }
        let scores = try await export.query(
            Statements.timeline["list_revision_scores"], key + ["revision": .int(stored.revision)]
        ).map {
            SheetRecord.KeyedScore(
                score: try Self.score($0), keyVersion: try $0.get("key_version"),
                keyDigest: try $0.get("key_digest"), engineVersion: try $0.get("engine_version"),
                computedAt: try $0.instant("computed_at"))
        }
        return SheetRecord(
            sheet: stored,
            timings: try row.getOptional("timings", as: String.self).map { try JSONReader.read($0) },
            device: try row.getOptional("device", as: String.self).map { try JSONReader.read($0) },
            revisions: revisions, scores: scores)
    }
}
