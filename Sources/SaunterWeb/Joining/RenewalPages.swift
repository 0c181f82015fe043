import HTTPTypes
import SaunterCore
import SaunterServer

/// The page on which a participant reads the consent text, and decides again if it has changed.
struct RenewalPages: Sendable {
    let context: PageContext

    var consent: Route {
        context.get("/my/{id}/consent") { request in
            var request = request
            let participant = try await request.participant()
            return try await page(participant, request, FormFaults(request.words))
        }
    }

    private func page(
        _ participant: Participant, _ request: PageRequest, _ faults: FormFaults
    ) async throws -> Reply {
        let due = try await request.get("\(participant.resource)/overview")["consent_due"]
        guard let due, due.object != nil else { return given(participant, request) }
        var model = faults.model
        model["consent"] = Markdown.html(due["text"]?.string ?? "")
        model["consent_version"] = due["version"]?.string ?? ""
        model["home"] = participant.home
        return context.renderer.page(
            "renewal", title: request.words.text("consent", "renewal"), model,
            frame: participant.frame(request.words, current: "-"), of: request, status: faults.status)
    }

    /// What the participant has consented to, and when.
    private func given(_ participant: Participant, _ request: PageRequest) -> Reply {
        let (enrolment, consent) = (participant.enrolment, participant.study["consent"])
        let version = enrolment["consent_version"]?.string ?? ""
        let day = enrolment["consented_at"]?.instant.map {
            participant.time(request.words).day(
                participant.zone.local(of: $0).date.description, now: request.call.now)
        }
        // The study states its present text. A participant who has left may have accepted an earlier one.
        let isPresent = consent?["version"]?.string == version
        let text = isPresent ? consent?["text"]?.string : nil
        return context.renderer.page(
            "consent_given", title: request.words.text("more", "consent"),
            [
                "given": request.words.text("consent", "given", ["version": version, "day": day ?? ""]),
                "consent": text.map { Markdown.html($0) } ?? "", "home": participant.home,
            ],
            frame: participant.frame(request.words, current: "/more", back: "\(participant.home)/more"),
            of: request)
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
