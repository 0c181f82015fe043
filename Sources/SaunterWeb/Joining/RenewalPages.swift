import HTTPTypes
import SaunterCore
import SaunterServer

/// The page on which a participant reads a changed consent text and decides again.
struct RenewalPages: Sendable {
    let context: PageContext

    var consent: Route {
        context.get("/my/{id}/consent") { request in
            var request = request
            let participant = try await request.participant()
            return try await page(participant, request, FormFaults(request.words))
        }
    }

    /// Leads to Today if no decision is due.
    private func page(
        _ participant: Participant, _ request: PageRequest, _ faults: FormFaults
    ) async throws -> Reply {
        let due = try await request.get("\(participant.resource)/overview")["consent_due"]
        guard let due, due.object != nil else { return PageRenderer.redirect(participant.home) }
        var model = faults.model
        model["consent"] = Markdown.html(due["text"]?.string ?? "")
        model["consent_version"] = due["version"]?.string ?? ""
        model["home"] = participant.home
        return context.renderer.page(
            "renewal", title: request.words.text("consent", "renewal"), model,
            frame: participant.frame(request.words, current: "-"), of: request, status: faults.status)
    }

    var sendConsent: Route {
        context.post("/my/{id}/consent") { request in
            var request = request
            let participant = try await request.participant()
            var faults = FormFaults(request.words)
            guard request.field("accepted") == "on" else {
                faults.add(request.words.text("consent", "not_accepted"), field: "accepted")
                return try await page(participant, request, faults)
            }
            do {
                try await request.send(
                    .post, "\(participant.resource)/consents",
                    ["version": .string(request.field("consent_version")), "accepted": true])
            } catch let problem as Problem {
                switch problem.type {
                case .consentOutdated: faults.add(request.words.text("consent", "outdated"), field: nil)
                case .tooManyRequests: faults.add(request.tooManyText(problem), field: nil)
                default: throw problem
                }
                return try await page(participant, request, faults)
            }
            return PageRenderer.redirect(participant.home)
        }
    }
}
