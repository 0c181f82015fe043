import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore

/// The person behind the pseudonyms: who they are, and their right to be forgotten.
struct AccountRoutes: Sendable {
    let context: ServerContext

    private var desk: AccountDesk { context.accounts }

    /// It goes into the subjects of mails, so that it is one line.
    private static let displayName = Schema.string(minLength: 1, maxLength: 200, format: .line)

    var register: Route {
        Route(
            .post, "/v1/accounts", who: .anyone, tag: "Accounts", summary: "Register",
            body: .json(
                .named(
                    "Registration",
                    .object([
                        .required("email", TokenRoutes.email), .required("password", TokenRoutes.newPassword),
                        .required("display_name", Self.displayName), .optional("time_zone", .zone),
                        .optional("language", .string(format: .language)),
                    ])),
                example: [
                    "email": "ada@example.org", "password": "correct horse battery", "display_name": "Ada",
                    "time_zone": "Europe/Berlin", "language": "de",
                ]),
            outcomes: [.json(.created, "Registered and logged in.", TokenPair.schema)],
            problems: [.emailTaken]
        ) { call in
            try await desk.perAddress.admit(.address(call.remoteAddress), now: call.now)
            let account = Account(
                id: AccountID(UUID()), email: call.body["email"]?.string ?? "",
                name: call.body["display_name"]?.string ?? "",
                passwordHash: try await desk.hash(call.body["password"]?.string ?? ""),
                zone: call.body["time_zone"]?.string.flatMap { Zone($0) },
                language: call.body["language"]?.string,
                createdAt: call.now)
            try await mappingEmail { try await context.store.insert(account) }
            return .json(.created, try await desk.logIn(account.id, now: call.now).json)
        }
    }

    var get: Route {
        Route(
            .get, "/v1/account", who: .account, tag: "Accounts", summary: "The caller's profile",
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
                "A new address or password needs the present password; a new password ends every other login.",
            body: .json(
                .named(
                    "ProfileChange",
                    .object([
                        .optional("display_name", Self.displayName), .optional("email", TokenRoutes.email),
                        .optional("time_zone", .nullable(.zone)),
                        .optional("language", .nullable(.string(format: .language))),
                        .optional("password", TokenRoutes.password, "The present one."),
                        .optional("new_password", TokenRoutes.newPassword),
                    ])), example: ["display_name": "Ada L.", "language": "en"]),
            outcomes: [.json(.ok, "As it is now.", Self.schema)],
            problems: [.credentialsInvalid, .emailTaken]
        ) { call in
            var account = try await find(call)
            let body = call.body
            if body["email"] != nil || body["new_password"] != nil {
                try await desk.confirm(account, password: body["password"]?.string ?? "", now: call.now)
            }
            let id = account.id
            let changed = try await mappingEmail {
                try await context.store.updateProfile(of: id) { account in
                    if let name = body["display_name"]?.string { account.name = name }
                    if let email = body["email"]?.string { account.email = email }
                    if let zone = body["time_zone"] { account.zone = zone.string.flatMap { Zone($0) } }
                    if let language = body["language"] { account.language = language.string }
                }
            }
            guard let changed else { throw Problem(.tokenInvalid, "The access token is not valid.") }
            account = changed
            if let password = body["new_password"]?.string {
                let ended = try await context.store.changePassword(
                    account.id, passwordHash: try await desk.hash(password), keeping: call.caller.family,
                    now: call.now)
                desk.revocations.add(ended, at: call.now)
            }
            return .json(.ok, try await json(account))
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/account", who: .account, tag: "Accounts",
            summary: "Erase the person and all their data",
            description: "Needs the password. Nothing can be brought back; what stays is a count.",
            body: .json(
                .named("Erasure", .object([.required("password", TokenRoutes.password)])),
                example: ["password": "correct horse battery"]),
            outcomes: [.empty(.noContent, "Erased.")], problems: [.credentialsInvalid]
        ) { call in
            let account = try await find(call)
            try await desk.confirm(account, password: call.body["password"]?.string ?? "", now: call.now)
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
                account: account.id, enrolments: enrolments, audit: audit, now: call.now)
            desk.revocations.add(ended, at: call.now)
            for enrolment in enrolments { context.memberships.forget(enrolment.id) }
            return .noContent
        }
    }

    private func find(_ call: Call<Identity>) async throws -> Account {
        guard let account = try await context.store.findAccount(call.caller.account) else {
            throw Problem(.tokenInvalid, "The access token is not valid.")
        }
        return account
    }

    private func mappingEmail<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch AccountFault.emailTaken {
            throw Problem(.emailTaken)
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
            .required("account_id", .id), .required("email", .string()), .required("display_name", .string()),
            .required("time_zone", .nullable(.zone)), .required("language", .nullable(.string())),
            .required("created_at", .instant),
            .required(
                "grants", .array(of: .object([.required("role", .string()), .required("study", .string())]))),
        ]))
}
