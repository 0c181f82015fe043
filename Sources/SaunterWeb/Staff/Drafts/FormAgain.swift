import HTTPTypes
import SaunterCore
import SaunterServer

/// The page that keeps what was typed in a form that could not be saved, because the session or the draft has ended, or
/// because the server could not answer. An editor can write for longer than a session of a study team lasts.
enum FormAgain {
    /// The name of the button that starts a new draft.
    static let begin = "begin"

    /// Runs the handler of a form. If it fails for a reason that is no fault of the form, the reply has the form with
    /// all its fields.
    /// - Parameter study: the study whose draft the form changes; nil for a form of no draft.
    static func keep(
        _ request: PageRequest, _ renderer: PageRenderer, draftOf study: String? = nil,
        _ handler: () async throws -> Reply
    ) async throws -> Reply {
        do {
            return try await handler()
        } catch is LoginNeeded {
            return page(request, renderer, ["password": "/login?next=/staff"])
        } catch let problem as Problem {
            switch problem.type {
            case .tokenInvalid: return page(request, renderer, ["password": "/login?next=/staff"])
            case .passwordRequired:
                return page(request, renderer, ["password": StaffLoginPage.address(next: "/staff")])
            case .notFound:
                guard let study, DraftVisit.isEditor(of: study, request),
                    try await !hasDraft(study, request)
                else { throw problem }
                return try await ended(study, request, renderer)
            case .tooManyRequests: return page(request, renderer, ["failed": request.tooManyText(problem)])
            case _ where problem.type.status >= 500:
                return page(request, renderer, ["failed": ProblemText(problem, request.words).title])
            default: throw problem
            }
        }
    }

    private static func hasDraft(_ study: String, _ request: PageRequest) async throws -> Bool {
        do {
            _ = try await request.get(DraftAddress(study: study).resource)
            return true
        } catch let problem as Problem where problem.type == .notFound {
            return false
        }
    }

    /// Starts a new draft if the visitor asked for it on the page that keeps the form of a draft that has ended.
    static func beginDraft(of study: String, _ request: PageRequest) async throws {
        guard request.field(begin) == "yes" else { return }
        do {
            try await request.send(.post, DraftAddress(study: study).resource, [:])
        } catch let problem as Problem where problem.type == .draftExists {
            // Another editor was faster. The form is compared with that draft.
        }
    }

    /// The page of a form whose draft was published or discarded in the meantime.
    private static func ended(
        _ study: String, _ request: PageRequest, _ renderer: PageRenderer
    ) async throws -> Reply {
        let address = DraftAddress(study: study)
        // A study that was never published has no version from which a draft begins.
        let isPublished = try await StudyOfVersions(study, request).isPublished
        let typed = typedFields(request).map { field -> [String: Any] in
            [
                "name": field.name, "label": field.label, "value": field.value,
                "rows": String(min(24, max(2, field.value.count { $0 == "\n" } + 1))),
            ]
        }
        return page(
            request, renderer,
            [
                "ended": [
                    "typed": typed.enumerated().map { index, field in
                        field.merging(["id": "typed-\(index)"], uniquingKeysWith: { $1 })
                    },
                    "has_typed": !typed.isEmpty, "can_begin": isPublished,
                    "download": address.page("typed"), "draft": address.page,
                ] as [String: Any]
            ])
    }

    /// What the visitor typed: the text of a file, or the changed values of a form. Other fields of a form are only
    /// sent again.
    static func typedFields(_ request: PageRequest) -> [(name: String, label: String, value: String)] {
        if request.call.body["text"] != nil {
            return [("text", request.field("path"), DraftValuesForm.plain(request.field("text")))]
        }
        return DraftValuesForm(request.call.body).fields.filter { $0.typed != $0.before }.map {
            (DraftValuesForm.valuePrefix + $0.key, $0.key, $0.typed)
        }
    }

    /// The page of a form whose journey or practice was removed in the meantime. It shows what was typed.
    static func gone(_ text: String, _ request: PageRequest, _ renderer: PageRenderer) -> Reply {
        let typed = typedFields(request).enumerated().map { index, field -> [String: Any] in
            [
                "id": "typed-\(index)", "label": field.label, "value": field.value,
                "rows": String(min(24, max(2, field.value.count { $0 == "\n" } + 1))),
            ]
        }
        let model: [String: Any] = ["text": text, "typed": typed, "has_typed": !typed.isEmpty]
        return page(request, renderer, ["gone": model])
    }

    private static func page(
        _ request: PageRequest, _ renderer: PageRenderer, _ more: [String: Any]
    ) -> Reply {
        let isEnded = more["ended"] != nil
        let shown = isEnded ? Set(typedFields(request).map(\.name)) : []
        let fields = (request.call.body.object.map(Array.init) ?? []).filter {
            !shown.contains($0.name) && $0.name != begin
        }.map { ["name": $0.name, "value": $0.value.string ?? ""] }
        var model: [String: Any] = ["address": request.target, "fields": fields]
        for (name, value) in more { model[name] = value }
        let title =
            if isEnded {
                request.words.text("draft", "ended_title")
            } else if more["failed"] == nil, more["gone"] == nil {
                request.words.text("staff", "password_again")
            } else {
                request.words.text("draft", "send_again")
            }
        return renderer.page(
            "staff_form_again", title: title, model, frame: StaffFrame.plain, of: request,
            status: .unprocessableContent)
    }
}
