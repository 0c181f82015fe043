import Postgres
import SaunterCore

/// A participant as researchers see them: a pseudonym and the progress in the study.
package struct ParticipantRow: Sendable {
    package var participantID: String
    package var enrolment: EnrolmentID
    package var arm: String
    package var state: EnrolmentState
    package var enrolledAt: Instant
    package var enrolledOn: LocalDate
    package var endedAt: Instant?
    package var zone: Zone
    package var language: String
    package var lastSheetAt: Instant?
    package var sheets: Int
    package var walks: Int
}

extension Store {
    /// Participants of a study by pseudonym, after the given one, without excluded ones. Runs under a role that
    /// cannot read identities.
    package func listParticipants(
        _ study: String, after: String?, limit: Int
    ) async throws -> [ParticipantRow] {
        try await export.query(
            Statements.enrolments["list_participants"],
            ["study": .text(study), "after": .text(after ?? ""), "limit_rows": .int(limit)]
        ).map { row in
            ParticipantRow(
                participantID: try row.get("participant_id"), enrolment: try row.id("enrolment_id"),
                arm: try row.get("arm"), state: try row.value("status"),
                enrolledAt: try row.instant("enrolled_at"),
                enrolledOn: try row.localDate("enrolled_on"), endedAt: try row.instantOptional("ended_at"),
                zone: try row.zone("zone"), language: try row.get("language"),
                lastSheetAt: try row.instantOptional("last_sheet_at"), sheets: try row.get("sheets"),
                walks: try row.get("walks"))
        }
    }

    /// The time zones of these participants, in the order of their start.
    package func listZones(of enrolments: [EnrolmentID]) async throws -> [EnrolmentID: [ZoneChange]] {
        let rows = try await export.query(
            Statements.enrolments["list_enrolment_zones"], ["enrolment_ids": .ids(enrolments)])
        var zones: [EnrolmentID: [ZoneChange]] = [:]
        for row in rows {
            zones[try row.id("enrolment_id"), default: []].append(
                ZoneChange(from: try row.instant("effective_from"), zone: try row.zone("zone")))
        }
        return zones
    }

    /// All occasions of these participants.
    package func listOccasions(of enrolments: [EnrolmentID]) async throws -> [EnrolmentID: [Occasion]] {
        let rows = try await export.query(
            Statements.occasions["list_occasions"], ["enrolment_ids": .ids(enrolments)])
        var occasions: [EnrolmentID: [Occasion]] = [:]
        for row in rows {
            occasions[try row.id("enrolment_id"), default: []].append(try Self.occasion(row))
        }
        return occasions
    }
}
