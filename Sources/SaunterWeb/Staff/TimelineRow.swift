import SaunterCore

/// An entry of `GET …/timeline` in words. The page and its CSV file show the same rows.
struct TimelineRow {
    let at: Instant
    /// What the entry is about.
    let kind: String
    /// The title of the questionnaire, or another name; empty for none.
    let name: String
    /// What became of it; empty for kinds without states.
    let state: String
    /// The code of the state; empty for none.
    let stateCode: String
    /// What else is known.
    private(set) var text: String
    /// The page of the answer sheet or walk, below that of the participant; nil for all other kinds.
    let page: String?

    private let words: Words.Language
    private let time: LocalTimeText

    /// - Parameter time: for instants in the participant's time zone.
    init(_ entry: JSON, _ words: Words.Language, _ time: LocalTimeText) {
        self.words = words
        self.time = time
        let (kind, detail) = (entry["kind"]?.string ?? "", entry["detail"] ?? [:])
        at = entry["at"]?.instant ?? Instant(milliseconds: 0)
        stateCode = entry["state"]?.string ?? ""
        self.kind = words.text("timeline", "kind_\(kind)")
        state =
            stateCode.isEmpty
            ? "" : words["timeline", "state_\(stateCode)"] ?? stateCode.replacing("_", with: " ")
        let subject = Self.subject(kind, entry, detail)
        page = subject.map { "\($0.kind == "walk" ? "walks" : "sheets")/\($0.id)" }
        let name = entry["title"]?.string ?? Self.name(kind, detail)
        // A link needs a text.
        self.name =
            name.isEmpty
            ? subject.map { words.text("timeline", "subject_\($0.kind)") } ?? "" : name
        text = ""
        text = text(of: kind, detail)
    }

    /// The answer sheet or walk that has a page.
    private static func subject(_ kind: String, _ entry: JSON, _ detail: JSON) -> (kind: String, id: String)?
    {
        switch kind {
        case "sheet": entry["id"]?.string.map { ("answer_sheet", $0) }
        case "occasion": detail["sheet_id"]?.string.map { ("answer_sheet", $0) }
        case "walk": entry["id"]?.string.map { ("walk", $0) }
        // A walk with an edit is deleted, and has no page.
        case "edit" where detail["subject"]?.string == "answer_sheet":
            detail["subject_id"]?.string.map { ("answer_sheet", $0) }
        default: nil
        }
    }

    /// The name of an entry without a questionnaire.
    private static func name(_ kind: String, _ detail: JSON) -> String {
        let member =
            switch kind {
            case "decision", "alert", "message": "rule"
            case "event": "event"
            case "data_kind": "data_kind"
            case "observation": "code"
            case "zone": "time_zone"
            case "arm": "to_arm"
            case "consent": "version"
            default: ""
            }
        return detail[member]?.string ?? ""
    }

    private func text(of kind: String, _ detail: JSON) -> String {
        switch kind {
        case "occasion": occasion(detail)
        case "sheet": sheet(detail)
        case "edit": edit(detail)
        case "walk": walk(detail)
        case "calibration":
            say(
                "calibration",
                [
                    "mean": number(detail["mean_speed_kmh"]), "percent": number(detail["reduction_percent"]),
                    "target": number(detail["target_speed_kmh"]),
                ])
        case "message": message(detail)
        case "alert": detail["about"]?.string ?? ""
        case "consent": detail["language"]?.string.map { LanguageName.text($0, in: words.code) } ?? ""
        case "arm": arm(detail)
        case "zone":
            say(
                "change",
                [
                    "from": detail["former_time_zone"]?.string ?? "",
                    "to": detail["time_zone"]?.string ?? "",
                ])
        case "pause": moment("until", detail["to"])
        default: ""
        }
    }

    private var isClosed: Bool { stateCode == OccasionState.missed.rawValue }

    private func occasion(_ detail: JSON) -> String {
        if let completed = detail["completed_at"]?.instant {
            return say("answered_at", ["time": time.dayAndTime(completed)])
        }
        return moment(isClosed ? "closed_at" : "closes_at", detail["close_at"])
    }

    private func arm(_ detail: JSON) -> String {
        let change = say(
            "change", ["from": detail["from_arm"]?.string ?? "", "to": detail["to_arm"]?.string ?? ""])
        return [change, detail["reason"]?.string].compactMap { $0 }.joined(separator: " · ")
    }

    private func sheet(_ detail: JSON) -> String {
        var parts = (detail["scores"]?.array ?? []).map { score in
            let value = score["value"]?.double.map { words.number($0) } ?? words.text("answer", "no_score")
            return "\(score["label"]?.string ?? "") \(value)"
        }
        if let late = detail["late_s"]?.int { parts.append(lateness(late / 60)) }
        if let revision = detail["revision"]?.int, revision > 1 {
            parts.append(say("revision", ["number": String(revision)]))
        }
        if detail["duplicate_of"]?.string != nil { parts.append(say("duplicate")) }
        parts += (detail["flags"]?.array ?? []).compactMap(\.string)
        return parts.joined(separator: " · ")
    }

    /// Minutes up to an hour and a half, then hours, and days from the second on.
    private func lateness(_ minutes: Int) -> String {
        switch minutes {
        case 1: say("late_by_one")
        case ..<90: say("late_by", ["minutes": String(minutes)])
        case ..<2880: say("late_by_hours", ["hours": String(minutes / 60), "minutes": String(minutes % 60)])
        default: say("late_by_days", ["days": String(minutes / 1440)])
        }
    }

    private func edit(_ detail: JSON) -> String {
        let change = say("change_\(detail["change"]?.string ?? "")")
        let subject = say("subject_\(detail["subject"]?.string ?? "")")
        let revision = detail["revision"]?.int.map { say("revision", ["number": String($0)]) }
        return (["\(change): \(subject)"] + [revision].compactMap { $0 }).joined(separator: " · ")
    }

    private func walk(_ detail: JSON) -> String {
        var parts = [WalkText(words).line(detail)]
        if let seconds = detail["above_target_s"]?.double, seconds > 0 {
            parts.append(
                say(
                    "above_target",
                    [
                        "time": WalkText(words).minutes(seconds),
                        "count": String(detail["above_target_count"]?.int ?? 0),
                    ]))
        }
        return parts.joined(separator: " · ")
    }

    private func message(_ detail: JSON) -> String {
        func names(_ member: String) -> [String] { (detail[member]?.array ?? []).compactMap(\.string) }
        var parts: [String] = []
        let reminders = names("reminders").map { say("reminder_\($0)") }
        if !reminders.isEmpty { parts.append(reminders.joined(separator: ", ")) }
        if detail["broadcast_id"]?.string != nil { parts.append(say("broadcast")) }
        let channels = names("channels").map { words["timeline", "channel_\($0)"] ?? $0 }
        parts.append(channels.isEmpty ? say("inbox") : channels.joined(separator: ", "))
        parts += [
            moment("delivered_at", detail["delivered_at"]), moment("opened_at", detail["opened_at"]),
            moment("acted_at", detail["acted_at"]), moment("dismissed_at", detail["dismissed_at"]),
        ].filter { !$0.isEmpty }
        if let reason = detail["reason"]?.string { parts.append(reason.replacing("_", with: " ")) }
        return parts.joined(separator: " · ")
    }

    /// A text with an instant; empty without the instant.
    private func moment(_ name: String, _ value: JSON?) -> String {
        value?.instant.map { say(name, ["time": time.dayAndTime($0)]) } ?? ""
    }

    private func number(_ value: JSON?) -> String { value?.double.map { words.number($0) } ?? "" }

    private func say(_ name: String, _ values: [String: String] = [:]) -> String {
        words.text("timeline", name, values)
    }
}
