import HTTPTypes
import SaunterCore
import SaunterServer

/// The page to confirm the e-mail address of the account. Reminders by mail begin with the confirmation.
struct EmailPages: Sendable {
    let context: PageContext

    var confirm: Route {
        context.get("/account/email", query: ["sent", "kept"]) { request in
            try await page(request, FormFaults(request.words))
        }
    }

    private func page(_ request: PageRequest, _ faults: FormFaults) async throws -> Reply {
        _ = try request.requireIdentity()
        let account = try await request.get("/v1/account")
        // An anonymous account has no address yet.
        guard account["email"]?.string != nil else { return PageRenderer.redirect("/account/sign-up") }
        var model = faults.model
        model["address"] = account["new_email"]?.string ?? account["email"]?.string
        model["is_confirmed"] =
            account["email_verified_at"]?.instant != nil && account["new_email"]?.string == nil
        model["sent"] = request.call.query("sent") != nil
        model["kept"] = request.call.query("kept") != nil
        return context.renderer.page(
            "confirm_email", title: request.words.text("email", "title"), model,
            frame: PageFrame(home: "/my", isLoggedIn: true, back: "/my"), of: request, status: faults.status)
    }

    var sendCode: Route {
        context.post("/account/email") { request in
            _ = try request.requireIdentity()
            var faults = FormFaults(request.words)
            faults.require(["code"], in: request)
            guard faults.isEmpty else { return try await page(request, faults) }
            let code = request.field("code").filter { !$0.isWhitespace }
            do {
                try await request.send(.put, "/v1/email-verifications/\(PageAddress.encodePart(code))")
            } catch let problem as Problem {
                switch problem.type {
                case .tooManyRequests: faults.add(request.tooManyText(problem), field: nil)
                case .notFound: faults.add(request.words.text("account", "code_invalid"), field: "code")
                case .emailTaken: faults.add(request.words.text("email", "taken"), field: "code")
                default: throw problem
                }
                return try await page(request, faults)
            }
            return PageRenderer.redirect("/account/email")
        }
    }

    /// Sends another code.
    var resend: Route {
        context.post("/account/email/code") { request in
            _ = try request.requireIdentity()
            do {
                try await request.send(.post, "/v1/email-verifications")
            } catch let problem as Problem where problem.type == .tooManyRequests {
                var faults = FormFaults(request.words)
                faults.add(request.tooManyText(problem), field: nil)
                return try await page(request, faults)
            }
            return PageRenderer.redirect("/account/email?sent=1")
        }
    }
}
