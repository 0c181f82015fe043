import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore

/// Accounts without an address and a password: their creation, and the two ways to keep their entries, registration and
/// adoption by an account that exists already.
struct AnonymousAccountRoutes: Sendable {
    let context: ServerContext

    private var service: AccountService { context.accounts }

    var create: Route {
        Route(
            .post, "/v1/accounts/anonymous", who: .anyone, tag: "Accounts",
            summary: "Create an anonymous account",
            description: """
                The account has neither an address nor a password. The client that holds its tokens owns it, and a \
                participant who loses them cannot log in again. Each use extends the login, which ends after 400 days without use. The route \
                is available if an open study admits anonymous accounts (`account_kinds`). An account that is enrolled \
                in no study is erased after \(AccountPolicy.daysWithoutStudy) days without use. In a study, the time is \
                that of the study, or unlimited.
                """,
            body: .json(
                .named(
                    "AnonymousAccount",
                    .object([
                        .optional("time_zone", .zone, "The IANA time zone of the participant."),
                        .optional(
                            "language", .string(format: .language),
                            "The language of texts, a BCP 47 tag such as `de`."),
                    ])), example: ["time_zone": "Europe/Berlin", "language": "de"]),
            outcomes: [.json(.created, "The account was created and is logged in.", TokenPair.schema)],
            problems: [.notPermitted, .credentialsInvalid]
        ) { call in
            try await service.addressThrottle.admit(.address(call.remoteAddress), now: call.now)
            guard try await isAvailable() else {
                throw Problem(.notPermitted, "No open study admits anonymous accounts.")
            }
            let account = Account(
                anonymous: AccountID(UUID()), zone: call.body["time_zone"]?.string.flatMap { Zone($0) },
                language: call.body["language"]?.string, createdAt: call.now)
            try await context.store.insert(account)
            guard let tokens = try await service.insertLogin(of: account, now: call.now) else {
                throw Problem(.credentialsInvalid)
            }
            try await context.store.record(
                AuditEntry(
                    actor: .account(account.id), action: "anonymous_account_created",
                    requestID: call.requestID), at: call.now)
            return .json(.created, tokens.json)
        }
    }

    private func isAvailable() async throws -> Bool {
        for row in try await context.store.listStudies() where row.closedAt == nil {
            let published = try await context.catalogue.find(row.study, version: row.liveVersion)
            if published?.study.accounts.kinds.contains(.anonymous) == true { return true }
        }
        return false
    }

    var register: Route {
        Route(
            .post, "/v1/account/registration", who: .account, tag: "Accounts",
            summary: "Register an anonymous account",
            description: """
                The account, its enrolments and this login stay; other logins end. A code is sent to the address, as \
                after `POST /v1/accounts`. If the response was lost, the same request returns 200 again.
                """,
            body: .json(
                .named(
                    "AccountRegistration",
                    .object([
                        .required(
                            "email", TokenRoutes.email,
                            "The mail address of the account, which is also its login name."),
                        .required("password", TokenRoutes.newPassword, TokenRoutes.newPasswordRule),
                        .required(
                            "display_name", AccountRoutes.displayName,
                            "The name in mails to the account, one line."),
                    ])),
                example: [
                    "email": "ada@example.org", "password": "correct horse battery", "display_name": "Ada",
                ]),
            outcomes: [.json(.ok, "The account is registered.", AccountRoutes.schema)],
            problems: [.emailTaken, .alreadyRegistered]
        ) { call in
            try await service.addressThrottle.admit(.address(call.remoteAddress), now: call.now)
            var account = try await context.fetchAccount(of: call)
            guard account.kind == .anonymous else { return try await replay(account, call) }
            let email = call.body["email"]?.string ?? ""
            account.email = email
            account.name = call.body["display_name"]?.string ?? ""
            account.passwordHash = try await service.hash(call.body["password"]?.string ?? "")
            // Above the limit, the account is registered without a mail. The user can request the code later.
            let isMailed = await service.verificationThrottle.attempt(.email(email), now: call.now).isAllowed
            let registered = try await context.store.register(
                anonymous: account, code: isMailed ? .make() : nil, keeping: call.caller.family,
                now: call.now,
                requestID: call.requestID)
            guard let registered else {
                // The same request, sent twice at the same time, or an erasure.
                return try await replay(try await context.fetchAccount(of: call), call)
            }
            service.revocations.add(registered.ended, at: call.now)
            return .json(.ok, try await context.response(registered.account, now: call.now))
        }
    }

    /// The reply to a registration of a registered account: its profile if the request is the one that registered it.
    /// - Throws: `already-registered`, `too-many-requests`.
    private func replay(_ account: Account, _ call: Call<Identity>) async throws -> Reply {
        let email = call.body["email"]?.string ?? ""
        guard account.email.map(ThrottleKey.email) == ThrottleKey.email(email),
            account.name == call.body["display_name"]?.string
        else { throw Problem(.alreadyRegistered) }
        do {
            try await service.verifyPassword(
                of: account, call.body["password"]?.string ?? "", login: call.caller.family, now: call.now)
        } catch let problem as Problem where problem.type == .credentialsInvalid {
            throw Problem(.alreadyRegistered)
        }
        return .json(.ok, try await context.response(account, now: call.now))
    }

    var adopt: Route {
        Route(
            .post, "/v1/account/adoption", who: .account, tag: "Accounts",
            summary: "Move the enrolments of an anonymous account to another account",
            description: """
                The caller's anonymous account states the address and the password of a registered account. All its \
                enrolments and devices move there in one transaction; the anonymous account and its tokens end. The \
                password is checked as at a login, with the same limits and the same error for an unknown address. If \
                both accounts take part in the same study, nothing is changed (409 `already-enrolled`). If the \
                response was lost, the tokens have ended: log in to the registered account.
                """,
            body: .json(
                .named(
                    "Adoption",
                    .object([
                        .required("email", TokenRoutes.email, "The address of the registered account."),
                        .required(
                            "password", TokenRoutes.password, "The password of the registered account."),
                    ])),
                example: ["email": "ada@example.org", "password": "correct horse battery"]),
            outcomes: [
                .json(
                    .created, "The enrolments have moved, and the registered account is logged in.",
                    TokenPair.schema)
            ], problems: [.credentialsInvalid, .alreadyRegistered, .alreadyEnrolled]
        ) { call in
            let account = try await context.fetchAccount(of: call)
            guard account.kind == .anonymous else { throw Problem(.alreadyRegistered) }
            let credentials = Credentials(
                email: call.body["email"]?.string ?? "", password: call.body["password"]?.string ?? "",
                refreshToken: nil)
            let adopted = try await service.adopt(
                account.id, by: credentials, from: call.remoteAddress, now: call.now,
                requestID: call.requestID)
            for enrolment in adopted.moved { context.memberships.remove(enrolment) }
            return .json(.created, adopted.tokens.json)
        }
    }
}
