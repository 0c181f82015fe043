import SaunterCore
import SaunterServer

/// The page that shows a study team one answer sheet.
struct StaffSheetPage: Sendable {
    let context: PageContext

    var sheet: Route {
        context.get("/staff/{study}/participants/{participant}/sheets/{sheet}", query: ["revision"]) {
            request in
            _ = try request.requireIdentity()
            let (study, code) = (try request.path("study"), try request.path("participant"))
            let id = PageAddress.encodePart(try request.path("sheet"))
            let path = "\(ParticipantPage.resource(code, of: study))/answer-sheets/\(id)"
            let revision = request.call.query("revision") ?? ""
            let shown = try await request.get(
                path, query: revision.isEmpty ? nil : "revision=\(PageAddress.encode(revision))")
            let isCurrent = shown["current"]?.bool ?? true
            let newest = isCurrent ? shown : try await request.get(path)
            var frame = try await StaffFrame.study(study, nil, request)
            frame.breadcrumb += [
                ParticipantPage.list(of: study, request),
                PageFrame.Link(title: code, address: ParticipantPage.address(code, of: study)),
            ]
            let view = StaffSheetView(shown, newest: newest, request.words, now: request.call.now)
            let address = "\(ParticipantPage.address(code, of: study))/sheets/\(id)"
            return context.renderer.page(
                "staff_sheet", title: view.title, view.model(address), frame: frame, of: request)
        }
    }
}

/// The response of `GET …/answer-sheets/{sheet_id}` for researchers, in words.
struct StaffSheetView {
    private let sheet: JSON
    /// The newest revision, with which an earlier one is compared.
    private let newest: JSON
    private let words: Words.Language
    private let now: Instant
    private let time: LocalTimeText
    private let zone: Zone

    init(_ sheet: JSON, newest: JSON, _ words: Words.Language, now: Instant) {
        self.sheet = sheet
        self.newest = newest
        self.words = words
        self.now = now
        zone = Zone(sheet["time_zone"]?.string ?? "") ?? .utc
        time = LocalTimeText(language: words.code, zone: zone.id)
    }

    var title: String { sheet["form"]?["title"]?.string ?? sheet["questionnaire"]?.string ?? "" }
    private var isCurrent: Bool { sheet["current"]?.bool ?? true }
    private var revision: Int { sheet["revision"]?.int ?? 1 }

    func model(_ address: String) -> [String: Any] {
        var model: [String: Any] = [
            "facts": facts, "flags": (sheet["flags"]?.array ?? []).compactMap(\.string),
            "has_flags": !(sheet["flags"]?.array ?? []).isEmpty, "answers": answers,
            "has_answers": !answers.isEmpty, "scores": scores, "has_scores": !scores.isEmpty,
            "compared": !isCurrent, "has_revisions": (sheet["revisions"]?.array?.count ?? 0) > 1,
            "has_timings": !(sheet["timings"]?.isNull ?? true), "revisions": revisions(address),
            "zone": words.text("participant", "zone_note", ["zone": zone.id]),
            "this_revision": say("revision", ["number": String(revision)]),
            "newest_revision": say("newest", ["number": String(newest["revision"]?.int ?? revision)]),
        ]
        if let deleted = sheet["deleted_at"]?.instant {
            model["deleted"] = say("deleted", ["time": time.dayAndTime(deleted, now: now)])
        }
        if !isCurrent { model["newest"] = address }
        return model
    }

    private var facts: [[String: String]] {
        let standing = sheet["standing"]?.string ?? ""
        var rows = [
            fact("completed", moment("completed_at")), fact("started", moment("started_at")),
            fact("received", moment("received_at")),
            fact("standing", words["timeline", "state_\(standing)"] ?? standing),
        ]
        if let late = sheet["late_s"]?.int {
            rows.append(
                fact("late", words.text("timeline", "late_by", ["minutes": String(late / 60)])))
        }
        rows += [
            fact("version", "\(sheet["questionnaire"]?.string ?? "") \(sheet["version"]?.string ?? "")"),
            fact("study_version", sheet["study_version"]?.string ?? ""),
            fact("language", LanguageName.text(sheet["language"]?.string ?? "", in: words.code)),
            fact("source", sheet["source"]?.string ?? ""),
        ]
        if let device = sheet["device"]?.object {
            let parts = device.map { "\($0.name): \($0.value.string ?? $0.value.text)" }
            rows.append(fact("device", parts.joined(separator: "\n")))
        }
        return rows
    }

    private var scores: [[String: Any]] {
        (sheet["scores"]?.array ?? []).map { score in
            let reason = score["reason"]?.string.map { words["sheet", "reason_\($0)"] ?? $0 }
            let key =
                "\(score["key_version"]?.string ?? "") (\((score["key_digest"]?.string ?? "").prefix(8)))"
            return [
                "label": score["label"]?.string ?? "",
                "value": score["value"]?.double.map { words.number($0) } ?? reason ?? "–",
                "band": score["band_label"]?.string ?? score["band"]?.string ?? "",
                "items": say(
                    "items_of",
                    [
                        "answered": String(score["answered"]?.int ?? 0),
                        "items": String(score["items"]?.int ?? 0),
                    ]),
                "key": key, "computed": score["computed_at"]?.instant.map { time.dayAndTime($0) } ?? "",
                "state": say(score["newest"]?.bool ?? false ? "newest_key" : "earlier_key"),
            ]
        }
    }

    /// The answers in words; beside an earlier revision, those of the newest one.
    private var answers: [[String: Any]] {
        let rows = summary(sheet)
        guard !isCurrent else { return rows.map { row($0, beside: nil) } }
        let others = Dictionary(
            summary(newest).map { ($0["item"] as? String ?? "", $0) }, uniquingKeysWith: { first, _ in first }
        )
        let shown = rows.map { row($0, beside: others[$0["item"] as? String ?? ""] ?? [:]) }
        // Questions that only the newest revision answers follow.
        let items = Set(rows.compactMap { $0["item"] as? String })
        let added = summary(newest).filter { !items.contains($0["item"] as? String ?? "") }.map { other in
            row(other.merging(["answer": "–", "blank": true]) { $1 }, beside: other)
        }
        return shown + added
    }

    private func summary(_ sheet: JSON) -> [[String: Any]] {
        guard sheet["deleted_at"]?.string == nil else { return [] }
        return AnswerSummary(
            sheet["form"]?["item"]?.array ?? [], words: words, zone: zone, now: now, blanks: "staff_blank"
        ).rows(sheet["answers"]?.object ?? [:], sheet["reasons"]?.object ?? [:])
    }

    private func row(_ row: [String: Any], beside other: [String: Any]?) -> [String: Any] {
        let item = row["item"] as? String ?? ""
        var model: [String: Any] = [
            "item": item, "question": row["question"] ?? "", "answer": row["answer"] ?? "",
            "blank": row["blank"] as? Bool ?? false,
            "timing": sheet["timings"]?[item]?.double.map {
                say("seconds", ["count": words.number($0 / 1000)])
            }
                ?? "",
        ]
        if let other {
            let text = other["answer"] as? String ?? "–"
            model["other"] = ["answer": text, "changed": text != row["answer"] as? String]
        }
        return model
    }

    private func revisions(_ address: String) -> [[String: Any]] {
        (sheet["revisions"]?.array ?? []).map { entry in
            let number = entry["revision"]?.int ?? 1
            return [
                "title": say("revision", ["number": String(number)]), "shown": number == revision,
                "address": "\(address)?revision=\(number)",
                "time": entry["made_at"]?.instant.map { time.dayAndTime($0, now: now) } ?? "",
                "reason": entry["reason"]?.string ?? "",
            ]
        }
    }

    private func moment(_ member: String) -> String {
        sheet[member]?.instant.map { time.dayAndTime($0, now: now) } ?? "–"
    }

    private func fact(_ word: String, _ text: String) -> [String: String] {
        ["title": say(word), "text": text]
    }

    private func say(_ name: String, _ values: [String: String] = [:]) -> String {
        words.text("sheet", name, values)
    }
}
