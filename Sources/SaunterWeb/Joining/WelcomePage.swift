import SaunterCore
import SaunterServer

/// What a participant reads after joining, one short step after the other. Every step can be skipped.
struct WelcomePage: Sendable {
    let context: PageContext

    var welcome: Route {
        context.get("/my/{id}/welcome", query: ["step"]) { request in
            var request = request
            let participant = try await request.participant()
            let steps = participant.study["welcome"]?.array ?? []
            let number = request.call.query("step").flatMap { Int($0) } ?? 1
            guard steps.indices.contains(number - 1) else {
                return PageRenderer.redirect(participant.home)
            }
            let step = steps[number - 1]
            var model: [String: Any] = [
                "text": step["text"]?.string ?? "", "home": participant.home, "number": number,
                "count": steps.count,
                "progress": request.words.text(
                    "welcome", "step", ["number": String(number), "count": String(steps.count)]),
                "is_last": number == steps.count,
                "next": number == steps.count
                    ? participant.home : "\(participant.home)/welcome?step=\(number + 1)",
            ]
            if number == 1 { model["picture"] = participant.study["brand"]?["picture"]?.string }
            return context.renderer.page(
                "welcome", title: step["title"]?.string ?? "", model,
                frame: participant.frame(
                    request.words, current: "-",
                    back: number > 1 ? "\(participant.home)/welcome?step=\(number - 1)" : nil), of: request)
        }
    }
}
