import SaunterCore
import SaunterServer

/// What the participant's own entries show: one card for each variable of the study.
struct InsightsPage: Sendable {
    let context: PageContext

    var insights: Route {
        context.get("/my/{id}/insights") { request in
            var request = request
            let participant = try await request.participant()
            var model = try await model(participant, request) { _ in true }
            model["print"] = "\(participant.home)/insights/print"
            return context.renderer.page(
                "insights", title: request.words.text("insights", "title"), model,
                frame: participant.frame(request.words, current: "/insights"), of: request)
        }
    }

    /// The same for paper, without locations and without the participant's own words, because the participant gives it
    /// to another person, for example to a therapist.
    var printable: Route {
        context.get("/my/{id}/insights/print") { request in
            var request = request
            let participant = try await request.participant()
            var model = try await model(participant, request) { $0["private"]?.bool == false }
            model["printing"] = ["study": participant.studyTitle]
            return context.renderer.page(
                "insights", title: request.words.text("insights", "print_title"), model,
                frame: participant.frame(
                    request.words, current: "/insights/print", back: "\(participant.home)/insights"),
                of: request)
        }
    }

    private func model(
        _ participant: Participant, _ request: PageRequest, isShown: (JSON) -> Bool
    ) async throws -> [String: Any] {
        let insights = try await request.get("\(participant.resource)/insights")
        let time = participant.time(request.words)
        let cards = (insights["items"]?.array ?? []).filter(isShown).map {
            InsightCard($0, words: request.words, time: time).values
        }
        let now = insights["as_of"]?.instant ?? request.call.now
        return [
            "cards": cards, "has_cards": !cards.isEmpty,
            "as_of": request.words.text("insights", "as_of", ["time": time.dayAndTime(now)]),
        ]
    }
}

/// One insight as its card shows it.
struct InsightCard {
    private let item: JSON
    private let words: Words.Language
    private let time: LocalTimeText

    init(_ item: JSON, words: Words.Language, time: LocalTimeText) {
        self.item = item
        self.words = words
        self.time = time
    }

    var values: [String: Any] {
        let entries = item["entries"]?.array
        var card: [String: Any] = ["title": item["title"]?.string ?? ""]
        card["rest"] = rest
        card["sentence"] = item["text"]?.string
        if let entries {
            let rows = entries.map(row)
            if rows.contains(where: { $0["value"] as? String != "–" }) {
                card["svg"] = figure(entries)
                card["caption"] = unit(of: nil).map { words.text("insights", "in_unit", ["unit": $0]) }
                card["table"] = [
                    "rows": rows,
                    "value": unit(of: nil).map { words.text("insights", "value_in", ["unit": $0]) }
                        ?? words.text("insights", "value"),
                ]
            } else {
                card["missing"] = words.text("insights", "none_yet")
            }
        } else if let reason = item["reason"]?.string {
            card["missing"] = words.text("insights", reason)
        } else {
            card["number"] = item["label"]?.string ?? text(item["value"])
            card["unit"] = unit(of: item["value"]?.double)
        }
        // A sentence about a value that is missing would be "From 0 entries".
        if card["missing"] != nil, rest == nil { card["sentence"] = nil }
        if let best = item["best"]?.int {
            card["best"] = words.text(
                "insights", best == 1 ? "best_one" : "best", ["days": String(best)])
        }
        return card
    }

    /// What the values count or measure, such as "days"; nil for values without a unit, and for words.
    /// - Parameter value: the value beside which the unit is shown; nil for several values.
    private func unit(of value: Double?) -> String? {
        guard let unit = item["unit"]?.string else { return nil }
        // A streak has a longest run; other values in days do not count days in a row.
        let name = item["best"]?.int != nil ? "run" : unit
        let number = value == 1 ? "one" : "other"
        return words["insights", "unit_\(name)_\(number)"] ?? unit
    }

    /// "6 entries, 15 to 21 November"; nil without entries.
    private var rest: String? {
        let n = item["n"]?.int ?? 0
        guard n > 0 else { return nil }
        let count = words.text("insights", n == 1 ? "one_entry" : "entries", ["n": String(n)])
        guard let window = item["window"]?.object, let from = window["from"]?.string,
            let to = window["to"]?.string
        else { return count }
        return words.text(
            "insights", "window", ["count": count, "from": time.day(from), "to": time.day(to)])
    }

    private func row(_ entry: JSON) -> [String: Any] {
        [
            "key": label(entry), "value": entry["value_label"]?.string ?? text(entry["value"]),
            "n": entry["n"]?.int ?? 0,
        ]
    }

    private func label(_ entry: JSON) -> String {
        if let label = entry["label"]?.string { return label }
        let key = entry["key"]?.string ?? ""
        return LocalDate(key) == nil ? key : time.day(key)
    }

    /// A line for dates, otherwise bars.
    private func figure(_ entries: [JSON]) -> String {
        let title = item["title"]?.string ?? ""
        let areDates = entries.allSatisfy { LocalDate($0["key"]?.string ?? "") != nil }
        let points = entries.map {
            (label: areDates ? time.shortDay($0["key"]?.string ?? "") : label($0), value: $0["value"]?.double)
        }
        return areDates
            ? InsightFigure(words: words).series(points, title: title)
            : InsightFigure(words: words).bars(Array(points.prefix(24)), title: title)
    }

    private func text(_ value: JSON?) -> String {
        guard let value, value != .null else { return "–" }
        if let list = value.array { return list.map { text($0) }.joined(separator: ", ") }
        if let number = value.double { return words.number(number) }
        if let string = value.string { return LocalDate(string) == nil ? string : time.day(string) }
        return words.text("answer", value.bool == true ? "yes" : "no")
    }
}
