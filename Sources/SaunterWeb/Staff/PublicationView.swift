import SaunterCore
import SaunterServer

/// `GET /v1/studies/{study}/draft/preview` in words: what prevents the publication, and what it would do.
struct PublicationView {
    private let preview: JSON
    private let words: Words.Language
    /// What participants see of occasions, by schedule and arm.
    private let effect: JSON?

    init(_ preview: JSON, _ words: Words.Language) {
        self.preview = preview
        self.words = words
        effect = preview["effect"].flatMap { $0.isNull ? Optional.none : $0 }
    }

    /// `version`, `edition`, or `nothing`.
    var kind: String { preview["kind"]?.string ?? "nothing" }
    /// The version in the draft; empty if it cannot be read.
    var version: String { preview["version"]?.string ?? "" }
    /// Whether the version is live already, so that only participants of other versions change.
    private var isLive: Bool { preview["live_version"]?.string == version }
    /// What prevents the publication, one sentence or line each.
    var problems: [String] { (preview["problems"]?.array ?? []).compactMap(\.string) }
    var canPublish: Bool { preview["publishable"]?.bool ?? false && problems.isEmpty && kind != "nothing" }
    var numbers: PublicationNumbers {
        PublicationNumbers(of: kind, effect: effect, rescoring: preview["rescoring"])
    }
    /// Whether participants are enrolled in another version, so that the visitor must choose whether they follow.
    var needsChoice: Bool { kind == "version" && numbers["enrolments"] > 0 }

    /// The name of what is published: "Version 1.1.0", or "Edition 3 of the library".
    var name: String {
        if kind == "edition" { return editionName }
        return version.isEmpty ? text("draft") : text("version_name", ["version": version])
    }

    private var editionName: String {
        text("edition_name", ["edition": preview["edition"]?.int.map { String($0) } ?? ""])
    }

    /// What the draft has to take over from a newer edition of the library before it can be published; nil if its
    /// library is current.
    var library: [String: Any]? {
        guard let library = preview["library"], let live = library["live"]?.int else { return nil }
        let (taken, kept) = (paths(library["taken_over"]), paths(library["kept"]))
        let base = library["base"]?.int
        return [
            "text":
                base.map { text("library_text", ["live": String(live), "base": String($0)]) }
                ?? text("library_first", ["live": String(live)]),
            "taken": taken, "has_taken": !taken.isEmpty, "kept": kept, "has_kept": !kept.isEmpty,
        ]
    }

    private func paths(_ list: JSON?) -> [String] { (list?.array ?? []).compactMap(\.string) }

    // MARK: Participants

    /// What changes for enrolled participants, one sentence each.
    var effectSentences: [String] {
        guard let effect else { return [] }
        guard kind == "version" else { return kind == "edition" ? [text("effect_edition")] : [] }
        let numbers = numbers
        // Participants of every version see the library.
        var sentences =
            preview["edition_is_new"]?.bool == true ? [text("effect_library", ["name": editionName])] : []
        guard numbers["enrolments"] > 0 || numbers["awaiting_consent"] > 0 else {
            return sentences.isEmpty ? [text("effect_none")] : sentences
        }
        if numbers["enrolments"] > 0 {
            sentences += [
                counted("effect_enrolments", numbers["enrolments"]),
                text(
                    "effect_occasions",
                    [
                        "moved": String(numbers["moved"]), "cancelled": String(numbers["cancelled"]),
                        "added": String(numbers["added"]),
                    ]),
            ]
        }
        if numbers["open"] > 0 { sentences.append(counted("effect_open", numbers["open"])) }
        if numbers["told_before"] > 0 { sentences.append(counted("effect_told", numbers["told_before"])) }
        if numbers["awaiting_consent"] > 0 {
            sentences.append(counted("effect_consent", numbers["awaiting_consent"]))
        }
        for lost in effect["lost_arms"]?.array ?? [] {
            sentences.append(
                counted(
                    "effect_lost_arm", lost["participants"]?.int ?? 0, ["arm": lost["arm"]?.string ?? ""]))
        }
        if effect["complete"]?.bool == false {
            let compared = numbers["enrolments"] + numbers["awaiting_consent"]
            sentences.append(text("effect_part", ["count": String(compared)]))
        }
        if let through = effect["through"]?.string {
            let day = LocalTimeText(language: words.code, zone: "UTC").day(through)
            sentences.append(text("effect_through", ["date": day]))
        }
        return sentences
    }

    /// The effect by schedule and arm.
    func table(_ name: String, asOf: Instant) -> StaffTable {
        StaffTable(
            name: name, id: "effect-table", caption: text("by_schedule"),
            columns: [.init(title: text("schedule")), .init(title: words.text("staff", "arm"))]
                + ["moved", "cancelled", "added", "told_before", "open"].map {
                    .init(title: text("number_\($0)"), isNumber: true)
                },
            rows: (effect?["schedules"]?.array ?? []).map { line in
                [.text(line["schedule"]?.string ?? ""), .text(line["arm"]?.string ?? "")]
                    + ["moved", "cancelled", "added", "told_before", "open"].map {
                        .number(line["occasions"]?[$0]?.int)
                    }
            }, asOf: asOf)
    }

    // MARK: Scores

    /// The answer sheets that are scored again, one sentence for each version of a questionnaire.
    var rescoringSentences: [String] {
        let lines = preview["rescoring"]?["touches"]?.array ?? []
        guard !lines.isEmpty else { return [] }
        return lines.map { line in
            let scales = (line["changed_scales"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
            return counted(
                scales.isEmpty ? "rescored" : "rescored_scales", line["sheets"]?.int ?? 0,
                [
                    "questionnaire":
                        "\(line["questionnaire"]?.string ?? "") \(line["version"]?.string ?? "")",
                    "key": line["key_version"]?.string ?? "", "scales": scales,
                ])
        } + [text("scores_kept")]
    }

    // MARK: The warning

    /// What cannot be undone, with the numbers of participants and occasions.
    var warning: String {
        guard kind == "version" else { return text("warning_edition", ["name": name]) }
        var sentences = [text(isLive ? "warning_live" : "warning_version", ["name": name])]
        let numbers = numbers
        if numbers["enrolments"] > 0 {
            let occasions = ["moved", "cancelled", "added"].reduce(0) { $0 + numbers[$1] }
            sentences.append(
                counted("warning_follow", numbers["enrolments"], ["occasions": String(occasions)]))
            if numbers["told_before"] > 0 {
                sentences.append(counted("warning_told", numbers["told_before"]))
            }
        }
        if numbers["sheets"] > 0 { sentences.append(counted("warning_sheets", numbers["sheets"])) }
        return sentences.joined(separator: " ")
    }

    /// The numbers that are others than those that the visitor saw, one sentence each.
    func news(since seen: PublicationNumbers) -> [String] {
        numbers.differences(from: seen).map { name in
            text(
                "number_news",
                [
                    "name": text("number_\(name)"), "before": String(seen[name]),
                    "now": String(numbers[name]),
                ])
        }
    }

    private func counted(_ name: String, _ count: Int, _ values: [String: String] = [:]) -> String {
        words.counted("publish", name, count, values)
    }

    private func text(_ name: String, _ values: [String: String] = [:]) -> String {
        words.text("publish", name, values)
    }
}

extension PublicationResult {
    /// The part of the template `staff_version` that compares the preview with what happened.
    /// - Parameter further: the address of the page on which the remaining participants follow.
    func model(_ version: String, further: String, _ words: Words.Language) -> [String: Any] {
        func text(_ name: String, _ values: [String: String] = [:]) -> String {
            words.text("publish", name, values)
        }
        let edition = edition.map { String($0) } ?? ""
        var sentences = [
            kind == "edition"
                ? text("done_edition", ["edition": edition, "version": version])
                : text("done_\(kind)", ["version": version])
        ]
        if kind == "version" {
            if !edition.isEmpty { sentences.append(text("done_library", ["edition": edition])) }
            if let moved {
                sentences.append(words.counted("publish", "done_followed", moved))
            } else if happened["enrolments"] > 0 {
                sentences.append(words.counted("publish", "done_kept", happened["enrolments"]))
            }
            if isPart {
                let compared = happened["enrolments"] + happened["awaiting_consent"]
                sentences.append(text("effect_part", ["count": String(compared)]))
            }
            if isSuperseded { sentences.append(text("done_superseded")) }
            if remaining > 0 { sentences.append(words.counted("publish", "done_remaining", remaining)) }
            if happened["awaiting_consent"] > 0 {
                sentences.append(
                    words.counted("publish", "effect_consent", happened["awaiting_consent"]))
            }
            if happened["sheets"] > 0 {
                sentences.append(words.counted("publish", "done_sheets", happened["sheets"]))
            }
        }
        var model: [String: Any] = ["sentences": sentences]
        if remaining > 0 { model["further"] = further }
        guard !rows.isEmpty else { return model }
        model["comparison"] =
            [
                "is_same": differences == 0,
                "text": differences == 0
                    ? text("as_foretold") : words.counted("publish", "differs", differences),
                "rows": rows.map { row -> [String: Any] in
                    [
                        "name": text("number_\(row.name)"), "expected": String(row.expected),
                        "happened": String(row.happened),
                        "verdict": text(row.expected == row.happened ? "same" : "different"),
                    ]
                },
            ] as [String: Any]
        return model
    }
}
