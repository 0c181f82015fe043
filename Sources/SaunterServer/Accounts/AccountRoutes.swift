import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore

/// The profile of an account, its registration and its erasure.
struct AccountRoutes: Sendable {
    let context: ServerContext

    private var service: AccountService { context.accounts }

    /// The name is used in the subjects of mails, so it must be one line.
    private static let displayName = Schema.string(minLength: 1, maxLength: 200, format: .line)

    var register: Route {
        Route(
            .post, "/v1/accounts", who: .anyone, tag: "Accounts", summary: "Register an account",
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
            let account = Account(
                id: AccountID(UUID()), email: call.body["email"]?.string ?? "",
                name: call.body["display_name"]?.string ?? "",
                passwordHash: try await service.hash(call.body["password"]?.string ?? ""),
                zone: call.body["time_zone"]?.string.flatMap { Zone($0) },
                language: call.body["language"]?.string,
                createdAt: call.now)
            try await mappingFault { try await context.store.insert(account) }
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
            let account = try await find(call)
            return .json(.ok, try await json(account))
        }
    }

    var patch: Route {
        Route(
            .patch, "/v1/account", who: .account, tag: "Accounts", summary: "Change the profile",
            description:
                "A new e-mail address or password needs the current password. A new password revokes all other logins.",
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
            problems: [.credentialsInvalid, .emailTaken]
        ) { call in
            let account = try await find(call)
            let body = call.body
            let needsPassword = body["email"] != nil || body["new_password"] != nil
            if needsPassword {
                try await service.verifyPassword(
                    of: account, body["password"]?.string ?? "", login: call.caller.family, now: call.now)
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
                let result = try await mappingFault {
                    try await context.store.changePassword(
                        of: account.id, verified: verified, passwordHash: hash, keeping: call.caller.family,
                        now: call.now, requestID: call.requestID, change: change)
                }
                service.revocations.add(result?.revoked ?? [], at: call.now)
                changed = result?.account
            } else {
                changed = try await mappingFault {
                    try await context.store.updateProfile(
                        of: account.id, verified: needsPassword ? verified : nil, now: call.now,
                        requestID: call.requestID, change: change)
                }
            }
            guard let changed else { throw Problem(.tokenInvalid, "The access token is not valid.") }
            return .json(.ok, try await json(changed))
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/account", who: .account, tag: "Accounts",
            summary: "Erase the account and all its data",
            description:
                """
                This needs the password and cannot be undone. What is kept leads to no participant: the number of erased \
                enrolments, digests of the erased ids, and audit entries without ids.
                """,
            body: .json(
                .named(
                    "Erasure",
                    .object([
                        .required(
                            "password", TokenRoutes.password, "The current password, as a confirmation.")
                    ])),
                example: ["password": "correct horse battery"]),
            outcomes: [.empty(.noContent, "The account was erased.")], problems: [.credentialsInvalid]
        ) { call in
            let account = try await find(call)
            try await service.verifyPassword(
                of: account, call.body["password"]?.string ?? "", login: call.caller.family, now: call.now)
            var enrolments: [Enrolment] = []
            for membership in try await context.store.listMemberships(account.id) {
                if let enrolment = try await context.store.findEnrolment(membership.enrolment) {
                    enrolments.append(enrolment)
                }
            }
            let audit = AuditEntry(
                actor: .system, action: "account_erased", requestID: call.requestID,
                detail: ["enrolments": .int(enrolments.count)])
            let erased = enrolments
            let ended = try await mappingFault {
                try await context.store.erase(
                    account: account.id, verified: account.passwordHash, enrolments: erased, audit: audit,
                    now: call.now)
            }
            service.revocations.add(ended, at: call.now)
            for enrolment in enrolments { context.memberships.remove(enrolment.id) }
            return .noContent
        }
    }

    private func find(_ call: Call<Identity>) async throws -> Account {
        guard let account = try await context.store.findAccount(call.caller.account) else {
            throw Problem(.tokenInvalid, "The access token is not valid.")
        }
        return account
    }

    private func mappingFault<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch AccountFault.emailTaken {
            throw Problem(.emailTaken)
        } catch AccountFault.passwordChanged {
            throw Problem(.credentialsInvalid)
        }
    }

    private func json(_ account: Account) async throws -> JSON {
        let grants = try await context.store.listGrants(account.id)
        return [
            "account_id": .id(account.id), "email": .string(account.email),
            "display_name": .string(account.name),
            "time_zone": .optional(account.zone?.id, JSON.string),
            "language": .optional(account.language, JSON.string),
            "created_at": .instant(account.createdAt),
            "grants": .array(grants.map { ["role": .string($0.role.rawValue), "study": .string($0.study)] }),
        ]
    }

    static let schema = Schema.named(
        "Account",
        .object([
            .required("account_id", .id, "The id of the account."),
            .required("email", .string(), "The mail address of the account, which is also its login name."),
            .required("display_name", .string(), "The name in mails to the account, one line."),
            .required(
                "time_zone", .nullable(.zone),
                "The IANA time zone of the participant; null if it is not known."),
            .required(
                "language", .nullable(.string()),
                "The language of mails, a BCP 47 tag such as `de`; null if it is not known."),
            .required("created_at", .instant, "When it was created."),
            .required(
                "grants",
                .array(
                    of: .object([
                        .required("role", .string(), "researcher, coordinator or admin."),
                        .required("study", .string(), "The code of the study; `*` means all studies."),
                    ])), "The roles of the account in studies; empty for a participant."),
        ]))
}
