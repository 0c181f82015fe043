import Foundation
import Postgres
import SaunterCore

/// Reads records: the rows of every form, each form's in the order of participants, put together participant by participant, so that it takes no
/// more memory for more participants.
package struct REDCapRecords {
    /// The years 1 and 9999: what the database can hold, and clients can ask for.
    private static let earliest: Int64 = -62_135_596_800_000
    private static let latest: Int64 = 253_402_300_799_999

    let reading: OpenReading
    let project: REDCapProject
    let selection: REDCapSelection

    package init(_ reading: OpenReading, _ project: REDCapProject, _ selection: REDCapSelection) {
        self.reading = reading
        self.project = project
        self.selection = selection
    }

    /// Writes them.
    /// - Parameters:
    ///   - folder: takes the forms' rows while they are put together; the caller removes it.
    ///   - sink: takes the text piece by piece.
    /// - Returns: rows.
    /// - Throws: `DatabaseError`, or what the files or the sink throw.
    package nonisolated(nonsending) func write(
        into folder: URL, _ sink: @escaping ([UInt8]) throws -> Void
    ) async throws -> Int {
        var parts = selection.parts(of: project)
        // With no other field, records are told by their enrolment.
        if parts.isEmpty { parts = [(project.forms[0], [])] }
        let whom = try await records()
        var writer = try REDCapWriter(selection, parts, into: sink)
        if whom?.isEmpty != true {
            try await DatasetSnapshot.set(
                "schedules", project.schedules.joined(separator: ","), in: reading.transaction)
            try await merge(parts, whom, folder, &writer)
        }
        try writer.finish()
        return writer.rows
    }

    /// Nil is everybody.
    private func records() async throws -> [String]? {
        guard let changed = selection.changed else { return selection.records }
        let rows = try await reading.transaction.query(
            DatasetSnapshot.framed("reading_changed_participants", of: SQLFile.readers),
            [
                .timestamp(milliseconds: max(changed.from.milliseconds, Self.earliest)),
                .timestamp(milliseconds: min(changed.to.milliseconds, Self.latest)),
            ])
        let found = try rows.map { try $0.get("participant_id", as: String.self) }
        guard let asked = selection.records.map({ Set($0) }) else { return found }
        return found.filter(asked.contains)
    }

    private nonisolated(nonsending) func merge(
        _ parts: [(form: REDCapForm, fields: [REDCapField])], _ whom: [String]?, _ folder: URL,
        _ writer: inout REDCapWriter
    ) async throws {
        let condition = whom.map { TableQuery.Condition.oneOf("participant_id", $0) }
        let people = folder.appending(path: "people.csv")
        try await spool(
            Tables.participants,
            TableQuery(
                columns: ["participant_id"] + REDCapForm.participantColumns, condition: condition), people)
        var cursors: [(part: Int, cursor: TableCursor)] = []
        for (place, part) in parts.enumerated() {
            guard let table = part.form.table else { continue }
            let columns = part.fields.flatMap(\.cells).flatMap { cell in
                [cell.column, selection.tellsReasons ? cell.reason : nil].compactMap(\.self)
            }
            let file = folder.appending(path: "\(place).csv")
            let keys = ["participant_id", "arm", "schedule", "event_rank", "repeat_instance"]
            try await spool(table, TableQuery(columns: keys + columns, condition: condition), file)
            var cursor = try TableCursor(file)
            try cursor.advance()
            cursors.append((place, cursor))
        }
        var person = try TableCursor(people)
        try person.advance()
        while person.isAtRow {
            try Task.checkCancellation()
            try write(person, parts, &cursors, &writer)
            try person.advance()
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

    /// Everything of one participant.
    private func write(
        _ person: TableCursor, _ parts: [(form: REDCapForm, fields: [REDCapField])],
        _ cursors: inout [(part: Int, cursor: TableCursor)], _ writer: inout REDCapWriter
    ) throws {
        let record = person["participant_id"]
        var rows: [REDCapRow] = []
        if let place = parts.firstIndex(where: { $0.form.table == nil }),
            let event = project.event(arm: person["arm"], schedule: nil)
        {
            rows.append(
                REDCapRow(
                    record: record, event: event, instance: nil, part: place, rank: -1, cells: person.row))
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
