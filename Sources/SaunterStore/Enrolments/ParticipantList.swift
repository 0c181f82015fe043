import Postgres
import SaunterCore

/// Which participants a list contains. It never contains excluded ones. A filter that is nil does not apply.
package struct ParticipantFilter: Sendable {
    /// How the pseudonym begins, in any case.
    package var pseudonym: String?
    /// The code of the present arm.
    package var arm: String?
    /// Only active participants, or only those who stopped.
    package var state: EnrolmentState?
    /// Only participants for whom the day with this number is over. The day of the enrolment is day 0.
    package var finishedAfter: Int?
    /// Only participants who enrolled on this local date or later.
    package var enrolledFrom: LocalDate?
    /// Only participants who enrolled on this local date or earlier.
    package var enrolledTo: LocalDate?
    /// Only these participants.
    package var enrolments: [EnrolmentID]?

    /// A filter that applies to nothing.
    package init() {}
}

/// The order of a list of participants: by one value, then by pseudonym. Participants without the value are last.
package struct ParticipantOrder: Sendable, Hashable {
    /// The value by which participants are sorted.
    package enum Key: String, Sendable, CaseIterable {
        case participantID = "participant_id", enrolledAt = "enrolled_at", lastSheetAt = "last_sheet_at"
        /// The order of `Ranking.arms`.
        case arm
        /// Participants who never started, then those who take part, who finished, and who stopped.
        case state
        case studyDay = "study_day"
        /// The percentage as `Adherence` rounds it. Participants without a settled occasion have none.
        case adherence
        /// The number of records that have not arrived. Participants who miss no record have none.
        case unsent
        /// The number of problems. Participants without a problem have none.
        case trouble
    }

    /// What an order needs besides the stored data.
    package struct Ranking: Sendable {
        /// The codes of the arms in their order.
        package var arms: [String]?
        /// The number of the last day of the study.
        package var lastDay: Int?
        /// The number of each participant's problems; for the order by state, those who never started, with any number.
        package var numbers: [EnrolmentID: Int]?

        /// A ranking for orders that need none.
        package init() {}
    }

    /// A position in a list: after the participant with these values.
    package struct Position: Sendable, Hashable {
        /// The number by which the list is sorted.
        package var value: Int64
        package var participantID: String

        package init(value: Int64, participantID: String) {
            self.value = value
            self.participantID = participantID
        }
    }

    package let key: Key
    package let isDescending: Bool

    /// The texts of all orders. A minus sign means the largest first.
    package static let values = Key.allCases.flatMap { [$0.rawValue, "-" + $0.rawValue] }

    /// Nil for a text that is not one of `values`.
    package init?(_ text: String) {
        isDescending = text.hasPrefix("-")
        guard let key = Key(rawValue: isDescending ? String(text.dropFirst()) : text) else { return nil }
        self.key = key
    }
}

extension Store {
    /// Participants of a study that fit all filters, each with its position in the order. Runs under a role that cannot
    /// read identities.
    /// - Parameter ranking: what the order needs besides the stored data.
    package func listParticipants(
        _ study: String, _ filter: ParticipantFilter, by order: ParticipantOrder,
        _ ranking: ParticipantOrder.Ranking = .init(), after position: ParticipantOrder.Position?, limit: Int,
        at now: Instant
    ) async throws -> [(row: ParticipantRow, position: ParticipantOrder.Position)] {
        let numbers = ranking.numbers.map(Array.init)
        return try await export.query(
            Statements.enrolments["list_fitting_participants"],
            [
                "study": .text(study), "pseudonym": .text(filter.pseudonym), "arm": .text(filter.arm),
                "statuses": .texts(filter.state.map { [$0.rawValue] }),
                "finished_after": .int4(filter.finishedAfter.map(Int32.init(clamping:))),
                "enrolled_from": .localDate(filter.enrolledFrom),
                "enrolled_to": .localDate(filter.enrolledTo),
                "enrolment_ids": .uuids(filter.enrolments.map { $0.map(\.uuid) }), "now": .instant(now),
                "sort": .text(order.key.rawValue), "arms": .texts(ranking.arms),
                "last_day": .int(ranking.lastDay), "ranked_ids": .uuids(numbers?.map(\.key.uuid)),
                "ranks": .int8s(numbers?.map { Int64($0.value) }), "backwards": .bool(order.isDescending),
                "after_value": .int8(position?.value), "after": .text(position?.participantID),
                "limit_rows": .int(limit),
            ]
        ).map { row in
            let participant = try ParticipantRow(row)
            return (
                participant,
                ParticipantOrder.Position(
                    value: Int64(try row.get("sort_value", as: Int.self)),
                    participantID: participant.participantID)
            )
        }
    }
}
