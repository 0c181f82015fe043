import Foundation
import Postgres
import SaunterCore

/// A table whose rows the core computes from the records of each participant, so that a dataset and the server use the
/// same rules.
enum ComputedTable: Sendable, Hashable {
    case episodes, programmes, variables
}

/// An enrolment whose rows are computed.
struct ComputedEnrolment: Sendable {
    let id: EnrolmentID
    /// The version of the study that the enrolment follows.
    let studyVersion: String
    let enrolledAt: Instant
}

/// Computes the rows of enrolments as JSON objects, whose members are the raw columns of the table's statement.
protocol ComputedRows {
    nonisolated(nonsending) func rows(of enrolments: [ComputedEnrolment]) async throws -> [JSON]
}

/// Writes a computed table. Enrolments are read in batches, in the order of the table's key. The statement of the table
/// reads the rows of a batch from the setting `saunter.computed`, so that a profile treats their columns as it treats
/// those of other tables.
struct ComputedTableCopy {
    /// The number of enrolments whose rows are in memory at once.
    static let batchSize = 100

    let table: Table
    let snapshot: DatasetSnapshot
    let transaction: Transaction

    /// Passes the CSV text of the table to `sink` in pieces.
    nonisolated(nonsending) func run(
        _ computed: ComputedTable, into sink: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws {
        let records = SnapshotRecords(transaction: transaction, isPast: snapshot.isPast)
        let source: any ComputedRows =
            switch computed {
            case .episodes: EpisodeRows(snapshot, records)
            case .programmes: ProgrammeRows(snapshot, records)
            case .variables: VariableRows(snapshot, records)
            }
        let command = table.copyCommand(
            snapshot.profile, hasUnknownZones: !snapshot.unknownZones.isEmpty,
            settings: try await DatasetSettings.read(in: transaction, isPast: snapshot.isPast))
        let enrolments = try await enrolments()
        var start = 0
        repeat {
            let batch = Array(enrolments[start..<min(start + Self.batchSize, enrolments.count)])
            // Each batch has a header, of which the file needs the first.
            var skipsHeader = start > 0
            let rows = try await source.rows(of: batch)
            try await DatasetSnapshot.set("computed", JSON.array(rows).text, in: transaction)
            try await transaction.copyOut(command) { piece in
                guard skipsHeader else { return try await sink(piece) }
                guard let end = piece.firstIndex(of: UInt8(ascii: "\n")) else { return }
                skipsHeader = false
                try await sink(Array(piece[(end + 1)...]))
            }
            start += Self.batchSize
        } while start < enrolments.count
        try await DatasetSnapshot.set("computed", "[]", in: transaction)
    }

    /// The included enrolments in the order of the table's key.
    private func enrolments() async throws -> [ComputedEnrolment] {
        let order = table.order("enrolment_id", isReleased: snapshot.profile == .deidentified)
        let statement = Statement(
            name: "dataset_computed_enrolments",
            sql: """
                with included as materialized (
                \(Table.CTE.included.statement.sql)
                )
                select r.enrolment_id, r.study_version, enrolment.enrolled_at
                from included as r
                join research.enrolment enrolment using (enrolment_id)
                order by \(order)
                """)
        let records = SnapshotRecords(transaction: transaction, isPast: snapshot.isPast)
        return try await records.query(statement).map { row in
            ComputedEnrolment(
                id: EnrolmentID(try row.get("enrolment_id", as: UUID.self)),
                studyVersion: try row.get("study_version"),
                enrolledAt: Instant(milliseconds: try row.timestamp("enrolled_at")))
        }
    }
}
