import HTTPTypes
import SaunterCore
import SaunterServer

/// The page that keeps what was typed in a form while the visitor enters the password again. An editor can write for
/// longer than a session of a study team lasts.
enum FormAgain {
    /// Runs the handler of a form. If the session has ended, the reply has the form with all its fields, and a link to
    /// the page for the password.
    static func keep(
        _ request: PageRequest, _ renderer: PageRenderer, _ handler: () async throws -> Reply
    ) async throws -> Reply {
        do {
            return try await handler()
        } catch is LoginNeeded {
            return page(request, renderer, password: "/login?next=/staff")
        } catch let problem as Problem where problem.type == .tokenInvalid {
            return page(request, renderer, password: "/login?next=/staff")
        } catch let problem as Problem where problem.type == .passwordRequired {
            return page(request, renderer, password: StaffLoginPage.address(next: "/staff"))
        }
    }

    private static func page(
        _ request: PageRequest, _ renderer: PageRenderer, password: String
    ) -> Reply {
        let fields = request.call.body.object?.map { field in
            ["name": field.name, "value": field.value.string ?? ""]
        }
        let model: [String: Any] = [
            "address": request.target, "password": password, "fields": fields ?? [],
        ]
        return renderer.page(
            "staff_form_again", title: request.words.text("staff", "password_again"), model,
            frame: StaffFrame.plain, of: request, status: .unprocessableContent)
    }
}
