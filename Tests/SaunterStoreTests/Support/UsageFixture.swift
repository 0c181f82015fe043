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

enum AmendmentFixture {
    static func make(
        _ sheet: SheetID, _ kind: Amendment.Kind = .correction, as id: AmendmentID = AmendmentID(UUID()),
        madeAt: Instant = .start, digest: [UInt8] = [7], body: JSON = [:]
    ) -> Amendment {
        make(.sheet(sheet), kind, as: id, madeAt: madeAt, digest: digest, body: body)
    }

    static func make(
        _ subject: Amendment.Subject, _ kind: Amendment.Kind, as id: AmendmentID = AmendmentID(UUID()),
        madeAt: Instant = .start, digest: [UInt8] = [7], body: JSON = [:]
    ) -> Amendment {
        Amendment(
            id: id, subject: subject, kind: kind, madeAt: madeAt, receivedAt: Instant.start.plus(hours: 9),
            body: body, digest: digest)
    }
}

extension StoreFixture {
    /// Keeps an amendment as the queue would.
    @discardableResult
    func keep(_ amendment: Amendment, of enrolment: EnrolmentID) async throws -> StorageReceipt? {
        try await store.submit([
            AmendmentSubmission(study: "walks", enrolment: enrolment, amendment: amendment)
        ])[0]
    }
}
