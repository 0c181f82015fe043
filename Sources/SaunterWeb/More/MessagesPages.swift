import HTTPTypes
import SaunterCore
import SaunterServer

/// The page with the messages that the participant got, and the reminders that are planned.
struct MessagesPages: Sendable {
    let context: PageContext

    var messages: Route {
        context.get("/my/{id}/messages") { request in
            var request = request
            let participant = try await request.participant()
            let time = participant.time(request.words)
            let list = try await request.messages(of: participant)
            let occasions = try await request.get("\(participant.resource)/occasions", query: "limit=1")
            let titles = MessageList.titles(try await request.get("\(participant.resource)/overview"))
            let planned = (occasions["prompts"]?.array ?? []).prefix(10).map { message in
                let subject =
                    message["notices"]?.array?.first?["subject"]?.string
                    ?? message["questionnaire"]?.string.flatMap { titles[$0] }
                return [
                    "time": message["at"]?.instant.map { time.dayAndTime($0) } ?? "",
                    "subject": subject ?? request.words.text("messages", "reminder"),
                ]
            }
            return context.renderer.page(
                "messages", title: request.words.text("more", "messages"),
                [
                    "messages": list.entries, "has_messages": !list.entries.isEmpty,
                    "planned": Array(planned), "has_planned": !planned.isEmpty,
                ],
                frame: participant.frame(request.words, current: "/more", back: "\(participant.home)/more"),
                of: request)
        }
    }

    /// Confirms that the participant has read a message, and leads to what it is about.
    var open: Route {
        context.post("/my/{id}/messages/{message}") { request in
            var request = request
            let participant = try await request.participant()
            let path =
                "\(participant.resource)/messages/\(PageAddress.encodePart(try request.path("message")))"
            let now = JSON.string(request.call.now.description)
            // The button that leads nowhere only marks the message as read.
            try await request.send(
                .put, "\(path)/receipt",
                request.field("target").isEmpty
                    ? ["dismissed_at": now, "opened_at": now] : ["opened_at": now])
            let fallback = "\(participant.home)/messages"
            return PageRenderer.redirect(PageAddress.own(request.field("target"), fallback: fallback))
        }
    }
}

extension PageRequest {
    /// The messages of the last two days and those about occasions that are still open.
    /// - Parameter overview: the response of `GET …/overview`, if the caller has it.
    func messages(of participant: Participant, overview: JSON? = nil) async throws -> MessageList {
        // These messages are about windows that closed within two days, or are still open. One day is a margin.
        let from = call.now.adding(seconds: -3 * 86_400).description
        let given: JSON
        if let overview {
            given = overview
        } else {
            given = try await get("\(participant.resource)/overview")
        }
        return MessageList(
            try await get("\(participant.resource)/messages"),
            prompts: try await get("\(participant.resource)/prompts", query: "at=app_open"),
            inbox: try await get("\(participant.resource)/inbox", query: "limit=50"),
            occasions: try await get("\(participant.resource)/occasions", query: "from=\(from)&limit=1000"),
            overview: given, home: participant.home, words: words,
            time: participant.time(words), now: call.now)
    }
}
