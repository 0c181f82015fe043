import Postgres
import SaunterCore

/// A problem of a participant that the study's team can act on.
package struct ParticipantTrouble: Sendable, Hashable {
    /// The kinds of problems.
    package enum Code: String, Sendable, CaseIterable {
        /// An assessment window has closed, and neither an answer sheet nor a walk has arrived.
        case neverStarted = "never_started"
        /// Messages to the participant fail on a channel.
        case unreachable
        /// A device has numbered records that have not arrived.
        case unsent
        /// Records conflict with stored ones. They are in quarantine.
        case quarantined
    }

    package var code: Code
    /// When the problem began. For `unsent`, when the device last sent a record.
    package var since: Instant

    package init(code: Code, since: Instant) {
        self.code = code
        self.since = since
    }
}

extension Store {
    /// Problems of a study's participants, sorted by code. A participant without problems is absent.
    /// - Parameter enrolments: only these participants; nil for all.
    package func listTroubles(
        _ study: String, codes: [ParticipantTrouble.Code] = ParticipantTrouble.Code.allCases,
        of enrolments: [EnrolmentID]? = nil, at now: Instant
    ) async throws -> [EnrolmentID: [ParticipantTrouble]] {
        let rows = try await export.query(
            Statements.monitoring["list_troubles"],
            [
                "study": .text(study), "now": .instant(now), "codes": .texts(codes.map(\.rawValue)),
                "enrolment_ids": .uuids(enrolments.map { $0.map(\.uuid) }),
            ])
        var found: [EnrolmentID: [ParticipantTrouble]] = [:]
        for row in rows {
            found[try row.id("enrolment_id"), default: []].append(
                ParticipantTrouble(code: try row.value("code"), since: try row.instant("since")))
        }
        return found
    }
}
