import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore

/// The profile of an account, its registration and its erasure.
struct AccountRoutes: Sendable {
    let context: ServerContext

    private var service: AccountService { context.accounts }

    /// The name is used in the subjects of mails, so it must be one line.
    static let displayName = Schema.string(minLength: 1, maxLength: 200, format: .line)

    var register: Route {
        Route(
            .post, "/v1/accounts", who: .anyone, tag: "Accounts", summary: "Register an account",
            description: """
                If the server has a mail server, it sends a code to the address. Send the code to \
                `PUT /v1/email-verifications/{code}`. Until then the address receives no reminders and no other \
                mails, except a code for a new password on request. Everything else works without the code, and \
                reminders by other channels are sent.
                """,
            body: .json(
                .named(
                    "Registration",
                    .object([
                        .required(
                            "email", TokenRoutes.email,
                            "The mail address of the account, which is also its login name."),
                        .required("password", TokenRoutes.newPassword, TokenRoutes.newPasswordRule),
                        .required(
                            "display_name", Self.displayName, "The name in mails to the account, one line."),
                        .optional("time_zone", .zone, "The IANA time zone of the participant."),
                        .optional(
                            "language", .string(format: .language),
                            "The language of texts and mails, a BCP 47 tag such as `de`."),
                    ])),
                example: [
                    "email": "ada@example.org", "password": "correct horse battery", "display_name": "Ada",
                    "time_zone": "Europe/Berlin", "language": "de",
                ]),
            outcomes: [.json(.created, "The account was created and is logged in.", TokenPair.schema)],
            problems: [.emailTaken, .credentialsInvalid]
        ) { call in
            try await service.addressThrottle.admit(.address(call.remoteAddress), now: call.now)
            let email = call.body["email"]?.string ?? ""
            let account = Account(
                id: AccountID(UUID()), email: email,
                name: call.body["display_name"]?.string ?? "",
                passwordHash: try await service.hash(call.body["password"]?.string ?? ""),
                zone: call.body["time_zone"]?.string.flatMap { Zone($0) },
                language: call.body["language"]?.string,
                createdAt: call.now)
            // Above the limit, the account is created without a mail. The user can request the code later.
            let isMailed = await service.verificationThrottle.attempt(.email(email), now: call.now).isAllowed
            try await context.store.insert(account, code: isMailed ? .make() : nil)
            guard let tokens = try await service.insertLogin(of: account, now: call.now) else {
                throw Problem(.credentialsInvalid)
            }
            try await context.store.record(
                AuditEntry(actor: .account(account.id), action: "registered", requestID: call.requestID),
                at: call.now)
            return .json(.created, tokens.json)
        }
    }

    var get: Route {
        Route(
            .get, "/v1/account", who: .account, tag: "Accounts", summary: "Get the profile",
            outcomes: [.json(.ok, "The profile.", Self.schema)]
        ) { call in
            let account = try await context.fetchAccount(of: call)
            return .json(.ok, try await context.response(account, now: call.now))
        }
    }

    var patch: Route {
        Route(
            .patch, "/v1/account", who: .account, tag: "Accounts", summary: "Change the profile",
            description: """
                A new e-mail address or password needs the current password. A new password revokes all other logins, \
                and the address is notified if it is verified. A code is sent to a new e-mail address. A verified \
                address stays until `PUT /v1/email-verifications/{code}` confirms the new one, which is shown as \
                `new_email` until then. An address that is not verified is replaced at once. An anonymous account has \
                neither; it is registered with `POST /v1/account/registration`.
                """,
            body: .json(
                .named(
                    "ProfileChange",
                    .object([
                        .optional(
                            "display_name", Self.displayName, "The name in mails to the account, one line."),
                        .optional("email", TokenRoutes.email, "The new mail address."),
                        .optional(
                            "time_zone", .nullable(.zone),
                            "The IANA time zone of the participant; null to remove it."),
                        .optional(
                            "language", .nullable(.string(format: .language)),
                            "The language of mails, a BCP 47 tag such as `de`; null to remove it."),
                        .optional("password", TokenRoutes.password, "The current password."),
                        .optional("new_password", TokenRoutes.newPassword, TokenRoutes.newPasswordRule),
                    ])), example: ["display_name": "Ada L.", "language": "en"]),
            outcomes: [.json(.ok, "The changed profile.", Self.schema)],
            problems: [.credentialsInvalid, .emailTaken, .notPermitted]
        ) { call in
            let account = try await context.fetchAccount(of: call)
            let body = call.body
            let needsPassword = body["email"] != nil || body["new_password"] != nil
            guard account.kind == .registered || !needsPassword else {
                throw Problem(
                    .notPermitted, "An anonymous account gets an address and a password by registering.")
            }
            if needsPassword {
                try await service.verifyPassword(
                    of: account, body["password"]?.string ?? "", login: call.caller.family, now: call.now)
            }
            if let email = body["email"]?.string, email != account.email {
                try await service.verificationThrottle.admit(.email(email), now: call.now)
            }
            let verified = account.passwordHash
            let change: @Sendable (inout Account) -> Void = { account in
                if let name = body["display_name"]?.string { account.name = name }
                if let email = body["email"]?.string { account.email = email }
                if let zone = body["time_zone"] { account.zone = zone.string.flatMap { Zone($0) } }
                if let language = body["language"] { account.language = language.string }
            }
            let changed: Account?
            if let password = body["new_password"]?.string {
                let hash = try await service.hash(password)
                let result = try await context.store.changePassword(
                    of: account.id, verified: verified, passwordHash: hash, keeping: call.caller.family,
                    now: call.now, requestID: call.requestID, change: change)
                service.revocations.add(result?.revoked ?? [], at: call.now)
                changed = result?.account
            } else {
                changed = try await context.store.updateProfile(
                    of: account.id, verified: needsPassword ? verified : nil, now: call.now,
                    requestID: call.requestID, change: change)
            }
            guard let changed else { throw Problem(.tokenInvalid, "The access token is not valid.") }
            return .json(.ok, try await context.response(changed, now: call.now))
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/account", who: .account, tag: "Accounts",
            summary: "Erase the account and all its data",
            description:
                """
                This cannot be undone. A registered account needs the password, an anonymous one does not. What is kept leads to no participant: the number of erased \
                enrolments, digests of the erased ids, and audit entries without ids.
                """,
            body: .json(
                .named(
                    "Erasure",
                    .object([
                        .optional(
                            "password", TokenRoutes.password,
                            "The current password, as a confirmation. Required unless the account is anonymous."
                        )
                    ])),
                example: ["password": "correct horse battery"], isRequired: false),
            outcomes: [.empty(.noContent, "The account was erased.")], problems: [.credentialsInvalid]
        ) { call in
            let account = try await context.fetchAccount(of: call)
            if account.kind == .registered {
                guard let password = call.body["password"]?.string else {
                    throw Fault(
                        pointer: "/password", code: "required",
                        detail: "The account is registered, so its erasure needs the password.")
                }
                try await service.verifyPassword(
                    of: account, password, login: call.caller.family, now: call.now)
            }
            var enrolments: [Enrolment] = []
            for membership in try await context.store.listMemberships(account.id) {
                if let enrolment = try await context.store.findEnrolment(membership.enrolment) {
                    enrolments.append(enrolment)
                }
            }
            let audit = AuditEntry(
                actor: .system, action: "account_erased", requestID: call.requestID,
                detail: ["enrolments": .int(enrolments.count)])
            let ended = try await context.store.erase(
                account: account.id, verified: account.passwordHash, enrolments: enrolments, audit: audit,
                now: call.now)
            service.revocations.add(ended, at: call.now)
            for enrolment in enrolments { context.memberships.remove(enrolment.id) }
            return .noContent
        }
    }

    static let schema = Schema.named(
        "Account",
        .object([
            .required("account_id", .id, "The id of the account."),
            .required(
                "kind", .string(values: AccountKind.allCases.map(\.rawValue)),
                "`anonymous` without an address and a password, otherwise `registered`."),
            .required(
                "email", .nullable(.string()),
                "The mail address of the account, which is also its login name; null for an anonymous account."
            ),
            .required(
                "display_name", .string(),
                "The name in mails to the account, one line. Empty if an anonymous account states none."),
            .required(
                "time_zone", .nullable(.zone),
                "The IANA time zone of the participant; null if it is not known."),
            .required(
                "language", .nullable(.string()),
                "The language of mails, a BCP 47 tag such as `de`; null if it is not known."),
            .required("created_at", .instant, "When the account was created."),
            .required(
                "email_verified_at", .nullable(.instant),
                "When a code from a mail confirmed the address. Null: not yet, so it receives no reminders."),
            .required(
                "new_email", .nullable(.string()),
                "The new address that waits for its confirmation. Null if there is none, or if the code has expired."
            ),
            .required(
                "grants",
                .array(
                    of: .object([
                        .required("role", .string(), "researcher, coordinator, editor or admin."),
                        .required("study", .string(), "The code of the study; `*` means all studies."),
                    ])), "The roles of the account in studies; empty for a participant."),
        ]))
}

extension ServerContext {
    /// The account of the caller.
    /// - Throws: `token-invalid` if it was erased in the meantime.
    func fetchAccount(of call: Call<Identity>) async throws -> Account {
        guard let account = try await store.findAccount(call.caller.account) else {
            throw Problem(.tokenInvalid, "The access token is not valid.")
        }
        return account
    }

    /// The profile of an account, as `AccountRoutes.schema` describes it.
    func response(_ account: Account, now: Instant) async throws -> JSON {
        let grants = try await store.listGrants(account.id)
        let unverified = try await store.findUnverifiedEmail(of: account.id, now: now)
        return [
            "account_id": .id(account.id), "kind": .string(account.kind.rawValue),
            "email": .optional(account.email, JSON.string), "display_name": .string(account.name),
            "time_zone": .optional(account.zone?.id, JSON.string),
            "language": .optional(account.language, JSON.string),
            "created_at": .instant(account.createdAt),
            "email_verified_at": .instant(account.emailVerifiedAt),
            "new_email": .optional(unverified == account.email ? nil : unverified, JSON.string),
            "grants": .array(grants.map { ["role": .string($0.role.rawValue), "study": .string($0.study)] }),
        ]
    }
}
