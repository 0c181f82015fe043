import Foundation
import SaunterCore

@testable import SaunterStore

enum UsageFixture {
    static func make(
        _ enrolment: EnrolmentID, _ id: UsageEventID = UsageEventID(UUID()), digest: [UInt8] = [6]
    ) -> UsageEventSubmission {
        UsageEventSubmission(
            study: "walks", enrolment: enrolment, id: id, event: .screenSeen, happenedAt: .start,
            receivedAt: Instant.start.plus(hours: 1), zone: .utc, skewMs: 5, questionnaire: "mood",
            properties: ["screen": "overview", "count": 3], digest: digest, body: "usage")
    }
}

enum EditFixture {
    static func make(
        _ sheet: SheetID, _ kind: Edit.Kind = .correction, as id: EditID = EditID(UUID()),
        madeAt: Instant = .start, digest: [UInt8] = [7], body: JSON = [:]
    ) -> Edit {
        make(.sheet(sheet), kind, as: id, madeAt: madeAt, digest: digest, body: body)
    }

    static func make(
        _ subject: Edit.Subject, _ kind: Edit.Kind, as id: EditID = EditID(UUID()),
        madeAt: Instant = .start, digest: [UInt8] = [7], body: JSON = [:]
    ) -> Edit {
        Edit(
            id: id, subject: subject, kind: kind, madeAt: madeAt, receivedAt: Instant.start.plus(hours: 9),
            body: body, digest: digest)
    }
}
