import SaunterCore
import SaunterServer

/// What a participant reads after joining, one short step after the other, and the questions that the study asks once
/// at its beginning. Every step can be skipped, and repeated from "More".
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
            if number == steps.count {
                let questions = try await questions(participant, request)
                model["questions"] = questions
                model["has_questions"] = !questions.isEmpty
            }
            if number == 1 { model["picture"] = participant.study["brand"]?["picture"]?.string }
            return context.renderer.page(
                "welcome", title: step["title"]?.string ?? "", model,
                frame: participant.frame(
                    request.words, current: "-",
                    back: number > 1 ? "\(participant.home)/welcome?step=\(number - 1)" : nil), of: request)
        }
    }

    /// The questionnaires that are asked once, on the day of enrolment. An answered one says so, on every device.
    private func questions(_ participant: Participant, _ request: PageRequest) async throws -> [[String: Any]]
    {
        let overview = try await request.get("\(participant.resource)/overview")
        let occasions = try await request.list("\(participant.resource)/occasions", query: "limit=1000")
        let enrolled = participant.enrolment["enrolled_at"]?.instant ?? .minimum
        let asked = Self.askedOnce(
            occasions, on: participant.zone.local(of: enrolled).date.description)
        let time = participant.time(request.words)
        return asked.compactMap { occasion -> [String: Any]? in
            let listed = (overview["items"]?.array ?? []).first {
                $0["questionnaire"] == occasion["questionnaire"]
            }
            guard let listed else { return nil }
            var card: [String: Any] = [
                "title": listed["title"]?.string ?? "", "answer": false, "answered": false, "minutes": "",
            ]
            if let completed = occasion["completed_at"]?.instant {
                let day = participant.zone.local(of: completed).date.description
                card["answered"] = request.words.text(
                    "welcome", "answered", ["day": time.day(day, now: request.call.now)])
                card["address"] = "\(participant.home)/sheets/\(occasion["sheet_id"]?.string ?? "")"
                return card
            }
            guard ["open", "overdue"].contains(occasion["state"]?.string) else { return nil }
            card["minutes"] = request.words.text(
                "today", "minutes", ["minutes": request.words.number(listed["minutes"]?.double ?? 1)])
            card["answer"] = true
            card["address"] = "\(participant.home)/o/\(occasion["occasion_id"]?.string ?? "")"
            return card
        }
    }

    /// The occasions of a date whose schedules have no other occasion.
    static func askedOnce(_ occasions: [JSON], on date: String) -> [JSON] {
        let bySchedule = Dictionary(grouping: occasions) { $0["schedule"]?.string ?? "" }
        return occasions.filter {
            $0["local_date"]?.string == date && bySchedule[$0["schedule"]?.string ?? ""]?.count == 1
        }
    }
}
