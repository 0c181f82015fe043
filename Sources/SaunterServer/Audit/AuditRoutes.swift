import HTTPTypes
import SaunterCore
import SaunterStore

/// The route for the audit of one study.
struct AuditRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/audit", who: .coordinator, tag: "Monitoring",
            summary: "List who did what in a study, and when",
            description: """
                The newest entry first. The audit cannot be changed. It contains no answers, addresses or names: \
                accounts and participants appear as digests, and the response adds the names of accounts that have a \
                role in the study now. Logins and grants for all studies belong to no study, so they are not in the \
                list. In a blinded study, the arms by which a dataset was filtered are null for callers who may not see \
                arms.
                """,
            parameters: [.study],
            query: [
                QueryParameter(
                    "action", .string(minLength: 1, maxLength: 100),
                    "Only entries of this action, such as `data_read`."),
                QueryParameter(
                    "actor", .string(minLength: 1, maxLength: 100),
                    """
                    Only entries of this kind of actor (`account`, `participant`, `anyone` or `system`), or of the \
                    account with this digest.
                    """),
                QueryParameter(
                    "from", .string(format: .date),
                    "Only entries that were written on this date (UTC) or later."),
                QueryParameter(
                    "to", .string(format: .date),
                    "Only entries that were written on this date (UTC) or earlier."),
                .limit, .cursor,
            ],
            outcomes: [
                .json(
                    .ok, "Entries.",
                    .page(
                        of: Self.schema,
                        [
                            .required("as_of", .instant, "The instant of the list."),
                            .required(
                                "accounts", .array(of: Self.account),
                                "The accounts that have a role in the study now, sorted by name."),
                        ]))
            ], problems: [.notFound]
        ) { call in
            let study = try call.text("study")
            if try await context.store.findStudy(study) == nil {
                // A study that was never published.
                guard try await context.store.findDraftRevision(of: study) != nil else {
                    throw Problem(.notFound)
                }
            }
            let found = try await context.store.listAuditEntries(
                of: study, Self.filter(call), before: Self.position(call), limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let next = found.count > page.count ? page.last.map { Cursor([String($0.id)]) } : nil
            let arms = try await context.armView(of: study, for: call.caller)
            let names = try await names(of: study)
            return .page(
                page.map { Self.json($0, names, arms) }, next: next, path: "/v1/studies/\(study)/audit",
                query: call.pageQuery, publicURL: context.configuration.publicURL,
                more: [
                    "as_of": .instant(call.now),
                    "accounts": .array(
                        names.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map {
                            ["actor_ref": .string($0.key), "actor_name": .string($0.value)]
                        }),
                ])
        }
    }

    private static func filter(_ call: Call<Identity>) throws(Problem) -> StudyAuditFilter {
        let dates = try DateRange(call, from: "from", to: "to")
        return StudyAuditFilter(
            action: call.query("action"), actor: call.query("actor"),
            since: dates.from.map(Zone.utc.startOfDay),
            until: dates.to.map { Zone.utc.startOfDay($0.adding(days: 1)) })
    }

    private static func position(_ call: Call<Identity>) throws(Problem) -> Int? {
        guard let cursor = try call.cursor(parts: 1) else { return nil }
        guard let entry = Int(cursor.parts[0]) else { throw .invalidCursor }
        return entry
    }

    /// The names of the accounts with a role in the study, by the digest of the account.
    private func names(of study: String) async throws -> [String: String] {
        Dictionary(
            try await context.store.listStaff(of: study).map {
                (context.store.secrets.auditRef(of: $0.id), $0.name)
            }, uniquingKeysWith: { first, _ in first })
    }

    private static func json(
        _ entry: StoredAuditEntry, _ names: [String: String], _ arms: ArmView
    ) -> JSON {
        [
            "entry_id": .int(entry.id), "recorded_at": .instant(entry.recordedAt),
            "actor_kind": .string(entry.actorKind), "actor_ref": .optional(entry.actorRef, JSON.string),
            "actor_name": .optional(entry.actorRef.flatMap { names[$0] }, JSON.string),
            "action": .string(entry.action), "enrolment_ref": .optional(entry.enrolmentRef, JSON.string),
            "request_id": .optional(entry.requestID, JSON.string),
            "detail": arms.hidingFilters(in: entry.detail),
        ]
    }

    private static let account = Schema.named(
        "AuditAccount",
        .object([
            .required("actor_ref", .string(), "The digest of the account."),
            .required("actor_name", .string(), "The display name of the account."),
        ]))

    private static let schema = Schema.named(
        "AuditEntry",
        .object([
            .required("entry_id", .integer(min: 1), "Increases in the order of writing, with gaps."),
            .required("recorded_at", .instant, "When the entry was written, by the server's clock."),
            .required(
                "actor_kind", .string(values: ["account", "participant", "anyone", "system"]),
                """
                Who acted: an account with a role, a participant, a caller who was not logged in, or the server and \
                its command line.
                """),
            .required(
                "actor_ref", .nullable(.string()), "The digest of the account; null for all other actors."),
            .required(
                "actor_name", .nullable(.string()),
                "The display name of the account; null if it has no role in the study now."),
            .required("action", .string(), "What happened, such as `data_read`."),
            .required(
                "enrolment_ref", .nullable(.string()),
                "The digest of the participant's enrolment; null if the action concerns none."),
            .required(
                "request_id", .nullable(.string()),
                "The `X-Request-ID` of the request; null for actions of the server and of commands."),
            .required(
                "detail", .map(of: .any), "More about the action. The members depend on the action."),
        ]))
}

extension ArmView {
    /// The detail of an audit entry. The arms of the filters of a dataset are null for callers who are blinded.
    func hidingFilters(in detail: JSON) -> JSON {
        guard isBlinded, let object = detail.object else { return detail }
        return .object(
            JSONObject(
                object.map { member in
                    var member = member
                    member.value = member.name == "arms" ? .null : hidingFilters(in: member.value)
                    return member
                }))
    }
}
