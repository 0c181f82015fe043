import Foundation
import HTTPTypes
import SaunterCore
import SaunterServer

/// The pages of participants without an address and a password: starting, signing up, moving the entries to an account
/// that exists already, and logging out.
struct AnonymousPages: Sendable {
    let context: PageContext

    private func text(_ request: PageRequest, _ name: String) -> String {
        request.words.text("anonymous", name)
    }

    private func isAnonymous(_ request: PageRequest) async throws -> Bool {
        try await request.get("/v1/account")["kind"]?.string == AccountKind.anonymous.rawValue
    }

    // MARK: - Starting

    /// Creates the account and leads to the consent of the study.
    var start: Route {
        context.post("/studies/{study}/start") { request in
            let study = PageAddress.encodePart(try request.path("study"))
            let code = request.field("code")
            let next =
                "/studies/\(study)/consent" + (code.isEmpty ? "" : "?code=\(PageAddress.encode(code))")
            guard request.identity == nil else { return PageRenderer.redirect(next) }
            guard AnonymousStart.isAdmitted(by: try await request.get("/v1/studies/\(study)")) else {
                throw Problem(.notPermitted, "The study does not admit anonymous accounts.")
            }
            let tokens = try await request.send(
                .post, "/v1/accounts/anonymous", ["language": .string(request.words.code)]
            ).json
            let session = try await context.server.sessions.start(
                with: tokens["access_token"]?.string ?? "", isPasswordEntered: false, now: request.call.now)
            return context.renderer.redirect(next, session: session, kind: .anonymous)
        }
    }

    // MARK: - Signing up

    var signUp: Route {
        context.get("/account/sign-up") { request in
            try await signUpPage(request, FormFaults(request.words))
        }
    }

    private func signUpPage(
        _ request: PageRequest, isTaken: Bool = false, _ faults: FormFaults
    ) async throws -> Reply {
        _ = try request.requireIdentity()
        guard try await isAnonymous(request) else { return PageRenderer.redirect("/my") }
        var model = faults.model
        for field in ["display_name", "email", "known_email"] { model[field] = request.field(field) }
        if isTaken { model["known_email"] = request.field("email") }
        return context.renderer.page(
            "sign_up", title: text(request, "sign_up"), model,
            frame: frame(modules: ["account", "adopting"]),
            of: request, status: faults.status)
    }

    private func frame(modules: [String] = [], back: String = "/my") -> PageFrame {
        PageFrame(home: "/my", isLoggedIn: true, back: back, modules: modules)
    }

    /// Registers the account. The session gets another cookie, because the former one needed no password.
    var sendSignUp: Route {
        context.post("/account/sign-up") { request in
            let identity = try request.requireIdentity()
            var faults = FormFaults(request.words)
            faults.require(["display_name", "email", "password"], in: request)
            guard faults.isEmpty else { return try await signUpPage(request, faults) }
            do {
                try await request.send(
                    .post, "/v1/account/registration",
                    [
                        "email": .string(request.field("email")),
                        "password": .string(request.field("password")),
                        "display_name": .string(request.field("display_name")),
                    ])
            } catch let problem as Problem {
                switch problem.type {
                case .emailTaken: faults.add(text(request, "taken"), field: "email")
                case .tooManyRequests: faults.add(request.tooManyText(problem), field: nil)
                case .bodyInvalid: faults.addRegistrationFaults(of: problem, request.words)
                default: throw problem
                }
                return try await signUpPage(request, isTaken: problem.type == .emailTaken, faults)
            }
            let session = try await context.server.sessions.replace(identity, now: request.call.now)
            return context.renderer.redirect("/account/email?kept=1", session: session)
        }
    }

    // MARK: - Adoption by an account that exists already

    var adopt: Route {
        context.post("/account/adoption") { request in
            _ = try request.requireIdentity()
            guard try await isAnonymous(request) else { return PageRenderer.redirect("/my") }
            let shown = Set(request.field("studies").split(separator: " ").map(String.init))
            var faults = FormFaults(request.words)
            if !shown.isEmpty {
                switch request.field("keep") {
                case "account":
                    if request.field("confirmed") != "on" {
                        faults.add(text(request, "confirm"), field: "confirmed")
                    }
                case "here": return PageRenderer.redirect("/account/sign-up")
                default: faults.add(text(request, "choose"), field: "keep")
                }
            }
            faults.require(["known_email", "known_password"], in: request)
            if faults.isEmpty {
                do {
                    return try await moveEntries(request, erasing: shown)
                } catch let problem as Problem {
                    switch problem.type {
                    case .alreadyEnrolled:
                        return try await conflictPage(request, Self.studies(in: problem), faults)
                    case .tooManyRequests: faults.add(request.tooManyText(problem), field: nil)
                    case .bodyInvalid, .credentialsInvalid:
                        faults.add(request.words.text("account", "wrong"), field: "known_email")
                    default: throw problem
                    }
                }
            }
            return shown.isEmpty
                ? try await signUpPage(request, faults) : try await conflictPage(request, shown, faults)
        }
    }

    /// - Parameter agreed: the studies of which the participant erases the enrolment of the anonymous account. The
    ///   password is verified before anything is erased, because only then the conflict is known.
    private func moveEntries(_ request: PageRequest, erasing agreed: Set<String>) async throws -> Reply {
        let credentials: JSON = [
            "email": .string(request.field("known_email")),
            "password": .string(request.field("known_password")),
        ]
        let tokens: JSON
        do {
            tokens = try await request.send(.post, "/v1/account/adoption", credentials).json
        } catch let problem as Problem where problem.type == .alreadyEnrolled {
            let studies = Self.studies(in: problem)
            guard studies.isSubset(of: agreed) else { throw problem }
            for enrolment in try await request.get("/v1/enrolments")["items"]?.array ?? []
            where studies.contains(enrolment["study"]?.string ?? "") {
                let id = enrolment["enrolment_id"]?.string ?? ""
                try await request.send(.post, "/v1/enrolments/\(id)/withdrawal", ["mode": "erase"])
            }
            tokens = try await request.send(.post, "/v1/account/adoption", credentials).json
        }
        let session = try await context.server.sessions.start(
            with: tokens["access_token"]?.string ?? "", isPasswordEntered: true, now: request.call.now)
        return context.renderer.redirect("/account/adopted", session: session)
    }

    private static func studies(in problem: Problem) -> Set<String> {
        Set((problem.members["studies"]?.array ?? []).compactMap(\.string))
    }

    /// Asks which participation to keep. Nothing is merged.
    private func conflictPage(
        _ request: PageRequest, _ studies: Set<String>, _ faults: FormFaults
    ) async throws -> Reply {
        var titles: [String] = []
        for study in studies.sorted() {
            let shown = try await request.get("/v1/studies/\(PageAddress.encodePart(study))")
            titles.append(shown["title"]?.string ?? study)
        }
        var model = faults.model
        model["titles"] = titles.map { ["title": $0] }
        model["studies"] = studies.sorted().joined(separator: " ")
        model["known_email"] = request.field("known_email")
        model["keeps_account"] = request.field("keep") == "account"
        return context.renderer.page(
            "adoption_conflict", title: text(request, "conflict"), model,
            frame: frame(modules: ["account", "adopting"], back: "/account/sign-up"), of: request,
            status: faults.isEmpty ? .conflict : faults.status)
    }

    /// The first page of the account after the adoption. Its script gives the unsent answers of this device to the
    /// account.
    var adopted: Route {
        context.get("/account/adopted") { request in
            _ = try request.requireIdentity()
            let enrolments = try await request.get("/v1/enrolments")["items"]?.array ?? []
            return context.renderer.page(
                "adopted", title: text(request, "adopted"),
                [
                    "enrolments": enrolments.compactMap { $0["enrolment_id"]?.string }.joined(separator: " ")
                ], frame: frame(modules: ["adopting"]), of: request)
        }
    }

    // MARK: - Logging out

    /// Says that the participant cannot log in again, and offers to sign up first.
    var logOut: Route {
        context.get("/account/log-out") { request in
            _ = try request.requireIdentity()
            return context.renderer.page(
                "log_out", title: request.words.text("frame", "logout"),
                ["is_anonymous": try await isAnonymous(request)], frame: frame(), of: request)
        }
    }
}

/// The offer to take part without an account.
enum AnonymousStart {
    /// Whether the study admits anonymous accounts.
    static func isAdmitted(by study: JSON) -> Bool {
        study["account_kinds"]?.array?.contains(.string(AccountKind.anonymous.rawValue)) ?? false
    }

    /// What the pages for logging in and registering offer.
    /// - Parameter next: the page that follows.
    /// - Returns: the study and the code in the address of the page; nil unless it is the consent of a study that
    ///   admits anonymous accounts.
    static func model(next: String, _ request: PageRequest) async throws -> [String: Any]? {
        guard request.identity == nil, let address = URLComponents(string: next) else { return nil }
        let parts = address.path.split(separator: "/")
        guard parts.count == 3, parts[0] == "studies", parts[2] == "consent" else { return nil }
        let study = PageAddress.encodePart(String(parts[1]))
        do {
            guard isAdmitted(by: try await request.get("/v1/studies/\(study)")) else { return nil }
        } catch let problem as Problem where problem.type == .notFound {
            return nil
        }
        let code = address.queryItems?.first { $0.name == "code" }?.value
        return ["address": "/studies/\(study)/start", "code": code ?? ""]
    }
}

extension FormFaults {
    /// Adds the faults of a body that registers an account.
    mutating func addRegistrationFaults(of problem: Problem, _ words: Words.Language) {
        for fault in problem.faults {
            switch fault.pointer {
            case "/email": add(words.text("account", "email_invalid"), field: "email")
            case "/password": add(words.text("account", "password_invalid"), field: "password")
            default: add(words.text("account", "name_invalid"), field: "display_name")
            }
        }
    }
}
