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
            let date = overview["local_date"]?.string ?? ""
            let sheets = try await request.get(
                "\(participant.resource)/answer-sheets", query: "from=\(date)&order=completed&limit=100")
            var model = TodayModel(
                overview, sheets: sheets, participant, words: request.words, now: request.call.now)
            let messages = try await request.messages(of: participant, overview: overview)
            model.newestMessage = messages.newest
            model.unreadMessages = messages.unread
            model.isEmailMissing = try await isEmailMissing(participant, request)
            model.cardsOfDay = try await request.cardsOfDay(participant)
            model.recommendation = try await recommendation(participant, request)
            return context.renderer.page(
                "today", title: model.heading, model.values,
                frame: participant.frame(request.words, current: "", modules: ["today", "push", "shown"]),
                of: request)
        }
    }

    /// The first recommendation that is open to the participant; nil if the study shows no programmes.
    private func recommendation(
        _ participant: Participant, _ request: PageRequest
    ) async throws -> [String: Any]? {
        guard participant.isActive, participant.hasProgrammes else { return nil }
        let items = try await request.get("\(participant.resource)/recommendations")["items"]?.array ?? []
        return items.first { $0["locked"]?.bool != true }.map {
            ProgrammeModel(participant, words: request.words, now: request.call.now)
                .recommendation($0, programmes: [])
        }
    }

    /// Whether reminders by mail cannot arrive, because the participant has not confirmed the address.
    private func isEmailMissing(_ participant: Participant, _ request: PageRequest) async throws -> Bool {
        let reminder = participant.enrolment["reminder"]
        guard participant.isActive, reminder?["on"]?.bool == true,
            reminder?["channels"]?.array?.contains("mail") == true
        else { return false }
        let account = try await request.get("/v1/account")
        // A participant without an address sees on every page how to sign up.
        return account["email"]?.string != nil && account["email_verified_at"]?.instant == nil
    }
}

/// The sections of the page Today.
struct TodayModel {
    private let overview: JSON
    private let sheets: [JSON]
    private let participant: Participant
    private let words: Words.Language
    private let now: Instant
    private let time: LocalTimeText
    /// The newest message that is not read yet; nil if there is none.
    var newestMessage: [String: Any]?
    var unreadMessages = 0
    /// Whether the participant must confirm the e-mail address before reminders can arrive.
    var isEmailMissing = false

    /// One card for each collection that has an item of the day.
    var cardsOfDay: [[String: Any]] = []
    /// What is recommended first; nil for nothing.
    var recommendation: [String: Any]?

    /// - Parameter sheets: the response of `GET …/answer-sheets` from today on.
    init(_ overview: JSON, sheets: JSON, _ participant: Participant, words: Words.Language, now: Instant) {
        self.overview = overview
        self.sheets = sheets["items"]?.array ?? []
        self.participant = participant
        self.words = words
        self.now = now
        time = LocalTimeText(language: words.code, zone: overview["time_zone"]?.string ?? "")
    }

    /// "Day 12 of 28".
    var heading: String {
        let day = overview["study_day"]?.int ?? 0
        let days = participant.study["days"]?.int ?? 0
        guard participant.isActive else { return words.text("today", "left") }
        guard day <= days else { return words.text("today", "ended") }
        // A diary without an end is no countdown.
        guard StudyLength.isCounted(lastDay: days) else { return words.text("today", "title") }
        return words.text("today", "day", ["day": String(day + 1), "days": String(days + 1)])
    }

    var values: [String: Any] {
        // Practices have their own pages. Here they would hide everything else.
        let items = (overview["items"]?.array ?? []).filter {
            !participant.hasProgrammes || $0["practice"]?.bool != true || isDue($0)
        }
        var model: [String: Any] = [
            "due": items.filter(isDue).map(card), "later": items.filter(isLater).map(card),
            "any_time": items.filter(isAnyTime).map(card), "done": doneToday(items),
            "unavailable": participant.isActive ? items.filter(isUnavailable).map(card) : [],
            "progress": progress,
        ]
        for name in ["due", "later", "any_time", "done", "unavailable"] {
            model["has_\(name)"] = !((model[name] as? [Any])?.isEmpty ?? true)
        }
        if participant.isActive, !items.contains(where: isDue) { model["nothing_due"] = nothingDue(items) }
        if participant.isActive { model["walk"] = walk }
        model["consent_due"] =
            overview["consent_due"]?.object == nil ? nil : ["address": "\(participant.home)/consent"]
        model["paused"] = paused
        model["over"] = over
        model["message"] = newestMessage
        if unreadMessages > 1 {
            model["more_messages"] = words.text("messages", "unread", ["count": String(unreadMessages)])
        }
        model["email_missing"] = isEmailMissing
        model["content"] = cardsOfDay
        model["recommendation"] = recommendation
        model["home"] = participant.home
        model["time_zone"] = overview["time_zone"]?.string
        return model
    }

    // MARK: - Sections

    private func isOpen(_ item: JSON) -> Bool { item["disabled"]?.bool == false }
    private func isDue(_ item: JSON) -> Bool { isOpen(item) && isOccasionOpen(item) }

    /// Whether the occasion of the item can be answered now.
    private func isOccasionOpen(_ item: JSON) -> Bool {
        guard let opens = item["opens_at"]?.instant, let closes = item["closes_at"]?.instant else {
            return false
        }
        return opens <= now && now < closes && item["completed_at"]?.instant == nil
    }

    /// Whether the item is in the section "Any time". It stays there when the maximum of the day is reached.
    private func isAnyTime(_ item: JSON) -> Bool { isOpen(item) && !isDue(item) || isFull(item) }
    private func isFull(_ item: JSON) -> Bool {
        item["any_time"]?.bool == true && item["disabled_reason"]?.string == "completed_in_period"
    }
    private func isLater(_ item: JSON) -> Bool {
        !isOpen(item) && !isFull(item) && item["due_today"]?.bool == true
    }
    private func isUnavailable(_ item: JSON) -> Bool { !isOpen(item) && !isFull(item) && !isLater(item) }

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
            if let due = item["due_at"]?.instant, due < now {
                card["overdue"] = words.text("today", "overdue", ["time": time.short(due, now: now)])
            }
            if let closes = item["closes_at"]?.instant {
                card["state"] = words.text("today", "closes", ["time": time.short(closes, now: now)])
            }
        } else if isOpen(item) {
            card["address"] = "\(participant.home)/q/\(code)"
            if item["locked"]?.bool == true { card["state"] = words.text("today", "locked") }
        } else {
            card["state"] = state(item)
        }
        return card
    }

    /// Why the item cannot be opened now, in words.
    private func state(_ item: JSON) -> String {
        let opens = item["next_opens_at"]?.instant ?? item["opens_at"]?.instant
        switch item["disabled_reason"]?.string {
        case "completed_in_period" where isFull(item): return words.text("today", "full")
        case "completed_in_period":
            guard let next = item["next_opens_at"]?.instant else { return words.text("today", "answered") }
            return words.text("today", "answered_next", ["time": time.short(next, now: now)])
        case "not_yet_open":
            guard let opens, opens > now else { return words.text("today", "paused") }
            return words.text("today", "opens", ["time": time.short(opens, now: now)])
        case "prerequisite":
            return words.text("today", participant.hasProgrammes ? "prerequisite_practice" : "prerequisite")
        case "not_enrolled": return words.text("today", "ended")
        default:
            guard let closes = item["closes_at"]?.instant, closes <= now else {
                return words.text("today", "closed")
            }
            return words.text("today", "closed_at", ["time": time.short(closes, now: now)])
        }
    }

    /// The sheets of today, each with the time and the address of the sheet. Sheets with settings are left out: the
    /// overview has no titles for them.
    private func doneToday(_ items: [JSON]) -> [[String: Any]] {
        let titles = MessageList.titles(overview)
        return sheets.compactMap { sheet in
            guard let title = titles[sheet["questionnaire"]?.string ?? ""],
                let completed = sheet["completed_at"]?.instant
            else { return nil }
            return [
                "title": title, "address": "\(participant.home)/sheets/\(sheet["sheet_id"]?.string ?? "")",
                "sheet": sheet["sheet_id"]?.string ?? "",
                "state": words.text("today", "sent_at", ["time": time.short(completed, now: now)]),
            ]
        }
    }

    /// "Nothing is due. Next: tomorrow 17:00."
    private func nothingDue(_ items: [JSON]) -> String {
        let next = items.compactMap { $0["next_opens_at"]?.instant ?? $0["opens_at"]?.instant }
            .filter { $0 > now }.min()
        guard let next else { return words.text("today", "nothing") }
        return words.text("today", "nothing_next", ["time": time.short(next, now: now)])
    }

    /// "9 of 11 answered", from the adherence. A diary without an end shows none.
    private var progress: [String: Any] {
        let adherence = overview["adherence"]
        let completed = adherence?["completed"]?.int ?? 0
        let settled = adherence?["settled"]?.int ?? 0
        return [
            "shown": settled > 0 && StudyLength.isCounted(lastDay: participant.study["days"]?.int ?? 0),
            "completed": completed, "settled": settled,
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
            model["needs_calibration"] = walk["reason"]?.string == "calibration_missing"
        }
        return model
    }

    // MARK: - States of the enrolment

    /// "You have paused the study since Friday 20 November."
    private var paused: String? {
        participant.enrolment["paused_since"]?.instant.map {
            words.text("today", "is_paused", ["day": time.day($0)])
        }
    }

    /// When the participant left or the study ended, and what remains possible.
    private var over: [String: Any]? {
        let text: String
        if let ended = participant.enrolment["ended_at"]?.instant, !participant.isActive {
            let isExcluded = participant.enrolment["status"]?.string == "excluded"
            text = words.text("today", isExcluded ? "left_excluded" : "left_on", ["day": time.day(ended)])
        } else if let day = overview["study_day"]?.int, let days = participant.study["days"]?.int, day > days,
            let today = LocalDate(overview["local_date"]?.string ?? "")
        {
            text = words.text(
                "today", "ended_on", ["day": time.day(LocalDate(days: today.days + days - day).description)])
        } else {
            return nil
        }
        return ["text": text, "export": "/v1/enrolments/\(participant.id)/export"]
    }
}
