import SaunterCore
import SaunterFigures
import SaunterServer

/// `POST /v1/studies/{study}/draft/dry-run` in sentences, figures and tables.
struct DryRunView {
    private let run: JSON
    private let form: DryRunForm
    private let path: String
    private let version: String?
    private let words: Words.Language
    private let dates: LocalTimeText

    init(_ run: JSON, _ form: DryRunForm, path: String, version: String?, _ words: Words.Language) {
        self.run = run
        self.form = form
        self.path = path
        self.version = version
        self.words = words
        dates = LocalTimeText(language: words.code, zone: "UTC")
    }

    private var total: JSON { run["report"]?["total"] ?? .null }
    private var days: [JSON] { run["days"]?.array ?? [] }
    private var arms: [JSON] { run["by_arm"]?.array ?? [] }

    var model: [String: Any] {
        var model: [String: Any] = [
            "sentences": sentences, "figures": figures, "timeline": timeline,
            // The start is in the address, so that the link shows the same run on another day.
            "address": form.address(path, version: version),
        ]
        if let shortened = run["shortened"], shortened != .null {
            model["shortened"] = text(
                "shortened",
                [
                    "participants": int(run["participants"]), "days": int(run["day_count"]),
                    "wanted": count("people", shortened["participants"]),
                    "wanted_days": count("day", shortened["day_count"]),
                ])
        }
        return model
    }

    // MARK: Sentences

    /// What happened in the whole run.
    var sentences: [String] {
        let report = run["report"] ?? .null
        var sentences = [
            text(
                "sentence_run",
                [
                    "version": run["version"]?.string ?? "", "participants": count("people", total["people"]),
                    "days": count("day", run["day_count"]),
                    "start": dates.dayAndYear(run["start"]?.string ?? ""),
                ]),
            text(
                "sentence_answers",
                [
                    "open": count("open", total["prompts"]), "answered": int(total["completed"]),
                    "percent": percent(total["adherence_percent"]),
                    "on_time": percent(total["on_time_percent"]), "other": int(total["unscheduled"]),
                ]),
            text("sentence_leaving", ["left": int(total["left"]), "silent": int(total["silent"])]),
            text(
                "sentence_messages",
                ["messages": int(total["reminders"]), "late": int(report["kept_back"])]),
        ]
        for rule in report["rules"]?.array ?? [] {
            sentences.append(
                text(
                    "sentence_rule",
                    [
                        "rule": rule["rule"]?.string ?? "", "points": count("point", rule["points"]),
                        "available": int(rule["available"]), "messages": count("sent", rule["messages"]),
                    ]))
        }
        return sentences
    }

    // MARK: Figures

    /// Each has a drawing, its finding in words, and a table.
    var figures: [[String: Any]] {
        [daysFigure, adherenceFigure, burdenFigure, messagesFigure, hoursFigure].compactMap(\.self)
    }

    private func figure(_ id: String, svg: String, finding: String, _ table: StaffTable) -> [String: Any] {
        var table = table
        table.id = id
        let query = StaffQuery(path: path, filters: [], values: [:])
        return ["id": id, "svg": svg, "finding": finding, "table": table.model(query, words)]
    }

    private func table(_ name: String, _ columns: [(String, Bool)], _ rows: [[StaffTable.Cell]]) -> StaffTable
    {
        StaffTable(
            name: name, caption: text(name),
            columns: columns.map { .init(title: text($0.0), isNumber: $0.1) }, rows: rows,
            asOf: run["until"]?.instant ?? Instant(milliseconds: 0))
    }

    private var daysFigure: [String: Any]? {
        guard let busiest = largest(days, "open") else { return nil }
        let finding = text(
            "days_finding",
            [
                "answered": int(total["completed"]), "open": count("open", total["prompts"]),
                "date": dates.day(busiest["date"]?.string ?? ""), "most": int(busiest["open"]),
            ])
        let svg = ColumnPlot.text(
            days.map {
                .init(
                    label: dates.shortDay($0["date"]?.string ?? ""), count: $0["open"]?.int ?? 0,
                    part: $0["answered"]?.int ?? 0)
            }, title: text("figure_days"), description: finding
        ) {
            text(
                "day_values",
                ["date": $0.label, "open": String($0.count), "answered": String($0.part ?? 0)])
        }
        return figure(
            "figure_days", svg: svg, finding: finding,
            table(
                "figure_days", [("date", false), ("open", true), ("answered", true)],
                days.map {
                    [.text($0["date"]?.string ?? ""), .number($0["open"]?.int), .number($0["answered"]?.int)]
                }))
    }

    private var adherenceFigure: [String: Any]? {
        guard arms.contains(where: { $0["adherence_percent"]?.double != nil }) else { return nil }
        let finding = text(
            "adherence_finding",
            ["arms": arms.map { "\(name($0)) \(percent($0["adherence_percent"]))" }.joined(separator: ", ")])
        let svg = BarPlot.text(
            [
                .init(
                    name: nil,
                    bars: arms.map { .init(label: name($0), value: $0["adherence_percent"]?.double) })
            ], title: text("figure_adherence"), description: finding
        ) { "\(words.number($0)) %" }
        return figure(
            "figure_adherence", svg: svg, finding: finding,
            table(
                "figure_adherence", [("arm", false), ("participants", true), ("adherence_column", true)],
                arms.map {
                    [
                        .text(name($0)), .number($0["participants"]?.int),
                        .percent($0["adherence_percent"]?.double),
                    ]
                }))
    }

    private var burdenFigure: [String: Any]? {
        let members = ["nominal_minutes_per_day", "minutes_asked_per_day", "minutes_answered_per_day"]
        let titles = ["nominal", "minutes_asked", "minutes_answered"]
        guard !arms.isEmpty else { return nil }
        let finding = text(
            "burden_finding",
            [
                "arms": arms.map { arm in
                    text(
                        "burden_arm",
                        [
                            "arm": name(arm), "asked": number(arm[members[1]]),
                            "nominal": number(arm[members[0]]),
                        ])
                }.joined(separator: "; ")
            ])
        let svg = BarPlot.text(
            arms.map { arm in
                .init(
                    name: name(arm),
                    bars: zip(titles, members).map {
                        .init(label: text("\($0)_short"), value: arm[$1]?.double)
                    })
            }, title: text("figure_burden"), description: finding, number: words.number)
        return figure(
            "figure_burden", svg: svg, finding: finding,
            table(
                "figure_burden", [("arm", false)] + titles.map { ($0, true) },
                arms.map { arm in
                    [StaffTable.Cell.text(name(arm))]
                        + members.map { StaffTable.Cell.decimal(arm[$0]?.double) }
                }))
    }

    private var messagesFigure: [String: Any]? {
        let sent = run["messages"]?["days"]?.array ?? []
        guard let busiest = largest(sent, "count") else { return nil }
        let finding = text(
            "messages_finding",
            [
                "messages": int(total["reminders"]), "date": dates.day(busiest["date"]?.string ?? ""),
                "most": int(busiest["count"]),
            ])
        return columns(
            "figure_messages", sent, name: "date", finding: finding
        ) { dates.shortDay($0["date"]?.string ?? "") }
    }

    private var hoursFigure: [String: Any]? {
        let hours = run["messages"]?["hours"]?.array ?? []
        guard let busiest = largest(hours, "count") else { return nil }
        let finding = text("hours_finding", ["hour": hour(busiest), "most": int(busiest["count"])])
        return columns("figure_hours", hours, name: "hour", finding: finding, hour)
    }

    /// A figure of counts of messages.
    private func columns(
        _ id: String, _ items: [JSON], name: String, finding: String, _ label: (JSON) -> String
    ) -> [String: Any] {
        let svg = ColumnPlot.text(
            items.map { .init(label: label($0), count: $0["count"]?.int ?? 0) }, title: text(id),
            description: finding
        ) { "\($0.label): \($0.count)" }
        return figure(
            id, svg: svg, finding: finding,
            table(
                id, [(name, false), ("messages", true)],
                items.map { [.text($0["date"]?.string ?? label($0)), .number($0["count"]?.int)] }))
    }

    /// The first item with the largest count; nil if all counts are 0.
    private func largest(_ items: [JSON], _ member: String) -> JSON? {
        guard let most = items.compactMap({ $0[member]?.int }).max(), most > 0 else { return nil }
        return items.first { $0[member]?.int == most }
    }

    private func hour(_ item: JSON) -> String {
        let hour = item["hour"]?.int ?? 0
        return "\(hour < 10 ? "0" : "")\(hour):00"
    }

    // MARK: One participant

    /// The days of the participant whose course is shown, and the links to others.
    var timeline: [String: Any] {
        let timeline = run["timeline"] ?? .null
        let number = timeline["participant"]?.int ?? 1
        var facts = [text("joined", ["time": moment(timeline["joined_at"], zone: nil)])]
        if let arm = timeline["arm"]?.string { facts.insert(text("arm_of", ["arm": arm]), at: 0) }
        if timeline["left_at"]?.instant != nil {
            facts.append(text("left", ["time": moment(timeline["left_at"], zone: nil)]))
        }
        if timeline["stops_answering_at"]?.instant != nil {
            facts.append(text("stops", ["time": moment(timeline["stops_answering_at"], zone: nil)]))
        }
        var model: [String: Any] = [
            "title": text("timeline", ["number": String(number)]), "facts": facts,
            "days": (timeline["days"]?.array ?? []).map(day),
        ]
        if number > 1 { model["previous"] = address(number - 1) }
        if number < run["participants"]?.int ?? 0 { model["next"] = address(number + 1) }
        return model
    }

    private func address(_ participant: Int) -> String {
        form.address(path, version: version, ["participant": String(participant)]) + "#timeline"
    }

    private func day(_ day: JSON) -> [String: Any] {
        let occasions: [String] = (day["occasions"]?.array ?? []).map(occasion)
        let sheets: [String] = (day["sheets"]?.array ?? []).map { sheet in
            let at = time(sheet["answered_at"], sheet["time_zone"]?.string)
            return text("sheet_answered", ["title": sheet["title"]?.string ?? "", "at": at])
        }
        let messages: [String] = (day["messages"]?.array ?? []).map(message)
        return [
            "day": int(day["study_day"]), "date": dates.day(day["date"]?.string ?? ""),
            "occasions": occasions + sheets, "messages": messages,
        ]
    }

    private func occasion(_ occasion: JSON) -> String {
        let zone = occasion["time_zone"]?.string
        let state = occasion["state"]?.string ?? ""
        return text(
            occasion["answered_at"]?.instant == nil ? "occasion_open" : "occasion_answered",
            [
                "title": occasion["title"]?.string ?? "", "from": time(occasion["opens_at"], zone),
                "to": moment(occasion["closes_at"], zone: zone),
                "at": moment(occasion["answered_at"], zone: zone),
                "state": words["timeline", "state_\(state)"] ?? state,
            ])
    }

    private func message(_ message: JSON) -> String {
        let at = time(message["at"], message["time_zone"]?.string)
        if let rule = message["rule"]?.string { return text("message_rule", ["at": at, "rule": rule]) }
        let count = message["occasions"]?.int ?? 0
        // A message by a rule for notifications announces no occasion.
        let name = count == 0 ? "message_notification" : count == 1 ? "message_one" : "message_reminder"
        return text(name, ["at": at, "count": String(count)])
    }

    private func time(_ value: JSON?, _ zone: String?) -> String {
        value?.instant.map { LocalTimeText(language: words.code, zone: zone ?? "UTC").time($0) } ?? ""
    }

    /// A day and a time. In UTC, and marked so, without a zone.
    private func moment(_ value: JSON?, zone: String?) -> String {
        value?.instant.map {
            let text = LocalTimeText(language: words.code, zone: zone ?? "UTC").dayAndTime($0)
            return zone == nil ? "\(text) UTC" : text
        } ?? ""
    }

    // MARK: Words

    private func name(_ arm: JSON) -> String { arm["arm"]?.string ?? text("everyone") }

    /// A number with its unit.
    private func count(_ unit: String, _ value: JSON?) -> String {
        text(value?.int == 1 ? "\(unit)_one" : "\(unit)_other", ["count": int(value)])
    }

    private func int(_ value: JSON?) -> String { String(value?.int ?? 0) }

    private func number(_ value: JSON?) -> String { value?.double.map { words.number($0) } ?? "–" }

    private func percent(_ value: JSON?) -> String { value?.double.map { "\(words.number($0)) %" } ?? "–" }

    private func text(_ name: String, _ values: [String: String] = [:]) -> String {
        words.text("dry_run", name, values)
    }
}
