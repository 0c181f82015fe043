import HTTPTypes
import SaunterCore
import SaunterServer

/// The pages to register, log in and out, and set a new password.
struct AccountPages: Sendable {
    let context: PageContext

    private func text(_ request: PageRequest, _ name: String) -> String {
        request.words.text("account", name)
    }

    // MARK: - Logging in

    var login: Route {
        context.get("/login", query: ["next", "reset"]) { request in
            try await loginPage(
                request, next: request.call.query("next") ?? "/my", email: "", FormFaults(request.words))
        }
    }

    private func loginPage(
        _ request: PageRequest, next: String, email: String, _ faults: FormFaults
    ) async throws -> Reply {
        let next = PageAddress.own(next, fallback: "/my")
        var model = faults.model
        model["next"] = next
        model["next_encoded"] = PageAddress.encode(next)
        model["email"] = email
        model["is_reset"] = request.call.query("reset") != nil
        model["start"] = try await AnonymousStart.model(next: next, request)
        return context.renderer.page(
            "login", title: text(request, "login"), model,
            frame: PageFrame(back: "/", modules: ["account"]), of: request, status: faults.status)
    }

    var sendLogin: Route {
        context.post("/login") { request in
            var faults = FormFaults(request.words)
            faults.require(["email", "password"], in: request)
            let next = PageAddress.own(request.field("next"), fallback: "/my")
            guard faults.isEmpty else {
                return try await loginPage(request, next: next, email: request.field("email"), faults)
            }
            do {
                let tokens = try await request.send(
                    .post, "/v1/tokens",
                    [
                        "email": .string(request.field("email")),
                        "password": .string(request.field("password")),
                    ]
                ).json
                return try await start(tokens, next, request)
            } catch let problem as Problem {
                switch problem.type {
                case .tooManyRequests: faults.add(request.tooManyText(problem), field: nil)
                case .bodyInvalid, .credentialsInvalid: faults.add(text(request, "wrong"), field: "email")
                default: throw problem
                }
                return try await loginPage(request, next: next, email: request.field("email"), faults)
            }
        }
    }

    /// Starts the session of a login and leads to a page.
    private func start(_ tokens: JSON, _ next: String, _ request: PageRequest) async throws -> Reply {
        let session = try await context.server.sessions.start(
            with: tokens["access_token"]?.string ?? "", isPasswordEntered: true, now: request.call.now)
        return context.renderer.redirect(next, session: session)
    }

    /// Opening a link changes nothing, because mail programs open links by themselves. The button logs in.
    var link: Route {
        context.get("/login/{code}") { request in
            context.renderer.page(
                "login_link", title: text(request, "login"), ["code": try request.path("code")], of: request)
        }
    }

    var sendLink: Route {
        context.post("/login/{code}") { request in
            do {
                let session = try await context.server.logIn(
                    withLink: try request.path("code"), now: request.call.now,
                    from: request.call.remoteAddress,
                    requestID: request.call.requestID)
                return context.renderer.redirect("/my", session: session)
            } catch let problem as Problem where problem.type == .notFound {
                var faults = FormFaults(request.words)
                faults.add(text(request, "link_used"), field: nil)
                return try await loginPage(request, next: "/my", email: "", faults)
            }
        }
    }

    /// An anonymous account cannot log in again, so its log-out is confirmed first.
    var logout: Route {
        context.post("/logout") { request in
            if request.identity?.isAnonymousSession == true, request.field("confirmed") != "on" {
                return PageRenderer.redirect("/account/log-out")
            }
            if request.identity != nil { try await request.send(.delete, "/v1/tokens") }
            return context.renderer.redirectEndingSession("/")
        }
    }

    // MARK: - Registering

    var register: Route {
        context.get("/register", query: ["next"]) { request in
            try await registerPage(
                request, next: request.call.query("next") ?? "/my", FormFaults(request.words))
        }
    }

    private func registerPage(
        _ request: PageRequest, next: String, isTaken: Bool = false, _ faults: FormFaults
    ) async throws -> Reply {
        let next = PageAddress.own(next, fallback: "/my")
        var model = faults.model
        model["next"] = next
        model["next_encoded"] = PageAddress.encode(next)
        for field in ["email", "display_name"] { model[field] = request.field(field) }
        model["is_taken"] = isTaken
        model["start"] = try await AnonymousStart.model(next: next, request)
        return context.renderer.page(
            "register", title: text(request, "register"), model,
            frame: PageFrame(back: "/", modules: ["account"]),
            of: request, status: faults.status)
    }

    var sendRegistration: Route {
        context.post("/register") { request in
            var faults = FormFaults(request.words)
            faults.require(["display_name", "email", "password"], in: request)
            let next = PageAddress.own(request.field("next"), fallback: "/my")
            guard faults.isEmpty else { return try await registerPage(request, next: next, faults) }
            do {
                let tokens = try await request.send(
                    .post, "/v1/accounts",
                    [
                        "email": .string(request.field("email")),
                        "password": .string(request.field("password")),
                        "display_name": .string(request.field("display_name")),
                        "language": .string(request.words.code),
                    ]
                ).json
                return try await start(tokens, next, request)
            } catch let problem as Problem {
                switch problem.type {
                case .emailTaken: faults.add(text(request, "taken"), field: "email")
                case .tooManyRequests: faults.add(request.tooManyText(problem), field: nil)
                case .bodyInvalid: faults.addRegistrationFaults(of: problem, request.words)
                default: throw problem
                }
                return try await registerPage(
                    request, next: next, isTaken: problem.type == .emailTaken, faults)
            }
        }
    }

    // MARK: - A new password

    var reset: Route {
        context.get("/reset") { request in resetPage(request, isSent: false, FormFaults(request.words)) }
    }

    private func resetPage(_ request: PageRequest, isSent: Bool, _ faults: FormFaults) -> Reply {
        context.renderer.page(
            "reset", title: text(request, "reset"),
            faults.model.merging(
                ["sent": isSent, "email": request.field("email")], uniquingKeysWith: { $1 }),
            frame: PageFrame(back: "/login"), of: request, status: faults.status)
    }

    var sendReset: Route {
        context.post("/reset") { request in
            var faults = FormFaults(request.words)
            faults.require(["email"], in: request)
            guard faults.isEmpty else { return resetPage(request, isSent: false, faults) }
            do {
                try await request.send(
                    .post, "/v1/password-resets", ["email": .string(request.field("email"))])
            } catch let problem as Problem {
                switch problem.type {
                case .tooManyRequests: faults.add(request.tooManyText(problem), field: nil)
                case .bodyInvalid: faults.add(text(request, "email_invalid"), field: "email")
                default: throw problem
                }
                return resetPage(request, isSent: false, faults)
            }
            return resetPage(request, isSent: true, faults)
        }
    }

    var resetCode: Route {
        context.get("/reset/code", query: ["code", "next"]) { request in
            resetCodePage(
                request, code: request.call.query("code") ?? "", next: request.call.query("next") ?? "/my",
                FormFaults(request.words))
        }
    }

    /// - Parameter next: the page that follows the login with the new password.
    private func resetCodePage(
        _ request: PageRequest, code: String, next: String, _ faults: FormFaults
    ) -> Reply {
        context.renderer.page(
            "reset_code", title: text(request, "reset"),
            faults.model.merging(
                ["code": code, "next": PageAddress.own(next, fallback: "/my")], uniquingKeysWith: { $1 }),
            frame: PageFrame(back: "/login", modules: ["account"]), of: request, status: faults.status)
    }

    var sendResetCode: Route {
        context.post("/reset/code") { request in
            var faults = FormFaults(request.words)
            faults.require(["code", "password"], in: request)
            let code = request.field("code").filter { !$0.isWhitespace }
            let next = PageAddress.own(request.field("next"), fallback: "/my")
            guard faults.isEmpty else { return resetCodePage(request, code: code, next: next, faults) }
            do {
                try await request.send(
                    .put, "/v1/password-resets/\(PageAddress.encodePart(code))",
                    ["password": .string(request.field("password"))])
            } catch let problem as Problem {
                switch problem.type {
                case .tooManyRequests: faults.add(request.tooManyText(problem), field: nil)
                case .notFound: faults.add(text(request, "code_invalid"), field: "code")
                case .bodyInvalid: faults.add(text(request, "password_invalid"), field: "password")
                default: throw problem
                }
                return resetCodePage(request, code: code, next: next, faults)
            }
            return PageRenderer.redirect(
                "/login?reset=1" + (next == "/my" ? "" : "&next=\(PageAddress.encode(next))"))
        }
    }
}
