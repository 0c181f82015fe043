import HTTPTypes
import SaunterCore
import SaunterStore

/// The team of a study: its roles, and invitations of colleagues by mail.
struct RoleRoutes: Sendable {
    /// The roles that members of the team grant. Only the operator makes an admin.
    static let grantedRoles: [Role] = [.researcher, .coordinator, .editor]
    /// A response to an invitation is sent after this time, so that the time does not show what the server found.
    static let responseTime = Duration.milliseconds(300)

    let context: ServerContext

    private var service: AccountService { context.accounts }

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/roles", who: .coordinator, tag: "Team",
            summary: "List the roles of a study",
            description: """
                One entry per account and role, the oldest first, with invitations. A study that is only a draft has a \
                team as well. Roles in all studies are not in the \
                list. An invitation has the name and the address that were typed, also if the account has others, and a separate id \
                in place of that of the account; another invitation of the same address has another id.
                """,
            parameters: [.study], query: [.limit, .cursor],
            outcomes: [
                .json(
                    .ok, "The roles and the invitations.",
                    .page(
                        of: Self.schema, [.required("as_of", .instant, "The instant of the list.")]),
                    example: [
                        "items": [
                            [
                                "account_id": "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40", "name": "Rosa Field",
                                "email": "rosa@example.org", "role": "coordinator", "full_export": false,
                                "sees_arms": false, "since": "2026-11-02T09:00:00.000Z", "state": "active",
                            ]
                        ], "next": nil, "as_of": "2026-11-21T08:00:00.000Z",
                    ])
            ], problems: [.notFound]
        ) { call in
            let study = try await study(call).code
            let after = try Self.position(call)
            let found = try await context.store.listRoles(of: study)
                .filter { role in after.map { $0 < role.position } ?? true }
            let page = found.prefix(call.pageLimit)
            let next = found.count > page.count ? page.last?.position : nil
            return .page(
                page.map(Self.json),
                next: next.map { Cursor([String($0.since), $0.id, $0.role]) },
                path: "/v1/studies/\(study)/roles", query: call.pageQuery,
                publicURL: context.configuration.publicURL, more: ["as_of": .instant(call.now)])
        }
    }

    var invite: Route {
        Route(
            .post, "/v1/studies/{study}/invitations", who: .coordinator, tag: "Team",
            summary: "Invite a colleague to the team of a study by mail",
            description: """
                The role begins when the colleague logs in. An address without an account gets a link to set a password, \
                which is valid for seven days; another invitation sends a new link. If the account already has the role, \
                only its permissions change, at once and without a mail.

                The response is always 202 and takes the same time, whether the address has an account or not, and an \
                invitation looks the same in the list of roles. An account that is enrolled in the study gets no role in \
                it. The mail says so; the list shows the invitation until it is deleted, because anything else would \
                show the team who takes part.

                Only an admin gives the permissions `full_export` and `sees_arms`. Callers cannot invite their own \
                address. In a browser session the password must have been entered within 10 minutes \
                (`POST /v1/session/confirmation`).
                """,
            parameters: [.study],
            body: .json(
                .named(
                    "Invitation",
                    .object([
                        .required("email", TokenRoutes.email, "The mail address of the colleague."),
                        .required(
                            "name", .string(minLength: 1, maxLength: 200, format: .line),
                            "The name of the colleague, one line. A new account gets it."),
                        .required(
                            "role", .string(values: Self.grantedRoles.map(\.rawValue)),
                            "The role in the study."),
                        .optional(
                            "full_export", .boolean,
                            "Whether the role may export the profile `full`. Default: unchanged, at first false."
                        ),
                        .optional(
                            "sees_arms", .boolean,
                            """
                            Whether the role sees the codes of arms in a blinded study. Default: unchanged, at first \
                            false.
                            """),
                    ])), example: ["email": "ben@example.org", "name": "Ben Hill", "role": "researcher"]),
            outcomes: [.empty(.accepted, "A mail is sent.")], problems: [.notFound]
        ) { call in
            let startedAt = ContinuousClock.now
            try call.caller.requireConfirmedPassword(at: call.now)
            let study = try await study(call)
            let invitation = try invitation(call, study)
            try await requireOtherAddress(invitation.email, call)
            try await service.invitationThrottle.admit(.account(call.caller.account), now: call.now)
            try await service.invitedThrottle.admit(.email(invitation.email), now: call.now)
            try await context.store.invite(
                invitation, code: .make(), by: .account(call.caller.account), requestID: call.requestID,
                now: call.now)
            try await Task.sleep(until: startedAt + Self.responseTime, clock: .continuous)
            return .empty(.accepted)
        }
    }

    var remove: Route {
        Route(
            .delete, "/v1/studies/{study}/roles/{account_id}/{role}", who: .coordinator, tag: "Team",
            summary: "Remove a role or an invitation",
            description: """
                The role ends at once: the next request of the account is rejected, and its live streams end, those of \
                this server within two seconds and those of another server within \(LiveStream.heartbeatSeconds) \
                seconds. If no role remains that reads answers, the API tokens of the account in the study are revoked. \
                The last coordinator cannot remove the own role while the study has active participants. In a browser \
                session the password must have been entered within 10 minutes (`POST /v1/session/confirmation`).
                """,
            parameters: [
                .study,
                .uuid("account_id", "The id in the list of roles: that of the account or of the invitation."),
                .text("role", "`researcher`, `coordinator` or `editor`.", example: "researcher"),
            ],
            outcomes: [.empty(.noContent, "The account does not have the role.")],
            problems: [.notFound, .lastCoordinator]
        ) { call in
            try call.caller.requireConfirmedPassword(at: call.now)
            let study = try await study(call).code
            let id: AccountID = try call.id("account_id")
            guard let role = Role(rawValue: try call.text("role")), Self.grantedRoles.contains(role) else {
                throw Problem(.notFound)
            }
            let found = try await context.store.listRoles(of: study)
                .first { $0.id == id.uuid && $0.grant.role == role }
            guard let account = found?.account else { throw Problem(.notFound) }
            let isRevoked: Bool
            do {
                isRevoked = try await context.store.revoke(
                    role, study: study, of: account, by: .account(call.caller.account),
                    keepsCoordinator: call.caller.grant(.admin, study: study) == nil,
                    requestID: call.requestID, now: call.now)
            } catch RoleRemovalFault.lastCoordinator {
                throw Problem(.lastCoordinator)
            }
            guard isRevoked else { throw Problem(.notFound) }
            await context.live.checkRoles(of: study)
            return .noContent
        }
    }

    /// A study that has a team.
    private struct StudyOfTeam {
        var code: String
        /// The first language first.
        var titles: [(language: String, title: String)]
    }

    /// The study in the path: its live version, or its draft if it was never published.
    /// - Throws: `not-found`.
    private func study(_ call: Call<Identity>) async throws -> StudyOfTeam {
        let code = try call.text("study")
        if let study = try await context.catalogue.findLive(code)?.published.study {
            return StudyOfTeam(
                code: study.code, titles: study.languages.map { ($0, study.text[$0]?.title ?? study.code) })
        }
        guard let draft = try await context.store.findDraft(of: code), draft.basedOn == nil else {
            throw Problem(.notFound)
        }
        let languages = draft.languages.isEmpty ? ["en"] : draft.languages
        return StudyOfTeam(code: code, titles: languages.map { ($0, draft.title(in: $0)) })
    }

    /// The invitation in the body.
    /// - Throws: `body-invalid`, `not-permitted`.
    private func invitation(_ call: Call<Identity>, _ study: StudyOfTeam) throws -> Invitation {
        let name = call.body["name"]?.string ?? ""
        guard name.contains(where: { !$0.isWhitespace }) else {
            throw Fault(pointer: "/name", code: "required", detail: "The name must not be blank.")
        }
        guard let role = call.body["role"]?.string.flatMap({ Role(rawValue: $0) }) else {
            throw Problem(.internalError)
        }
        let permissions = RolePermissions(
            fullExport: call.body["full_export"]?.bool, seesArms: call.body["sees_arms"]?.bool)
        try permissions.check(for: role, by: call.caller, study: study.code)
        return Invitation(
            study: study.code, titles: study.titles,
            email: call.body["email"]?.string ?? "", name: name, role: role,
            fullExport: permissions.fullExport, seesArms: permissions.seesArms,
            language: context.language(call.headers[.acceptLanguage], of: ["en", "de"], fallback: "en"))
    }

    /// Requires that callers do not extend their own access.
    /// - Throws: `body-invalid`.
    private func requireOtherAddress(_ email: String, _ call: Call<Identity>) async throws {
        let owner = try await context.store.findAccount(call.caller.account)
        guard owner?.email.map(ThrottleKey.email) != ThrottleKey.email(email) else {
            throw Fault(
                pointer: "/email", code: "own_address",
                detail: "This is the address of your own account. Another member of the team must invite you."
            )
        }
    }

    private static func position(_ call: Call<Identity>) throws(Problem) -> StudyRole.Position? {
        guard let parts = try call.cursor(parts: 3)?.parts else { return nil }
        guard let since = Int64(parts[0]) else { throw .invalidCursor }
        return StudyRole.Position(since: since, id: parts[1], role: parts[2])
    }

    private static func json(_ role: StudyRole) -> JSON {
        [
            "account_id": .id(AccountID(role.id)), "name": .string(role.name), "email": .string(role.email),
            "role": .string(role.grant.role.rawValue), "full_export": .bool(role.grant.fullExport),
            "sees_arms": .bool(role.grant.seesArms), "since": .instant(role.since),
            "state": .string(role.state.rawValue),
        ]
    }

    private static let schema = Schema.named(
        "StudyRole",
        .object([
            .required(
                "account_id", .id, "The id of the account; of an invitation, the id of the invitation."),
            .required(
                "name", .string(), "The name of the account; of an invitation, the name that was typed."),
            .required(
                "email", .string(),
                "The address of the account; of an invitation, the address that was typed."),
            .required(
                "role", .string(values: Role.allCases.map(\.rawValue)),
                "The role. Only the operator grants and revokes `admin`."),
            .required("full_export", .boolean, "Whether the role may export the profile full."),
            .required("sees_arms", .boolean, "Whether the role sees the codes of arms in a blinded study."),
            .required("since", .instant, "When the role began, or when the newest invitation was sent."),
            .required(
                "state", .string(values: StudyRole.State.allCases.map(\.rawValue)),
                "`invited` until the colleague logs in, then `active`."),
        ]))
}

/// The permissions of a role that an invitation asks for. Nil leaves a permission unchanged.
struct RolePermissions: Sendable, Equatable {
    /// Whether the role may export the profile `full`.
    var fullExport: Bool?
    /// Whether the role sees the codes of arms in a blinded study.
    var seesArms: Bool?

    /// Checks who gives which permission to which role.
    /// - Throws: `not-permitted` if the caller is no admin; `body-invalid` if the role cannot have the permission.
    func check(for role: Role, by caller: Identity, study: String) throws {
        let isAdmin = caller.grant(.admin, study: study) != nil
        for (name, value) in [("full_export", fullExport), ("sees_arms", seesArms)] where value != nil {
            guard isAdmin else {
                throw Problem(.notPermitted, "Only an admin gives or takes the permission \(name).")
            }
            guard value == false || role.readsAnswers else {
                throw Fault(
                    pointer: "/\(name)", code: "not_a_value",
                    detail: "Only a researcher or a coordinator can have this permission.")
            }
        }
    }
}
