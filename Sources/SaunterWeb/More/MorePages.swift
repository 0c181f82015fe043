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
            let collections = Self.collections(participant).map {
                [
                    "title": $0["title"]?.string ?? "", "text": request.words.text("more", "pages_text"),
                    "address": "\(participant.home)/c/\($0["collection"]?.string ?? "")",
                ]
            }
            var names = ["messages", "settings", "course", "consent", "licences"]
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
                ["links": links + collections + [studies], "owned": owned, "has_owned": !owned.isEmpty],
                frame: participant.frame(request.words, current: "/more"), of: request)
        }
    }

    /// The lists of texts that anyone can read, such as what the law requires. Those with a page elsewhere are left
    /// out.
    private static func collections(_ participant: Participant) -> [JSON] {
        let elsewhere = participant.features.compactMap(\.path)
        return (participant.study["library"]?.array ?? []).filter { collection in
            let code = collection["collection"]?.string ?? ""
            let isText = (collection["fields"]?.array ?? []).contains { $0["type"]?.string == "markdown" }
            return isText && (collection["select"]?.array ?? []).contains("list")
                && code != participant.study["contacts"]?.string && !elsewhere.contains("/c/\(code)")
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
