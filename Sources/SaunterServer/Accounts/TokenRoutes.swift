import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes to log in, refresh tokens, log out and reset the password.
struct TokenRoutes: Sendable {
    let context: ServerContext

    private var service: AccountService { context.accounts }

    static let email = Schema.string(minLength: 3, maxLength: 254, format: .email)
    /// An existing password. `newPassword` has the rules for new passwords.
    static let password = Schema.string(minLength: 1, maxLength: 256)
    static let newPassword = Schema.string(minLength: 8, maxLength: 256, format: .password)
    static let newPasswordRule = "A common password, such as Password123, is rejected."
    private static let refreshToken = Schema.string(minLength: 1, maxLength: 256)

    var logIn: Route {
        Route(
            .post, "/v1/tokens", who: .anyone, tag: "Accounts", summary: "Log in",
            description: """
                Logins are limited per network address, and wrong passwords per account and network address. A 429 \
                response says when to try again. A device that was logged in before sends its last refresh token. Then \
                logins of other devices do not count, even behind the same network address.
                """,
            body: .json(
                .named(
                    "Credentials",
                    .object([
                        .required(
                            "email", Self.email,
                            "The mail address of the account, which is also its login name."),
                        .required("password", Self.password, "The password of the account."),
                        .optional(
                            "refresh_token", Self.refreshToken,
                            "The last refresh token of this device, even if it was revoked."),
                    ])),
                example: ["email": "ada@example.org", "password": "correct horse battery"]),
            outcomes: [.json(.created, "The account is logged in.", TokenPair.schema)],
            problems: [.credentialsInvalid]
        ) { call in
            let credentials = Credentials(
                email: call.body["email"]?.string ?? "", password: call.body["password"]?.string ?? "",
                refreshToken: call.body["refresh_token"]?.string)
            let tokens = try await service.logIn(
                credentials, from: call.remoteAddress, now: call.now, requestID: call.requestID)
            return .json(.created, tokens.json)
        }
    }

    var refresh: Route {
        Route(
            .post, "/v1/tokens/refresh", who: .anyone, tag: "Accounts",
            summary: "Exchange a refresh token for a new pair",
            description: """
                The old refresh token stays valid until the new one is used for the first time, because a response \
                can be lost. Using the old token after that revokes the login on this device.
                """,
            body: .json(
                .named(
                    "RefreshRequest",
                    .object([
                        .required(
                            "refresh_token", Self.refreshToken, "The refresh token of the newest pair.")
                    ])),
                example: ["refresh_token": "k3q…"]),
            outcomes: [.json(.created, "A new token pair.", TokenPair.schema)], problems: [.tokenInvalid]
        ) { call in
            try await service.refreshThrottle.admit(.address(call.remoteAddress), now: call.now)
            let pair = try await service.refresh(
                call.body["refresh_token"]?.string ?? "", now: call.now, requestID: call.requestID)
            return .json(.created, pair.json)
        }
    }

    var logOut: Route {
        Route(
            .delete, "/v1/tokens", who: .account, tag: "Accounts", summary: "Log out on this device",
            outcomes: [.empty(.noContent, "The login was revoked.")]
        ) { call in
            try await context.store.revoke(family: call.caller.family, now: call.now, why: "logout")
            service.revocations.add([call.caller.family], at: call.now)
            return .noContent
        }
    }

    var confirm: Route {
        Route(
            .post, "/v1/session/confirmation", who: .account, tag: "Accounts",
            summary: "Enter the password again in a browser session",
            description: """
                In a browser session, routes that need a role answer for 8 hours after the password was entered, and \
                for 30 minutes without a request. Then they return 403 `password-required` until the password is sent \
                here. Requests with a token need no confirmation and get 403 `not-permitted`.
                """,
            body: .json(
                .named(
                    "PasswordConfirmation",
                    .object([.required("password", Self.password, "The current password.")])),
                example: ["password": "correct horse battery"]),
            outcomes: [.empty(.noContent, "The session is open again.")],
            problems: [.credentialsInvalid, .notPermitted]
        ) { call in
            guard let session = call.caller.session else {
                throw Problem(.notPermitted, "Only a browser session is confirmed.")
            }
            guard let account = try await context.store.findAccount(call.caller.account) else {
                throw Problem(.tokenInvalid)
            }
            try await service.verifyPassword(
                of: account, call.body["password"]?.string ?? "", login: call.caller.family, now: call.now)
            try await context.store.confirm(session, now: call.now)
            try await context.store.record(
                AuditEntry(
                    actor: .account(account.id), action: "password_confirmed", requestID: call.requestID),
                at: call.now)
            return .noContent
        }
    }

    var startReset: Route {
        Route(
            .post, "/v1/password-resets", who: .anyone, tag: "Accounts",
            summary: "Request a password reset by mail",
            description: """
                The response is always 202, whether the address has an account or not. The code is also sent to an \
                address that is not verified yet. It becomes invalid when the password or the address changes.
                """,
            body: .json(
                .named(
                    "PasswordResetRequest",
                    .object([
                        .required(
                            "email", Self.email,
                            "The mail address of the account, which is also its login name.")
                    ])),
                example: ["email": "ada@example.org"]),
            outcomes: [.empty(.accepted, "If the address has an account, a mail with a code is sent.")]
        ) { call in
            let email = call.body["email"]?.string ?? ""
            try await service.addressThrottle.admit(.address(call.remoteAddress), now: call.now)
            if await service.resetThrottle.attempt(.email(email), now: call.now).isAllowed {
                service.startReset(email: email, now: call.now, logger: call.logger)
            }
            return .empty(.accepted)
        }
    }

    var finishReset: Route {
        Route(
            .put, "/v1/password-resets/{code}", who: .anyone, tag: "Accounts",
            summary: "Set a new password with the code from the mail",
            description: """
                The code is valid for one hour, that of an invitation for seven days, and can be used once. All logins are revoked. The code also confirms the \
                e-mail address, because it was sent there. A new address that waits for its confirmation is discarded. \
                The address is notified.
                """,
            parameters: [.text("code", "The code from the mail.", example: "b7kq…")],
            body: .json(
                .named(
                    "NewPassword", .object([.required("password", Self.newPassword, Self.newPasswordRule)])),
                example: ["password": "correct horse battery"]),
            outcomes: [.empty(.noContent, "The password was changed.")], problems: [.notFound]
        ) { call in
            try await service.addressThrottle.admit(.address(call.remoteAddress), now: call.now)
            let hash = try await service.hash(call.body["password"]?.string ?? "")
            let revokedFamilies = try await context.store.resetPassword(
                codeHash: RandomToken.digest(of: try call.text("code")), passwordHash: hash, now: call.now,
                requestID: call.requestID)
            guard let revokedFamilies else {
                throw Problem(.notFound, "This code is unknown, was already used, or has expired.")
            }
            service.revocations.add(revokedFamilies, at: call.now)
            return .noContent
        }
    }
}
