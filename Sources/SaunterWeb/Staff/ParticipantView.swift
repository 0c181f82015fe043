import SaunterCore

/// The response of `GET …/participants/{participant}` in words.
struct ParticipantView {
    private let detail: JSON
    private let words: Words.Language
    /// For instants in the participant's time zone.
    let time: LocalTimeText

    init(_ detail: JSON, _ words: Words.Language) {
        self.detail = detail
        self.words = words
        time = LocalTimeText(language: words.code, zone: detail["time_zone"]?.string ?? "")
    }

    var pseudonym: String { detail["participant_id"]?.string ?? "" }
    var zone: Zone { Zone(detail["time_zone"]?.string ?? "") ?? .utc }
    var arm: String { detail["arm"]?.string ?? "" }
    var asOf: Instant? { detail["as_of"]?.instant }

    /// "9 of 11 (81.8 %)"
    var adherence: String {
        guard let percent = detail["adherence"]?["adherence_percent"]?.double,
            let settled = detail["adherence"]?["settled"]?.int,
            let completed = detail["adherence"]?["completed"]?.int
        else { return say("none_closed") }
        return say(
            "adherence_of",
            ["done": String(completed), "all": String(settled), "percent": words.number(percent)])
    }

    /// "12 of 28"; "12" in a study without an end.
    private var day: String {
        guard StudyLength.isCounted(lastDay: detail["study_days"]?.int ?? 0) else { return text("study_day") }
        return say("day_of", ["day": text("study_day"), "days": text("study_days")])
    }

    /// The arm, the day, the adherence and the state.
    var facts: [[String: String]] {
        let ended = detail["ended_at"]?.instant.map { time.dayAndTime($0) }
        let state =
            ended.map { say("stopped_at", ["time": $0]) }
            ?? say("state_\(detail["status"]?.string ?? "")")
        return [
            fact("arm", arm), fact("day", day), fact("adherence", adherence), fact("status", state),
        ]
    }

    /// What has not arrived, what is low, and what does not reach the participant, as sentences.
    var warnings: [String] {
        var found: [String] = []
        for device in detail["devices"]?.array ?? [] {
            guard let count = device["missing_count"]?.int, count > 0 else { continue }
            let seen = device["last_seen_at"]?.instant.map { time.dayAndTime($0) } ?? ""
            found.append(
                say(
                    count == 1 ? "not_arrived_one" : "not_arrived_other",
                    ["count": String(count), "time": seen]))
        }
        if let since = detail["low_adherence_since"]?.instant {
            found.append(say("low_since", ["time": time.dayAndTime(since)]))
        }
        for channel in detail["unreachable"]?.array ?? [] {
            let name = channel["channel"]?.string ?? ""
            let since = channel["since"]?.instant.map { time.dayAndTime($0) } ?? ""
            found.append(
                say("unreachable", ["channel": words["timeline", "channel_\(name)"] ?? name, "time": since]))
        }
        return found
    }

    /// What is known about the enrolment besides the facts, one row for each value.
    var rows: [[String: String]] {
        var rows = [
            fact("enrolled_at", moment(detail["enrolled_at"])),
            fact("stratum", detail["stratum"]?.string ?? ""),
            fact("study_version", detail["study_version"]?.string ?? ""),
            fact("language", detail["language"]?.string.map { LanguageName.text($0, in: words.code) } ?? ""),
            fact("time_zone", detail["time_zone"]?.string ?? ""),
            fact("last_sheet", detail["last_sheet_at"]?.instant.map { time.dayAndTime($0) } ?? "–"),
            fact("sheets", text("answer_sheets")), fact("walks", text("walks")),
            fact("channels", channels),
        ]
        rows += list("consents") { "\($0["version"]?.string ?? "") · \(moment($0["consented_at"]))" }
        rows += list("data_kinds") { kind in
            period(kind["kind"]?.string ?? "", from: kind["granted_at"], to: kind["revoked_at"])
        }
        rows += list("pauses") { period("", from: $0["from"], to: $0["to"]) }
        rows += list("zones") { "\($0["time_zone"]?.string ?? "") · \(moment($0["from"]))" }
        rows += list("versions") { "\($0["version"]?.string ?? "") · \(moment($0["from"]))" }
        rows += list("awards") { "\($0["award"]?.string ?? "") · \(moment($0["awarded_at"]))" }
        rows += list("devices") { device in
            say(
                "device",
                [
                    "newest": String(device["newest"]?.int ?? 0),
                    "missing": String(device["missing_count"]?.int ?? 0),
                    "time": moment(device["last_seen_at"]),
                ])
        }
        return rows
    }

    private var channels: String {
        guard detail["reminders_on"]?.bool ?? false else { return say("reminders_off") }
        return (detail["channels"]?.array ?? []).compactMap(\.string)
            .map { words["timeline", "channel_\($0)"] ?? $0 }.joined(separator: ", ")
    }

    private func list(_ name: String, _ text: (JSON) -> String) -> [[String: String]] {
        let texts = (detail[name]?.array ?? []).map(text)
        return texts.isEmpty ? [] : [fact(name, texts.joined(separator: "\n"))]
    }

    private func period(_ name: String, from: JSON?, to: JSON?) -> String {
        let end = to?.instant.map { time.dayAndTime($0) } ?? say("no_end")
        return (name.isEmpty ? "" : "\(name) · ") + "\(moment(from)) – \(end)"
    }

    private func moment(_ value: JSON?) -> String { value?.instant.map { time.dayAndTime($0) } ?? "" }

    private func text(_ member: String) -> String { String(detail[member]?.int ?? 0) }

    private func fact(_ word: String, _ text: String) -> [String: String] {
        ["title": say(word), "text": text]
    }

    private func say(_ name: String, _ values: [String: String] = [:]) -> String {
        words.text("participant", name, values)
    }

    // MARK: The strip of days

    var days: [StudyDayView] {
        (detail["days"]?.array ?? []).map {
            StudyDayView($0, dateText: time.shortDay($0["date"]?.string ?? ""), words)
        }
    }

    /// The signs that the strip contains, with their words, in a fixed order.
    var legend: [[String: String]] { StudyDayView.legend(Set(days.map(\.state)), words) }
}
