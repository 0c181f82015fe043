import SaunterCore
import SaunterStore

extension ServerContext {
    /// The codes of the entitlements of a participant that apply now, grace periods included.
    func entitlements(of enrolment: Enrolment, at now: Instant) async throws -> Set<String> { [] }
}
