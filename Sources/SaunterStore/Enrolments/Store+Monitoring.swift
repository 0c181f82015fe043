import Postgres
import SaunterCore

/// What researchers see of a participant: a pseudonym and how the study goes.
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
    /// Participants of a study by pseudonym, from after the given one on. Read under the role that cannot see identities.
    package func listParticipants(
        _ study: String, after: String?, limit: Int
    ) async throws -> [ParticipantRow] {
        try await export.query(
            Statements.enrolments["list_participants"], [.text(study), .text(after ?? ""), .int(limit)]
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

    /// The zones by which these participants have lived, in their order.
    package func listZones(of enrolments: [EnrolmentID]) async throws -> [EnrolmentID: [ZoneChange]] {
        let rows = try await export.query(
            Statements.enrolments["list_enrolment_zones"], [.ids(enrolments)])
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
            Statements.occasions["list_occasions"], [.ids(enrolments)])
        var occasions: [EnrolmentID: [Occasion]] = [:]
        for row in rows {
            occasions[try row.id("enrolment_id"), default: []].append(try Self.occasion(row))
        }
        return occasions
    }
}
