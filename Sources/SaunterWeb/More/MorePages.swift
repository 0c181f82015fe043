import SaunterCore
import SaunterServer

/// The pages behind "More": the course of the study, and licences.
struct MorePages: Sendable {
    let context: PageContext

    var more: Route {
        context.get("/my/{id}/more") { request in
            var request = request
            let participant = try await request.participant()
            let features = participant.features.dropFirst(Participant.featuresInNavigation).map {
                ["title": $0.title, "text": $0.text, "address": "\(participant.home)/f/\($0.code)"]
            }
            var names = ["messages", "settings", "course", "licences"]
            if !(participant.study["welcome"]?.array ?? []).isEmpty { names.append("welcome") }
            var owned: [[String: Any]] = []
            if participant.hasEntitlements {
                names.append("plans")
                owned = try await request.entitlements(of: participant)
            }
            let links =
                features
                + names.map {
                    [
                        "title": request.words.text("more", $0),
                        "text": request.words.text("more", "\($0)_text"),
                        "address": "\(participant.home)/\($0)",
                    ]
                }
            let studies = [
                "title": request.words.text("start", "title"),
                "text": request.words.text("more", "studies_text"), "address": "/",
            ]
            return context.renderer.page(
                "more", title: request.words.text("nav", "more"),
                ["links": links + [studies], "owned": owned, "has_owned": !owned.isEmpty],
                frame: participant.frame(request.words, current: "/more"), of: request)
        }
    }

    var course: Route {
        context.get("/my/{id}/course") { request in
            var request = request
            let participant = try await request.participant()
            var model: [String: Any] = ["study": participant.study.model ?? [:]]
            model["guidance"] = participant.enrolment["guidance"]?.model
            return context.renderer.page(
                "course", title: request.words.text("more", "course"), model,
                frame: participant.frame(request.words, current: "/more", back: "\(participant.home)/more"),
                of: request)
        }
    }

    var licences: Route {
        context.get("/my/{id}/licences") { request in
            var request = request
            let participant = try await request.participant()
            return context.renderer.page(
                "licences", title: request.words.text("more", "licences"),
                ["study": participant.study.model ?? [:]],
                frame: participant.frame(request.words, current: "/more", back: "\(participant.home)/more"),
                of: request)
        }
    }
}
