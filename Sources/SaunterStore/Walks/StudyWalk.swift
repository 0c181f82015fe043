import Foundation
import Postgres
import SaunterCore

/// A walk with the participant who walked, for the study team.
package struct StudyWalk: Sendable {
    /// The enrolment of the participant.
    package let enrolment: EnrolmentID
    /// The pseudonym of the participant.
    package let participantID: String
    /// The code of the present arm.
    package let arm: String
    /// The participant's local date of the enrolment, day 0 of the study.
    package let enrolledOn: LocalDate
    /// The walk without its samples.
    package let walk: StoredWalk

    init(_ row: Row) throws {
        enrolment = try row.id("enrolment_id")
        participantID = try row.get("participant_id")
        arm = try row.get("arm")
        enrolledOn = try row.localDate("enrolled_on")
        walk = try StoredWalk(row)
    }

    /// A position in the list of walks, which begins with the newest one.
    package struct Position: Sendable, Hashable {
        /// When the walk began, by the corrected clock.
        package var at: Instant
        /// The enrolment, because two participants can have walks with the same id.
        package var enrolment: EnrolmentID
        /// The id of the walk.
        package var walk: WalkID

        /// Creates a position from the parts of a cursor.
        package init(at: Instant, enrolment: EnrolmentID, walk: WalkID) {
            self.at = at
            self.enrolment = enrolment
            self.walk = walk
        }
    }

    /// Its position in the list.
    package var position: Position {
        Position(at: walk.correctedStart, enrolment: enrolment, walk: walk.id)
    }
}

extension StoredWalk {
    /// When the walk began, by the corrected clock.
    package var correctedStart: Instant { startedAt.adding(milliseconds: skewMs) }

    /// The local date on which the walk began, by the corrected clock.
    package var localDate: LocalDate { zone.local(of: correctedStart).date }
}

/// Which walks of a study are listed. Nil selects all.
package struct StudyWalkFilter: Sendable {
    /// The first local date.
    package var from: LocalDate
    /// The last local date.
    package var to: LocalDate
    /// The code of the present arm of the participant.
    package var arm: String?
    /// The enrolment of one participant.
    package var enrolment: EnrolmentID?
    /// A flag of the walk.
    package var flag: String?

    /// Creates a filter that selects all walks that began on these local dates, the last one included.
    package init(from: LocalDate, to: LocalDate) {
        self.from = from
        self.to = to
    }
}

extension Store {
    /// Walks of a study that are not deleted, the newest first.
    ///
    /// The newest walks are on the last days, so these days are read first, and more only if they have too few walks.
    /// Otherwise every page of a long period would read all its walks.
    /// - Parameter position: the last walk of the previous page; nil for the first page.
    package func listWalks(
        of study: String, _ filter: StudyWalkFilter, after position: StudyWalk.Position?, limit: Int
    ) async throws -> [StudyWalk] {
        var last = filter.to
        // A local date differs from the date in UTC by at most one day.
        if let position { last = min(last, Self.date(of: position).adding(days: 1)) }
        // The walks of one participant have an index.
        var days = filter.enrolment == nil ? 3 : max(1, last.days - filter.from.days + 1)
        while true {
            let first = max(filter.from, last.adding(days: 1 - days))
            let found = try await listWalks(
                of: study, filter, on: (first, last), after: position, limit: limit)
            let isComplete =
                found.count >= limit && found.last.map { Self.date(of: $0.position) > first } ?? false
            if first == filter.from || isComplete { return found }
            days *= 4
        }
    }

    private static func date(of position: StudyWalk.Position) -> LocalDate {
        Zone.utc.local(of: position.at).date
    }

    private func listWalks(
        of study: String, _ filter: StudyWalkFilter, on dates: (first: LocalDate, last: LocalDate),
        after position: StudyWalk.Position?, limit: Int
    ) async throws -> [StudyWalk] {
        try await export.query(
            Statements.walks["list_study_walks"],
            [
                "study": .text(study), "arm": .text(filter.arm), "enrolment_id": .id(filter.enrolment),
                "flag": .text(filter.flag), "from_date": .localDate(dates.first),
                "to_date": .localDate(dates.last), "before": .instant(position?.at ?? .maximum),
                "before_enrolment": .uuid(position?.enrolment.uuid ?? .last),
                "before_id": .uuid(position?.walk.uuid ?? .last), "limit_rows": .int(limit),
            ]
        ).map { try StudyWalk($0) }
    }
}
