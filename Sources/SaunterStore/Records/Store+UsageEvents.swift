import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Whether an event with exactly this body is stored. The function updates the row without changing it, and
    /// commits. A read could see an event that is not yet on a synchronous standby; this commit waits until it is.
    package func isStored(
        _ id: UsageEventID, of enrolment: EnrolmentID, digest: [UInt8]
    ) async throws -> Bool {
        try await !research.query(
            Statements.usageEvents["touch_usage_event"],
            ["enrolment_id": .id(enrolment), "event_id": .id(id), "body_sha256": .bytes(digest)]
        ).isEmpty
    }

    /// When the participant first opened each feature, by the corrected clock. Features that were never opened are
    /// absent.
    package func listFirstOpenings(
        of features: [String], by enrolment: EnrolmentID
    ) async throws -> [String: Instant] {
        let rows = try await research.query(
            Statements.usageEvents["list_first_openings"],
            ["enrolment_id": .id(enrolment), "features": .texts(features)])
        return Dictionary(
            try rows.map { (try $0.get("feature"), try $0.instant("opened_at")) },
            uniquingKeysWith: { first, _ in first })
    }
}
