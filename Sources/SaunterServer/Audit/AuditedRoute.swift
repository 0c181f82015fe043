import HTTPTypes
import SaunterCore
import SaunterStore

extension Route {
    /// A copy of the route that records in the audit what an account with a role reads with GET, and
    /// which requests exceed a rate limit. The routes for readers themselves record what they return.
    func audited(by audit: HourlyAudit) -> Route {
        var route = self
        route.run = { [run, recordsReading] call, identity in
            do {
                let reply = try await run(call, identity)
                if recordsReading { try await audit.record(entry("data_read", call, identity), at: call.now) }
                return reply
            } catch let problem as Problem where problem.type == .tooManyRequests {
                try await audit.record(entry("throttled", call, identity), at: call.now)
                throw problem
            }
        }
        return route
    }

    /// Whether the audit records that a person with a role used the route.
    var recordsReading: Bool { method == .get && who.needsGrants && who != .reader }

    /// Contains the route with the names of its parameters, and not their values. A participant's entry contains no
    /// study, because it would link the account to the study after the enrolment is erased.
    private func entry(_ action: String, _ call: Call<Anyone>, _ identity: Identity?) -> AuditEntry {
        AuditEntry(
            actor: identity.map { .account($0.account) } ?? .anyone, action: action,
            study: !who.needsGrants ? nil : call.pathValues["study"], requestID: call.requestID,
            detail: ["route": .string("\(method) \(path)")])
    }
}
