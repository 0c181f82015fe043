import SaunterCore

/// The values of a walk in words.
struct WalkText {
    private let words: Words.Language

    init(_ words: Words.Language) {
        self.words = words
    }

    /// "24:10 min · 1480 m · 3.7 km/h · 92 bpm"
    func line(_ summary: JSON) -> String {
        var parts = [minutes(summary["active_s"]?.double ?? 0)]
        if let metres = summary["distance_m"]?.double { parts.append("\(Int(metres.rounded())) m") }
        if let speed = summary["mean_speed_kmh"]?.double { parts.append("\(words.number(speed)) km/h") }
        if let rate = summary["mean_heart_rate_bpm"]?.double {
            parts.append("\(Int(rate.rounded()))\u{A0}bpm")
        }
        return parts.joined(separator: " · ")
    }

    /// One row for each value that was measured.
    func rows(_ summary: JSON) -> [[String: Any]] {
        let units: [(name: String, unit: String)] = [
            ("distance_m", "m"), ("mean_speed_kmh", "km/h"), ("mean_heart_rate_bpm", "bpm"),
            ("max_heart_rate_bpm", "bpm"), ("active_energy_kcal", "kcal"), ("target_speed_kmh", "km/h"),
            ("above_target_count", ""),
        ]
        var rows: [[String: Any]] = [
            ["label": words.text("walk", "active_s"), "value": minutes(summary["active_s"]?.double ?? 0)]
        ]
        rows += units.compactMap { name, unit in
            summary[name]?.double.map {
                let value = unit == "km/h" ? $0 : $0.rounded()
                return ["label": words.text("walk", name), "value": "\(words.number(value)) \(unit)"]
            }
        }
        if let seconds = summary["above_target_s"]?.double {
            rows.append(["label": words.text("walk", "above_target_s"), "value": minutes(seconds)])
        }
        return rows
    }

    /// What the figure shows, for people who do not see it.
    func finding(_ walk: JSON) -> String {
        let summary = walk["summary"]
        var parts: [String] = []
        if let speed = summary?["mean_speed_kmh"]?.double {
            parts.append(words.text("walk", "finding_speed", ["speed": words.number(speed)]))
        }
        if let target = summary?["target_speed_kmh"]?.double, let seconds = summary?["above_target_s"]?.double
        {
            parts.append(
                words.text(
                    "walk", "finding_target", ["speed": words.number(target), "time": minutes(seconds)]))
        }
        if let rate = summary?["mean_heart_rate_bpm"]?.double {
            parts.append(words.text("walk", "finding_heart", ["rate": String(Int(rate.rounded()))]))
        }
        let pauses = walk["pauses"]?.array?.count ?? 0
        let gaps = walk["device"]?["gaps"]?.array?.count ?? 0
        parts.append(words.text("walk", "finding_pauses", ["count": String(pauses)]))
        if walk["device"]?["gaps"] != nil {
            parts.append(words.text("walk", "finding_gaps", ["count": String(gaps)]))
        }
        return parts.joined(separator: " ")
    }

    /// The gaps that the recorder declared: "12:20 – 12:22: the page was left".
    func gaps(_ walk: JSON, _ time: LocalTimeText) -> [String] {
        (walk["device"]?["gaps"]?.array ?? []).compactMap { gap in
            guard let from = gap["from"]?.instant, let to = gap["to"]?.instant,
                let reason = gap["reason"]?.string, let text = words["walk", "gap_\(reason)"]
            else { return nil }
            let seconds = Double(to.milliseconds(since: from)) / 1000
            return "\(time.time(from)) – \(time.time(to)) (\(minutes(seconds))): \(text)"
        }
    }

    /// "24:10 min"
    func minutes(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded())
        return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60) min"
    }
}
