import HTTPTypes
import SaunterCore
import SaunterStore

/// The route that deletes what is stored of one kind of data. Permissions are members of the enrolment.
struct DataKindRoutes: Sendable {
    let context: ServerContext

    var delete: Route {
        Route(
            .delete, "/v1/enrolments/{id}/data-kinds/{kind}", who: .participant, tag: "Enrolments",
            summary: "Delete all data of one kind",
            description: """
                Ends the permission and removes everything of the kind for good: answers in all revisions of sheets, \
                series and totals of walks, and observations. Data of the kind that arrives later is not stored, unless \
                it was recorded after a new permission. Datasets that contain the data are deleted. Repeating the \
                request changes nothing.
                """,
            parameters: [
                .enrolment,
                .text("kind", "The code of a data kind of the study.", example: "location"),
            ],
            outcomes: [.empty(.noContent, "Nothing of this kind is stored any more.")]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let kind = try call.text("kind")
            guard
                let purge = DataKindPurge(kind, in: try await context.followedStudies(of: enrolment))
            else { throw Problem(.notFound) }
            // The deletion reads every sheet and walk.
            try await context.accounts.replanThrottle.admit(.account(call.caller.account), now: call.now)
            let audit = AuditEntry(
                actor: .participant, action: "data_kind_purged", study: enrolment.study,
                enrolment: enrolment.id, requestID: call.requestID, detail: ["data_kind": .string(kind)])
            try await context.store.purge(purge, of: enrolment.id, now: call.now, audit: audit)
            return .noContent
        }
    }
}
