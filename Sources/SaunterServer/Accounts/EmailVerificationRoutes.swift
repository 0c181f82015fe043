import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes to confirm an e-mail address with the code from a mail.
struct EmailVerificationRoutes: Sendable {
    let context: ServerContext

    private var service: AccountService { context.accounts }

    var start: Route {
        Route(
            .post, "/v1/email-verifications", who: .account, tag: "Accounts",
            summary: "Request another code for the e-mail address",
            description: """
                The code is sent to the new address that waits for its confirmation, otherwise to the address of the \
                account. It replaces the previous code. Nothing is sent if the address is already verified.
                """,
            outcomes: [.empty(.accepted, "If an address is not verified yet, a mail with a code is sent.")]
        ) { call in
            try await service.verificationThrottle.admit(.account(call.caller.account), now: call.now)
            try await context.store.resendEmailVerification(.make(), of: call.caller.account, now: call.now)
            return .empty(.accepted)
        }
    }

    var finish: Route {
        Route(
            .put, "/v1/email-verifications/{code}", who: .account, tag: "Accounts",
            summary: "Confirm the e-mail address with the code from the mail",
            description: """
                The code is valid for 24 hours, can be used once, and only by the account for which it was sent. \
                Reminders by mail begin, including those that are still due. A new address replaces the previous one: \
                the previous one is notified if it was verified, and codes for a new password become invalid. A new \
                password that was set with a code from a mail also confirms the address.
                """,
            parameters: [.text("code", "The code from the mail.", example: "b7kq…")],
            outcomes: [.empty(.noContent, "The address is verified.")], problems: [.notFound, .emailTaken]
        ) { call in
            try await service.addressThrottle.admit(.address(call.remoteAddress), now: call.now)
            let digest = RandomToken.digest(of: try call.text("code"))
            let isVerified = try await context.store.verifyEmail(
                codeHash: digest, of: call.caller.account, now: call.now, requestID: call.requestID)
            guard isVerified else {
                throw Problem(.notFound, "This code is unknown, was already used, or has expired.")
            }
            return .noContent
        }
    }
}
