import SaunterCore
import SaunterServer

/// The pages behind "More": the course of the study, licences, and messages.
struct MorePages: Sendable {
    let context: PageContext

    var more: Route {
        context.get("/my/{id}/more") { request in
            var request = request
            let participant = try await request.participant()
            let links = ["course", "messages", "settings", "licences"].map {
                ["title": request.words.text("more", $0), "address": "\(participant.home)/\($0)"]
            }
            return context.renderer.page(
                "more", title: request.words.text("nav", "more"), ["links": links],
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

    var messages: Route {
        context.get("/my/{id}/messages") { request in
            var request = request
            let participant = try await request.participant()
            let time = LocalTimeText(
                language: request.words.code, zone: participant.enrolment["time_zone"]?.string ?? "")
            let occasions = try await request.get("\(participant.resource)/occasions", query: "limit=1")
            let planned = (occasions["prompts"]?.array ?? []).prefix(10).map { message -> [String: Any] in
                [
                    "time": message["at"]?.instant.map { time.dayAndTime($0) } ?? "",
                    "subject": message["subject"]?.string ?? request.words.text("more", "reminder"),
                ]
            }
            let sent = (try await request.get("\(participant.resource)/messages")["items"]?.array ?? [])
                .compactMap { message -> [String: Any]? in
                    guard let at = message["sent_at"]?.instant else { return nil }
                    return [
                        "time": time.dayAndTime(at),
                        "state": request.words.text(
                            "more", message["opened_at"]?.instant == nil ? "sent" : "opened"),
                    ]
                }
            return context.renderer.page(
                "messages", title: request.words.text("more", "messages"),
                [
                    "planned": Array(planned), "has_planned": !planned.isEmpty, "sent": sent,
                    "has_sent": !sent.isEmpty,
                ],
                frame: participant.frame(request.words, current: "/more", back: "\(participant.home)/more"),
                of: request)
        }
    }
}
