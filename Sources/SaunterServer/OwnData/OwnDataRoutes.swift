import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SaunterCore
import SaunterStore

/// The route with which participants download their data (GDPR, articles 15 and 20).
struct OwnDataRoutes: Sendable {
    /// The maximum number of exports that are sent at the same time.
    static let maximumExports = 8

    let context: ServerContext
    private static let permits = LoadShedder(maximumRequests: maximumExports, maximumBytes: 1)

    var export: Route {
        Route(
            .get, "/v1/enrolments/{id}/export", who: .participant, tag: "Enrolments",
            summary: "Get everything that is stored about the participant",
            description: """
                Returns a ZIP archive with everything that is stored about the participant in this study: JSON files, \
                and the page `index.html` for reading. The page has no script and is in the participant's language. The \
                archive contains all revisions of answer sheets, deleted records and conflicting records. While the \
                study conceals the arm, the archive does not contain it. The archive is written while it is sent. If the \
                connection ends early, it is incomplete. An account can request 5 archives per hour.
                """,
            parameters: [.enrolment],
            outcomes: [
                .file(
                    .ok, "The archive.", contentType: "application/zip",
                    headers: [("Content-Disposition", "The name of the archive.")])
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard let account = try await context.store.findAccount(call.caller.account) else {
                throw Problem(.notFound)
            }
            let permit = try Self.permits.acquire(bytes: 0, for: nil)
            try await context.accounts.ownDataThrottle.admit(.account(account.id), now: call.now)
            let export = OwnDataExport(
                context: context, account: account, enrolment: enrolment,
                study: try await context.study(of: enrolment).study, now: call.now)
            try await context.store.record(
                AuditEntry(
                    actor: .participant, action: "own_data_exported", study: enrolment.study,
                    enrolment: enrolment.id, requestID: call.requestID), at: call.now)
            let logger = call.logger
            return .stream(
                contentType: "application/zip",
                headers: [.contentDisposition: "attachment; filename=\"\(export.fileName)\""]
            ) { writer in
                defer { withExtendedLifetime(permit) {} }
                do {
                    try await export.write(to: &writer)
                } catch  where !(error is ChannelError || error is IOError || error is CancellationError) {
                    // The response has begun, so the client only notices that the archive is incomplete.
                    logger.error("own data could not be sent completely", metadata: ["error": "\(error)"])
                    throw error
                }
            }
        }
    }
}
