import HTTPTypes
import SaunterCore
import SaunterServer

/// The page that asks a member of a study team for the password again.
struct StaffLoginPage: Sendable {
    let context: PageContext

    /// The address of the page that then leads to another one.
    static func address(next: String) -> String { "/staff/login?next=\(PageAddress.encode(next))" }

    var form: Route {
        context.get("/staff/login", query: ["next"]) { request in
            _ = try request.requireIdentity()
            return page(request, next: request.call.query("next") ?? "/staff", FormFaults(request.words))
        }
    }

    var send: Route {
        context.post("/staff/login") { request in
            _ = try request.requireIdentity()
            var faults = FormFaults(request.words)
            faults.require(["password"], in: request)
            let next = PageAddress.own(request.field("next"), fallback: "/staff")
            guard faults.isEmpty else { return page(request, next: next, faults) }
            do {
                try await request.send(
                    .post, "/v1/session/confirmation", ["password": .string(request.field("password"))])
            } catch let problem as Problem {
                switch problem.type {
                case .tooManyRequests: faults.add(request.tooManyText(problem), field: nil)
                case .bodyInvalid, .credentialsInvalid:
                    faults.add(request.words.text("staff", "password_wrong"), field: "password")
                default: throw problem
                }
                return page(request, next: next, faults)
            }
            return PageRenderer.redirect(next)
        }
    }

    private func page(_ request: PageRequest, next: String, _ faults: FormFaults) -> Reply {
        var frame = StaffFrame.plain
        frame.modules.append("account")
        return context.renderer.page(
            "staff_login", title: request.words.text("staff", "password_again"),
            faults.model.merging(
                ["next": PageAddress.own(next, fallback: "/staff")], uniquingKeysWith: { $1 }),
            frame: frame, of: request, status: faults.status)
    }
}
