import Foundation
import Postgres
import SaunterCore

/// Writes records. The rows of each form are sorted by participant and spooled to a file, and the files are then merged
/// participant by participant. Memory use does not grow with the number of participants.
package struct REDCapRecords {
    /// The beginning of the year 1 and the end of the year 9999, in milliseconds since 1970. The database and the
    /// clients both support this range.
    private static let earliest: Int64 = -62_135_596_800_000
    private static let latest: Int64 = 253_402_300_799_999

    let reading: DatasetReadSession
    let project: REDCapProject
    let selection: REDCapSelection

    /// Creates a writer for one export from one snapshot.
    package init(_ reading: DatasetReadSession, _ project: REDCapProject, _ selection: REDCapSelection) {
        self.reading = reading
        self.project = project
        self.selection = selection
    }

    /// Writes the records.
    /// - Parameters:
    ///   - folder: contains the rows of the forms during the merge; the caller removes it.
    ///   - sink: receives the text in pieces.
    /// - Throws: `DatabaseError`, or errors of the files or of `sink`.
    package nonisolated(nonsending) func write(
        into folder: URL, _ sink: @escaping ([UInt8]) throws -> Void
    ) async throws {
        var parts = selection.parts(of: project)
        // Without any other field, each record has one row at its enrolment.
        if parts.isEmpty { parts = [(project.forms[0], [])] }
        let participants = try await selectedParticipants()
        var writer = REDCapWriter(selection, parts, into: sink)
        if participants?.isEmpty != true {
            try await DatasetSnapshot.set(
                "schedules", project.schedules.joined(separator: ","), in: reading.transaction)
            try await merge(parts, participants, folder, &writer)
        }
        try writer.finish()
    }

    /// The pseudonyms of the participants to export. Nil means all participants.
    private func selectedParticipants() async throws -> [String]? {
        guard let changed = selection.changed else { return selection.records }
        let rows = try await reading.transaction.query(
            DatasetSnapshot.statement("reading_changed_participants", of: SQLFile.readers),
            [
                .timestamp(milliseconds: max(changed.from.milliseconds, Self.earliest)),
                .timestamp(milliseconds: min(changed.to.milliseconds, Self.latest)),
            ])
        let found = try rows.map { try $0.get("participant_id", as: String.self) }
        guard let requestedRecords = selection.records.map({ Set($0) }) else { return found }
        return found.filter(requestedRecords.contains)
    }

    private nonisolated(nonsending) func merge(
        _ parts: [(form: REDCapForm, fields: [REDCapField])], _ participants: [String]?, _ folder: URL,
        _ writer: inout REDCapWriter
    ) async throws {
        let condition = participants.map { TableQuery.Condition.oneOf("participant_id", $0) }
        let participantsFile = folder.appending(path: "participants.csv")
        try await spool(
            Tables.participants,
            TableQuery(
                columns: ["participant_id"] + REDCapForm.participantColumns, condition: condition),
            participantsFile)
        var cursors: [(part: Int, cursor: TableCursor)] = []
        for (index, part) in parts.enumerated() {
            guard let table = part.form.table else { continue }
            let columns = part.fields.flatMap(\.recordColumns).flatMap { recordColumn in
                [recordColumn.column, selection.includesReasons ? recordColumn.reason : nil]
                    .compactMap(\.self)
            }
            let file = folder.appending(path: "\(index).csv")
            let keys = ["participant_id", "arm", "schedule", "event_rank", "repeat_instance"]
            try await spool(table, TableQuery(columns: keys + columns, condition: condition), file)
            var cursor = try TableCursor(file)
            try cursor.advance()
            cursors.append((index, cursor))
        }
        var participant = try TableCursor(participantsFile)
        try participant.advance()
        while participant.isAtRow {
            try Task.checkCancellation()
            try write(participant, parts, &cursors, &writer)
            try participant.advance()
        }
    }

    private nonisolated(nonsending) func spool(_ table: Table, _ query: TableQuery, _ url: URL) async throws {
        try Data().write(to: url, options: .withoutOverwriting)
        let file = try FileHandle(forWritingTo: url)
        do {
            try await reading.rows(of: table, query) { try file.write(contentsOf: $0) }
        } catch {
            try file.close()
            throw error
        }
        try file.close()
    }

    /// Writes all rows of one participant.
    private func write(
        _ participant: TableCursor, _ parts: [(form: REDCapForm, fields: [REDCapField])],
        _ cursors: inout [(part: Int, cursor: TableCursor)], _ writer: inout REDCapWriter
    ) throws {
        let record = participant["participant_id"]
        var rows: [REDCapRow] = []
        if let index = parts.firstIndex(where: { $0.form.table == nil }),
            let event = project.event(arm: participant["arm"], schedule: nil)
        {
            rows.append(
                REDCapRow(
                    record: record, event: event, instance: nil, part: index, rank: -1, cells: participant.row
                ))
        }
        for index in cursors.indices {
            while cursors[index].cursor.isAtRow, cursors[index].cursor["participant_id"] == record {
                let cursor = cursors[index].cursor
                if let event = project.event(arm: cursor["arm"], schedule: cursor["schedule"]) {
                    rows.append(
                        REDCapRow(
                            record: record, event: event, instance: Int(cursor["repeat_instance"]),
                            part: cursors[index].part, rank: Int(cursor["event_rank"]) ?? 0, cells: cursor.row
                        ))
                }
                try cursors[index].cursor.advance()
            }
        }
        if let events = selection.events.map({ Set($0) }) {
            rows.removeAll { !events.contains($0.event.uniqueName) }
        }
        rows.sort {
            ($0.rank, $0.event.arm, $0.part, $0.instance ?? 0) < (
                $1.rank, $1.event.arm, $1.part, $1.instance ?? 0
            )
        }
        for row in rows { try writer.write(row) }
    }
}
