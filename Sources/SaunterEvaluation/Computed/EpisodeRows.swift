import Foundation
import Postgres
import SaunterCore

/// Computes the rows of `episodes`: the periods in which an entry was the active one of its questionnaire.
struct EpisodeRows: ComputedRows {
    /// A stored sheet with what the rules of active entries need.
    private struct Sheet {
        let record: EntryRecord
        let zone: String
        /// The stored offset from UTC at the completion.
        let offsetMinutes: Int
    }

    private let records: SnapshotRecords
    private let asOf: Instant
    /// The rules of `any_time` by version of the study.
    private let rules: [String: [AnyTimeRule]]
    /// The codes of the instruments in the dataset.
    private let instruments: Set<String>

    init(_ snapshot: DatasetSnapshot, _ records: SnapshotRecords) {
        self.records = records
        asOf = snapshot.asOf
        rules = Dictionary(
            snapshot.definitions.versions.map { ($0.version, $0.study.anyTime) },
            uniquingKeysWith: { first, _ in first })
        instruments = Set(snapshot.definitions.instruments.map(\.code))
    }

    nonisolated(nonsending) func rows(of enrolments: [ComputedEnrolment]) async throws -> [JSON] {
        let sheets = try await sheets(of: enrolments.map(\.id))
        return enrolments.flatMap { enrolment in
            rows(of: enrolment.id, rules[enrolment.studyVersion] ?? [], sheets[enrolment.id] ?? [])
        }
    }

    private func rows(of enrolment: EnrolmentID, _ rules: [AnyTimeRule], _ sheets: [Sheet]) -> [JSON] {
        let known = Dictionary(sheets.map { ($0.record.id, $0) }, uniquingKeysWith: { first, _ in first })
        let ends = Dictionary(
            rules.map { ($0.questionnaire, $0.endsWith) }, uniquingKeysWith: { first, _ in first })
        return ActiveEntries(rules, sheets.map(\.record), at: asOf).episodes
            .filter { instruments.contains($0.questionnaire) }
            .compactMap { episode in
                known[episode.entry].map { entry in
                    let linked = sheets.map(\.record).filter { sheet in
                        sheet.refersTo == episode.entry && sheet.deletedAt == nil
                            && sheet.questionnaire != ends[episode.questionnaire]
                    }
                    return row(
                        enrolment, episode, entry, end: episode.endedBy.flatMap { known[$0] }, linked: linked)
                }
            }
    }

    /// - Parameters:
    ///   - end: the sheet that replaced or ended the entry.
    ///   - linked: the current entries that refer to the entry, without its end.
    private func row(
        _ enrolment: EnrolmentID, _ episode: EntryEpisode, _ entry: Sheet, end: Sheet?, linked: [EntryRecord]
    ) -> JSON {
        var row: JSONObject = [
            "enrolment_id": .string(enrolment.description), "sheet_id": .string(episode.entry.description),
            "instrument": .string(episode.questionnaire), "began_at": .string(episode.began.description),
            "began_tz": .string(entry.zone), "began_offset_min": .int(entry.offsetMinutes),
            "why": .string(episode.why.rawValue),
            "linked": .array(
                linked.sorted { ($0.completedAt, $0.id) < ($1.completedAt, $1.id) }
                    .map { .string($0.id.description) }),
        ]
        if let ended = episode.ended {
            row["ended_at"] = .string(ended.description)
            row["ended_tz"] = .string((end ?? entry).zone)
            // A deletion has no offset of a device.
            let zone = Zone(entry.zone)
            row["ended_offset_min"] = .int(
                end?.offsetMinutes ?? zone.map { $0.offset(at: ended) / 60 } ?? entry.offsetMinutes)
        }
        row["ended_by"] = episode.endedBy.map { .string($0.description) }
        return .object(row)
    }

    /// The newest revisions of all entries that can be active, end an active entry, or refer to one.
    private nonisolated(nonsending) func sheets(of enrolments: [EnrolmentID]) async throws
        -> [EnrolmentID: [Sheet]]
    {
        let all = rules.values.flatMap(\.self)
        let active = all.filter(\.isActiveOne)
        let targets = Set(active.map(\.questionnaire))
        let related = all.filter { $0.refersTo.map { targets.contains($0.questionnaire) } ?? false }
        let codes = targets.union(active.compactMap(\.endsWith)).union(related.map(\.questionnaire))
        let rows = try await records.query(
            SQLFile.histories["dataset_entry_records"],
            ["enrolment_ids": .uuids(enrolments.map(\.uuid)), "questionnaires": .texts(codes.sorted())])
        var sheets: [EnrolmentID: [Sheet]] = [:]
        for row in rows {
            let record = EntryRecord(
                id: SheetID(try row.get("sheet_id", as: UUID.self)),
                questionnaire: try row.get("questionnaire"),
                completedAt: Instant(milliseconds: try row.timestamp("completed_at")),
                refersTo: try row.getOptional("refers_to", as: UUID.self).map { SheetID($0) },
                deletedAt: try row.timestampOptional("deleted_at").map { Instant(milliseconds: $0) })
            sheets[EnrolmentID(try row.get("enrolment_id", as: UUID.self)), default: []].append(
                Sheet(
                    record: record, zone: try row.get("zone"),
                    offsetMinutes: try row.get("completed_offset_min")))
        }
        return sheets
    }
}
