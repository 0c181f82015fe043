import SaunterCore
import SaunterFigures
import SaunterServer

/// The messages of a study in words.
struct StudyMessagesView {
    /// The members of a day, with the state of the entries that they count; nil for no single state.
    private static let numbers: [(name: String, state: String?)] = [
        ("planned", ""), ("sent", "sent"), ("failed", "failed"), ("uncertain", "unknown"),
        ("suppressed", "suppressed"), ("waiting", nil), ("delivered", nil), ("opened", nil),
    ]

    let study: String
    private let list: JSON
    private let days: JSON
    private let unreachable: JSON
    private let now: Instant
    private let words: Words.Language

    /// - Parameters:
    ///   - list: the response of `…/messages`.
    ///   - days: the response of `…/messages/days` with the same dates.
    ///   - unreachable: the response of `…/unreachable`.
    init(study: String, list: JSON, days: JSON, unreachable: JSON, now: Instant, _ words: Words.Language) {
        self.study = study
        self.list = list
        self.days = days
        self.unreachable = unreachable
        self.now = now
        self.words = words
    }

    var asOf: Instant { list["as_of"]?.instant ?? now }

    private var from: String { days["from"]?.string ?? "" }
    private var to: String { days["to"]?.string ?? "" }

    /// Which dates the page shows.
    var dates: String {
        let time = LocalTimeText(language: words.code, zone: "UTC")
        return text("dates", ["from": time.date(from), "to": time.date(to)])
    }

    // MARK: Days

    /// The sums of all days. Numbers of one state lead to their rows.
    func counts(_ path: String) -> [[String: String]] {
        Self.numbers.map { name, state in
            var model = ["title": text(name), "text": String(sum(name))]
            if let state {
                let query = StaffQuery(
                    path: path, filters: ["state", "from", "to"],
                    values: ["state": state, "from": from, "to": to])
                model["address"] = query.address(cursor: nil)
            }
            return model
        }
    }

    private func sum(_ name: String) -> Int {
        (days["items"]?.array ?? []).reduce(0) { $0 + ($1[name]?.int ?? 0) }
    }

    /// A bar for the sent messages of each day, and one for those that failed on days with failures; nil without
    /// messages.
    var figure: [String: Any]? {
        var byDay: [Int: JSON] = [:]
        for day in days["items"]?.array ?? [] {
            if let date = day["date"]?.string.flatMap({ LocalDate($0) }) { byDay[date.days] = day }
        }
        guard let first = byDay.keys.min(), let last = byDay.keys.max() else { return nil }
        let time = LocalTimeText(language: words.code, zone: "UTC")
        let bars = (first...last).flatMap { number -> [BarPlot.Bar] in
            let sent = byDay[number]?["sent"]?.int ?? 0
            let failed = byDay[number]?["failed"]?.int ?? 0
            let name = time.shortDay(LocalDate(days: number).description)
            let bar = BarPlot.Bar(label: name, value: Double(sent))
            return failed == 0 ? [bar] : [bar, .init(label: text("failed"), value: Double(failed))]
        }
        let finding = text(
            "finding",
            [
                "sent": String(sum("sent")), "planned": String(sum("planned")),
                "failed": String(sum("failed")), "opened": String(sum("opened")),
            ])
        let svg = BarPlot.text(
            [.init(name: nil, bars: bars)], title: text("by_day"), description: finding, number: words.number)
        return ["svg": svg, "finding": finding]
    }

    /// The counts of each day.
    var daysTable: StaffTable {
        let date = StaffTable.Column(title: words.text("staff", "date"))
        let numbers = Self.numbers.map { StaffTable.Column(title: text($0.name), isNumber: true) }
        return StaffTable(
            name: "\(study)-message-days", id: "days", caption: text("by_day"),
            columns: [date] + numbers,
            rows: (days["items"]?.array ?? []).map { day in
                let cells = Self.numbers.map { StaffTable.Cell.number(day[$0.name]?.int) }
                return [.text(day["date"]?.string ?? "")] + cells
            }, asOf: days["as_of"]?.instant ?? now)
    }

    // MARK: Unreachable participants

    /// Whether the list has more entries than the table.
    var hasMoreUnreachable: Bool { unreachable["next"]?.string != nil }

    var unreachableTable: StaffTable {
        StaffTable(
            name: "\(study)-unreachable", id: "unreachable", caption: text("unreachable"),
            columns: [
                .init(title: words.text("staff", "pseudonym")), .init(title: text("channel")),
                .init(title: text("failures"), isNumber: true), .init(title: text("since")),
                .init(title: text("last_failure")),
            ],
            rows: (unreachable["items"]?.array ?? []).map { entry in
                let participant = entry["participant_id"]?.string ?? ""
                return [
                    .link(participant, address: ParticipantPage.address(participant, of: study)),
                    .text(channel(entry["channel"]?.string ?? "")), .number(entry["failures"]?.int),
                    .moment(entry["since"]?.instant), .moment(entry["last_failed_at"]?.instant),
                ]
            }, asOf: unreachable["as_of"]?.instant ?? now)
    }

    // MARK: The list

    var table: StaffTable {
        StaffTable(
            name: "\(study)-messages", caption: words.text("staff", "messages"),
            columns: [
                .init(title: words.text("staff", "pseudonym")), .init(title: text("planned_at")),
                .init(title: words.text("staff", "study_day"), isNumber: true), .init(title: text("kind")),
                .init(title: text("rule")), .init(title: text("questionnaire")),
                .init(title: words.text("staff", "condition")), .init(title: text("reason")),
                .init(title: text("sent")), .init(title: text("delivered")), .init(title: text("opened")),
            ],
            rows: (list["items"]?.array ?? []).map(row),
            filters: [
                .init(name: "participant", title: words.text("staff", "pseudonym")),
                .init(
                    name: "state", title: words.text("staff", "condition"),
                    options: all + ReminderState.allCases.map { ($0.rawValue, state($0.rawValue)) }),
                .init(
                    name: "kind", title: text("kind"),
                    options: all + ReminderKind.allCases.map { ($0.rawValue, kind($0.rawValue)) }),
                .init(name: "rule", title: text("rule_code")),
                .init(name: "from", title: words.text("staff_walks", "from"), type: "date"),
                .init(name: "to", title: words.text("staff_walks", "to"), type: "date"),
            ],
            asOf: asOf, next: list["next"]?.string, emptyText: text("none"),
            live: "enrolment answer_sheet occasion walk")
    }

    private var all: [(value: String, title: String)] { [("", words.text("staff", "all"))] }

    private func row(_ entry: JSON) -> [StaffTable.Cell] {
        let participant = entry["participant_id"]?.string ?? ""
        let rule = entry["rule"]?.string ?? ""
        return [
            .link(participant, address: ParticipantPage.address(participant, of: study)),
            .moment(entry["planned_at"]?.instant),
            .number(entry["study_day"]?.int), .text(kind(entry["kind"]?.string ?? "")),
            .text(rule == "broadcast" ? words.text("timeline", "broadcast") : rule),
            .text(entry["questionnaire"]?.string ?? ""), .text(state(entry["state"]?.string ?? "")),
            .text(reason(entry)), .moment(entry["sent_at"]?.instant),
            .moment(entry["delivered_at"]?.instant), .moment(entry["opened_at"]?.instant),
        ]
    }

    private func state(_ code: String) -> String { words["timeline", "state_\(code)"] ?? code }

    private func kind(_ code: String) -> String {
        words["timeline", "reminder_\(code)"] ?? words["staff_messages", "kind_\(code)"] ?? code
    }

    private func channel(_ code: String) -> String { words["timeline", "channel_\(code)"] ?? code }

    /// The channels that failed with their reasons, each once with the number of attempts. Without an attempt, the
    /// reason why it was not sent.
    private func reason(_ entry: JSON) -> String {
        let failures = (entry["attempts"]?.array ?? []).filter { $0["outcome"]?.string != "sent" }
        guard !failures.isEmpty else { return entry["reason"]?.string.map(reasonText) ?? "" }
        var counts: [(text: String, count: Int)] = []
        for attempt in failures {
            let code = attempt["reply_code"]?.int.map { " (\($0))" } ?? ""
            let outcome = reasonText(attempt["outcome"]?.string ?? "")
            let text = "\(channel(attempt["channel"]?.string ?? "")): \(outcome)\(code)"
            if let index = counts.firstIndex(where: { $0.text == text }) {
                counts[index].count += 1
            } else {
                counts.append((text, 1))
            }
        }
        return counts.map { $0.count == 1 ? $0.text : "\($0.text), \($0.count)×" }.joined(separator: " · ")
    }

    private func reasonText(_ code: String) -> String { words["staff_messages", "reason_\(code)"] ?? code }

    private func text(_ name: String, _ values: [String: String] = [:]) -> String {
        words.text("staff_messages", name, values)
    }
}
