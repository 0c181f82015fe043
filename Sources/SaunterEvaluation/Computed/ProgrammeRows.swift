import Foundation
import Postgres
import SaunterCore

/// Computes the rows of `programmes`: what each participant did of the programmes of any edition.
struct ProgrammeRows: ComputedRows {
    private let records: SnapshotRecords
    private let modules: [ProgrammeModule]
    private let editions: [StudyDefinitions.Edition]

    init(_ snapshot: DatasetSnapshot, _ records: SnapshotRecords) {
        self.records = records
        let instruments = Set(snapshot.definitions.instruments.map(\.code))
        modules = snapshot.definitions.programmeModules.filter { instruments.contains($0.module) }
        editions = snapshot.definitions.editions
    }

    nonisolated(nonsending) func rows(of enrolments: [ComputedEnrolment]) async throws -> [JSON] {
        let completions = try await completions(of: enrolments.map(\.id))
        return enrolments.flatMap { enrolment in
            let done = completions[enrolment.id] ?? [:]
            return modules.compactMap { module -> JSON? in
                guard let moments = done[module.module], let first = moments.min() else { return nil }
                return .object(row(enrolment.id, module, first: first, times: moments.count))
            }
        }
    }

    private func row(
        _ enrolment: EnrolmentID, _ module: ProgrammeModule, first: Instant, times: Int
    ) -> JSONObject {
        var row: JSONObject = [
            "enrolment_id": .string(enrolment.description), "programme": .string(module.programme),
            "module": .string(module.module), "first_done_at": .string(first.description),
            "times": .int(times),
        ]
        // A practice that was done before the first edition has none.
        row["edition"] = editions.last { $0.publishedAt <= first }.map { .int($0.edition) }
        return row
    }

    /// Enrolment -> practice -> the completions of its current sheets.
    private nonisolated(nonsending) func completions(of enrolments: [EnrolmentID]) async throws
        -> [EnrolmentID: [String: [Instant]]]
    {
        let codes = Set(modules.map(\.module)).sorted()
        let rows = try await records.query(
            SQLFile.histories["dataset_entry_records"],
            ["enrolment_ids": .uuids(enrolments.map(\.uuid)), "questionnaires": .texts(codes)])
        var completions: [EnrolmentID: [String: [Instant]]] = [:]
        for row in rows where try row.timestampOptional("deleted_at") == nil {
            let enrolment = EnrolmentID(try row.get("enrolment_id", as: UUID.self))
            let practice: String = try row.get("questionnaire")
            completions[enrolment, default: [:]][practice, default: []].append(
                Instant(milliseconds: try row.timestamp("completed_at")))
        }
        return completions
    }
}
