import HTTPTypes
import SaunterCore
import SaunterStore

/// Logging in, staying logged in, logging out, and getting back in.
struct TokenRoutes: Sendable {
    let context: ServerContext

    private var desk: AccountDesk { context.accounts }

    static let email = Schema.string(minLength: 3, maxLength: 254, format: .email)
    /// A password that is typed to log in; rules for new ones are in `newPassword`.
    static let password = Schema.string(minLength: 1, maxLength: 256)
    static let newPassword = Schema.string(minLength: 8, maxLength: 256)

    var logIn: Route {
        Route(
            .post, "/v1/tokens", who: .anyone, tag: "Accounts", summary: "Log in",
            description: "Tries are counted per address and per account; 429 says when to try again.",
            body: .json(
                .named(
                    "Credentials",
                    .object([.required("email", Self.email), .required("password", Self.password)])),
                example: ["email": "ada@example.org", "password": "correct horse battery"]),
            outcomes: [.json(.created, "Logged in.", TokenPair.schema)], problems: [.credentialsInvalid]
        ) { call in
            let account = try await desk.account(
                email: call.body["email"]?.string ?? "", password: call.body["password"]?.string ?? "",
                from: call.remoteAddress, now: call.now)
            return .json(.created, try await desk.logIn(account.id, now: call.now).json)
        }
    }

    var refresh: Route {
        Route(
            .post, "/v1/tokens/refresh", who: .anyone, tag: "Accounts",
            summary: "Exchange a refresh token for a new pair",
            description: """
                The old token stays valid until the new one is first used, because replies get lost. Using it after that ends the login on this device.
                """,
            body: .json(
                .named(
                    "RefreshRequest",
                    .object([.required("refresh_token", .string(minLength: 1, maxLength: 256))])),
                example: ["refresh_token": "k3q…"]),
            outcomes: [.json(.created, "A new pair.", TokenPair.schema)], problems: [.tokenInvalid]
        ) { call in
            try await desk.refreshes.admit(.address(call.remoteAddress), now: call.now)
            let pair = try await desk.refresh(
                call.body["refresh_token"]?.string ?? "", now: call.now, requestID: call.requestID)
            return .json(.created, pair.json)
        }
    }

    var logOut: Route {
        Route(
            .delete, "/v1/tokens", who: .account, tag: "Accounts", summary: "Log out on this device",
            outcomes: [.empty(.noContent, "Logged out.")]
        ) { call in
            try await context.store.revoke(family: call.caller.family, now: call.now, why: "logout")
            desk.revocations.add([call.caller.family], at: call.now)
            return .noContent
        }
    }

    var startReset: Route {
        Route(
            .post, "/v1/password-resets", who: .anyone, tag: "Accounts",
            summary: "Ask for a new password by mail",
            description: "Always 202, whether the address is known or not.",
            body: .json(
                .named("PasswordResetRequest", .object([.required("email", Self.email)])),
                example: ["email": "ada@example.org"]),
            outcomes: [.empty(.accepted, "If the address has an account, a code is on its way.")]
        ) { call in
            let email = call.body["email"]?.string ?? ""
            try await desk.perAddress.admit(.address(call.remoteAddress), now: call.now)
            if await desk.resets.take(.email(email), now: call.now).isAllowed {
                desk.startReset(email: email, now: call.now, logger: call.logger)
            }
            return .empty(.accepted)
        }
    }

    var finishReset: Route {
        Route(
            .put, "/v1/password-resets/{code}", who: .anyone, tag: "Accounts",
            summary: "Set a new password by a mailed code",
            description: "The code works once, for an hour. Every login ends.",
            parameters: [.text("code", "From the mail.", example: "b7kq…")],
            body: .json(
                .named("NewPassword", .object([.required("password", Self.newPassword)])),
                example: ["password": "correct horse battery"]),
            outcomes: [.empty(.noContent, "Set.")], problems: [.notFound]
        ) { call in
            try await desk.perAddress.admit(.address(call.remoteAddress), now: call.now)
            let hash = try await desk.hash(call.body["password"]?.string ?? "")
            let ended = try await context.store.resetPassword(
                codeHash: RandomToken.digest(of: try call.text("code")), passwordHash: hash, now: call.now)
            guard let ended else { throw Problem(.notFound, "This code is unknown, used or too old.") }
            desk.revocations.add(ended, at: call.now)
            return .noContent
        }
    }
}
