import Postgres
import SaunterCore

/// A participant as researchers see them: a pseudonym and the progress in the study.
package struct ParticipantRow: Sendable {
    /// The pseudonym of the participant in the study.
    package var participantID: String
    /// The id that research tables use; it identifies no account.
    package var enrolment: EnrolmentID
    /// The code of the present arm.
    package var arm: String
    /// The levels of the factors by which the study allocates arms; empty if it has none.
    package var stratum: String
    /// Whether the participant is active, or how the enrolment ended.
    package var state: EnrolmentState
    /// When the participant enrolled, by the server's clock.
    package var enrolledAt: Instant
    /// The local date of the enrolment, day 0 of the study.
    package var enrolledOn: LocalDate
    /// When the participant left the study; nil while the enrolment is active.
    package var endedAt: Instant?
    /// The participant's present time zone.
    package var zone: Zone
    /// The language of messages, as a BCP 47 tag.
    package var language: String
    /// When an answer sheet last arrived; nil if none did.
    package var lastSheetAt: Instant?
    /// The number of answer sheets that are not deleted.
    package var sheets: Int
    /// The number of walks that are not deleted.
    package var walks: Int

    init(_ row: Row) throws {
        participantID = try row.get("participant_id")
        enrolment = try row.id("enrolment_id")
        arm = try row.get("arm")
        stratum = try row.get("allocation_stratum")
        state = try row.value("status")
        enrolledAt = try row.instant("enrolled_at")
        enrolledOn = try row.localDate("enrolled_on")
        endedAt = try row.instantOptional("ended_at")
        zone = try row.zone("zone")
        language = try row.get("language")
        lastSheetAt = try row.instantOptional("last_sheet_at")
        sheets = try row.get("sheets")
        walks = try row.get("walks")
    }
}

extension Store {
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
