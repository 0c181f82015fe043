import SaunterCore
import SaunterServer

/// The participant's first page: what is due now, later today and at any time, and what is done.
struct TodayPage: Sendable {
    let context: PageContext

    var today: Route {
        context.get("/my/{id}") { request in
            var request = request
            let participant = try await request.participant()
            let overview = try await request.get("\(participant.resource)/overview")
            let model = TodayModel(
                overview, participant, words: request.words, now: request.call.now)
            return context.renderer.page(
                "today", title: model.heading, model.values,
                frame: participant.frame(request.words, current: "", modules: ["today"]), of: request)
        }
    }
}

/// The sections of the page Today.
struct TodayModel {
    /// Longer studies do not count their days.
    private static let countedDays = 400

    private let overview: JSON
    private let participant: Participant
    private let words: Words.Language
    private let now: Instant
    private let time: LocalTimeText

    init(_ overview: JSON, _ participant: Participant, words: Words.Language, now: Instant) {
        self.overview = overview
        self.participant = participant
        self.words = words
        self.now = now
        time = LocalTimeText(language: words.code, zone: overview["time_zone"]?.string ?? "")
    }

    /// "Day 12 of 28".
    var heading: String {
        let day = overview["study_day"]?.int ?? 0
        let days = participant.study["days"]?.int ?? 0
        guard participant.isActive, day <= days else { return words.text("today", "ended") }
        // A diary without an end is no countdown.
        guard days <= Self.countedDays else { return words.text("today", "title") }
        return words.text("today", "day", ["day": String(day + 1), "days": String(days + 1)])
    }

    var values: [String: Any] {
        let items = overview["items"]?.array ?? []
        var model: [String: Any] = [
            "due": items.filter(isDue).map(card), "later": items.filter(isLater).map(card),
            "any_time": items.filter(isAnyTime).map(card), "done": items.filter(isDone).map(card),
            "unavailable": items.filter(isUnavailable).map(card), "progress": progress,
        ]
        for name in ["due", "later", "any_time", "done", "unavailable"] {
            model["has_\(name)"] = !((model[name] as? [Any])?.isEmpty ?? true)
        }
        model["nothing_due"] = items.contains(where: isDue) ? nil : nothingDue(items)
        model["walk"] = walk
        model["consent_due"] =
            overview["consent_due"]?.object == nil ? nil : ["address": "\(participant.home)/consent"]
        model["paused"] = participant.enrolment["paused"]?.bool ?? false
        model["home"] = participant.home
        return model
    }

    private func isOpen(_ item: JSON) -> Bool { item["disabled"]?.bool == false }
    private func isDue(_ item: JSON) -> Bool {
        isOpen(item) && item["opens_at"]?.instant != nil && isOccasionOpen(item)
    }

    /// Whether the occasion of the item can be answered now.
    private func isOccasionOpen(_ item: JSON) -> Bool {
        guard let opens = item["opens_at"]?.instant, let closes = item["closes_at"]?.instant else {
            return false
        }
        return opens <= now && now < closes && item["completed_at"]?.instant == nil
    }

    private func isAnyTime(_ item: JSON) -> Bool { isOpen(item) && !isDue(item) }
    private func isLater(_ item: JSON) -> Bool { !isOpen(item) && item["due_today"]?.bool == true }
    private func isDone(_ item: JSON) -> Bool {
        !isOpen(item) && !isLater(item) && item["disabled_reason"]?.string == "completed_in_period"
    }
    private func isUnavailable(_ item: JSON) -> Bool { !isOpen(item) && !isLater(item) && !isDone(item) }

    private func card(_ item: JSON) -> [String: Any] {
        let code = item["questionnaire"]?.string ?? ""
        var card: [String: Any] = [
            "title": item["title"]?.string ?? code,
            "minutes": words.text(
                "today", "minutes", ["minutes": words.number(item["minutes"]?.double ?? 1)]),
        ]
        if isDue(item), let occasion = item["occasion_id"]?.string {
            card["address"] = "\(participant.home)/o/\(occasion)"
            card["occasion"] = occasion
            if let closes = item["closes_at"]?.instant {
                card["state"] = words.text("today", "closes", ["time": time.short(closes, now: now)])
            }
        } else if isOpen(item) {
            card["address"] = "\(participant.home)/q/\(code)"
        } else {
            card["state"] = state(item)
        }
        return card
    }

    /// Why the item cannot be opened now, in words.
    private func state(_ item: JSON) -> String {
        let opens = item["next_opens_at"]?.instant ?? item["opens_at"]?.instant
        switch item["disabled_reason"]?.string {
        case "completed_in_period":
            guard let next = item["next_opens_at"]?.instant else { return words.text("today", "answered") }
            return words.text("today", "answered_next", ["time": time.short(next, now: now)])
        case "not_yet_open":
            guard let opens, opens > now else { return words.text("today", "paused") }
            return words.text("today", "opens", ["time": time.short(opens, now: now)])
        case "prerequisite": return words.text("today", "prerequisite")
        case "not_enrolled": return words.text("today", "ended")
        default:
            guard let closes = item["closes_at"]?.instant, closes <= now else {
                return words.text("today", "closed")
            }
            return words.text("today", "closed_at", ["time": time.short(closes, now: now)])
        }
    }

    /// "Nothing is due. Next: tomorrow 17:00."
    private func nothingDue(_ items: [JSON]) -> String {
        let next = items.compactMap { $0["next_opens_at"]?.instant ?? $0["opens_at"]?.instant }
            .filter { $0 > now }.min()
        guard let next else { return words.text("today", "nothing") }
        return words.text("today", "nothing_next", ["time": time.short(next, now: now)])
    }

    /// "9 of 11 answered", from the adherence.
    private var progress: [String: Any] {
        let adherence = overview["adherence"]
        let completed = adherence?["completed"]?.int ?? 0
        let settled = adherence?["settled"]?.int ?? 0
        return [
            "shown": settled > 0, "completed": completed, "settled": settled,
            "text": words.text(
                "today", "progress", ["completed": String(completed), "settled": String(settled)]),
        ]
    }

    private var walk: [String: Any]? {
        guard participant.study["walking"]?.object != nil, let walk = overview["walk"] else { return nil }
        var model: [String: Any] = ["may_start": walk["may_start"]?.bool ?? false]
        if let target = walk["target_speed_kmh"]?.double {
            model["target"] = words.text("today", "target", ["speed": words.number(target)])
        }
        if walk["may_start"]?.bool != true {
            model["needs_calibration"] = walk["reason"]?.string?.contains("calibration") ?? false
        }
        return model
    }
}
