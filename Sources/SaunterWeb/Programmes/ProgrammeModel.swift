import SaunterCore

/// Programmes and their practices as pages show them. A template looks for a key that is absent in the model around it,
/// so every key is present.
struct ProgrammeModel {
    private let participant: Participant
    private let words: Words.Language
    private let now: Instant
    private let time: LocalTimeText

    init(_ participant: Participant, words: Words.Language, now: Instant) {
        self.participant = participant
        self.words = words
        self.now = now
        time = participant.time(words)
    }

    /// The address of the plans, where a participant reads how to open what is locked.
    private var plans: String { "\(participant.home)/plans" }

    /// The address of a programme's page.
    func address(of programme: String) -> String {
        "\(participant.home)/programmes/\(PageAddress.encodePart(programme))"
    }

    /// The address at which a practice is done.
    func address(ofPractice questionnaire: String) -> String {
        "\(participant.home)/q/\(PageAddress.encodePart(questionnaire))"
    }

    // MARK: - Lists

    /// A programme in the list.
    /// - Parameter programme: an item of `GET …/programmes`.
    func card(_ programme: JSON) -> [String: Any] {
        let code = programme["programme"]?.string ?? ""
        var card = progress(of: programme)
        card["code"] = code
        card["title"] = programme["title"]?.string ?? code
        card["subtitle"] = programme["subtitle"]?.string ?? false
        card["authors"] = authors(programme) ?? false
        card["picture"] = picture(programme) ?? false
        card["address"] = address(of: code)
        card["locked"] = programme["locked"]?.bool == true
        return card
    }

    /// What is recommended, with the reason in words.
    /// - Parameters:
    ///   - item: an item of `GET …/recommendations`.
    ///   - programmes: the items of `GET …/programmes`.
    func recommendation(_ item: JSON, programmes: [JSON]) -> [String: Any] {
        let code = item["code"]?.string ?? ""
        let isProgramme = item["kind"]?.string == "programme"
        let isLocked = item["locked"]?.bool == true
        let programme = isProgramme ? programmes.first { $0["programme"]?.string == code } : nil
        var card: [String: Any] = [
            "code": code, "title": item["title"]?.string ?? code,
            "subtitle": programme?["subtitle"]?.string ?? false,
            "kind": words.text("programmes", isProgramme ? "programme" : "practice"),
            "reason": words.text("programmes", item["why"]?.string == "table" ? "why_all" : "why_answers"),
            "why": item["why"]?.string ?? "", "rank": item["rank"]?.int ?? 0, "locked": isLocked,
            "address": isProgramme ? address(of: code) : isLocked ? plans : address(ofPractice: code),
        ]
        card["picture"] = programme.flatMap { picture($0) } ?? false
        return card
    }

    /// "2 of 4 done", as text and as numbers.
    private func progress(of programme: JSON) -> [String: Any] {
        let (done, count) = (programme["done"]?.int ?? 0, Self.count(of: programme))
        return [
            "done": done, "count": max(count, 1),
            "state": done >= count && count > 0
                ? words.text("programmes", "all_done", ["count": String(count)])
                : words.text("programmes", "done_of", ["done": String(done), "count": String(count)]),
        ]
    }

    /// The number of modules. The list has the number, the page of one programme has the modules.
    private static func count(of programme: JSON) -> Int {
        programme["modules"]?.int ?? programme["modules"]?.array?.count ?? 0
    }

    private func authors(_ programme: JSON) -> String? {
        let names = (programme["authors"]?.array ?? []).compactMap(\.string)
        return names.isEmpty ? nil : words.text("programmes", "by", ["names": names.joined(separator: ", ")])
    }

    /// A picture repeats what the title says, unless the study describes it.
    private func picture(_ programme: JSON) -> [String: String]? {
        guard let picture = programme["picture"], let url = picture["url"]?.string else { return nil }
        return ["url": url, "alt": picture["alt"]?.string ?? ""]
    }

    // MARK: - One programme

    /// The page of a programme.
    /// - Parameter programme: the response of `GET …/programmes/{programme}`.
    func page(_ programme: JSON) -> [String: Any] {
        let modules = programme["modules"]?.array ?? []
        let next = Self.next(after: nil, in: modules)?["questionnaire"]?.string
        let code = programme["programme"]?.string ?? ""
        let isLocked = modules.contains { $0["locked"]?.bool == true }
        return [
            "cover": picture(programme) ?? false, "lead": programme["subtitle"]?.string ?? false,
            "by": authors(programme) ?? false,
            "introduction_html": programme["introduction"]?.string.map { Markdown.html($0) } ?? false,
            "progress": modules.isEmpty ? false : progress(of: programme), "home": participant.home,
            "has_practices": !modules.isEmpty,
            "practices": modules.map { practice($0, isNext: $0["questionnaire"]?.string == next) },
            "entries": modules.contains { ($0["times"]?.int ?? 0) > 0 }
                ? "\(address(of: code))/entries" : false,
            "plans": isLocked ? plans : false, "time_zone": participant.zone.id,
        ]
    }

    /// A practice in the list of its programme.
    private func practice(_ module: JSON, isNext: Bool) -> [String: Any] {
        let code = module["questionnaire"]?.string ?? ""
        let isDone = module["done"]?.bool == true
        let isLocked = module["locked"]?.bool == true
        let address = participant.isActive && !isLocked ? self.address(ofPractice: code) : nil
        return [
            "code": code, "title": module["topic"]?.string ?? code, "address": address ?? false,
            "size": size(of: module), "is_done": isDone, "state": isDone ? doneText(module) : "",
            "rating": rating(module) ?? false, "locked": isLocked, "is_next": isNext,
            "action": words.text("programmes", isDone ? "again" : "start"),
        ]
    }

    /// "about 5 minutes · 4 exercises".
    private func size(of module: JSON) -> String {
        let exercises = module["exercises"]?.int ?? 0
        return [
            module["minutes"]?.double.map {
                words.text("today", "minutes", ["minutes": words.number($0)])
            },
            exercises == 0
                ? nil
                : words.text(
                    "programmes", exercises == 1 ? "exercises_one" : "exercises_other",
                    ["count": String(exercises)]),
        ].compactMap(\.self).joined(separator: " · ")
    }

    /// "Done on Saturday 21 November · 3 times".
    private func doneText(_ module: JSON) -> String {
        let times = module["times"]?.int ?? 1
        return [
            module["last_at"]?.instant.map {
                words.text("programmes", "done_on", ["day": time.day(zone(of: $0), now: now)])
            } ?? words.text("programmes", "done"),
            times > 1 ? words.text("programmes", "times", ["count": String(times)]) : nil,
        ].compactMap(\.self).joined(separator: " · ")
    }

    /// The participant's local date of an instant, such as `2026-11-21`.
    private func zone(of instant: Instant) -> String {
        participant.zone.local(of: instant).date.description
    }

    /// "Your rating: 4". Nil if the participant has not rated the practice.
    private func rating(_ module: JSON) -> String? {
        guard let rating = module["rating"], !rating.isNull else { return nil }
        let value = rating.string ?? rating.double.map { words.number($0) } ?? rating.text
        return words.text("programmes", "rating", ["value": value])
    }

    /// The practice to do next: the first one after `code` that is neither done nor locked, otherwise the first such
    /// one of all; nil if there is none.
    /// - Parameters:
    ///   - code: the practice that was just done; nil for none.
    ///   - modules: the member `modules` of a programme.
    static func next(after code: String?, in modules: [JSON]) -> JSON? {
        let position = code.flatMap { code in modules.firstIndex { $0["questionnaire"]?.string == code } }
        let isOpen = { (module: JSON) in
            module["done"]?.bool != true && module["locked"]?.bool != true
                && module["questionnaire"]?.string != code
        }
        return position.flatMap { modules[($0 + 1)...].first(where: isOpen) } ?? modules.first(where: isOpen)
    }

    // MARK: - Entries

    /// The entries of a programme by practice. The practice with the newest entry comes first.
    /// - Parameters:
    ///   - items: the items of `GET …/programmes/{programme}/entries`, the newest first.
    ///   - edits: questionnaire -> the member `edit` of its structure; absent if the participant cannot read it now.
    func entries(_ items: [JSON], edits: [String: JSON]) -> [[String: Any]] {
        var order: [String] = []
        var byPractice: [String: [JSON]] = [:]
        for item in items {
            let code = item["questionnaire"]?.string ?? ""
            if byPractice[code] == nil { order.append(code) }
            byPractice[code, default: []].append(item)
        }
        return order.map { code in
            let own = byPractice[code] ?? []
            return [
                "code": code, "title": own.first?["topic"]?.string ?? code,
                "entries": own.map { entry($0, edit: edits[code]) },
            ]
        }
    }

    /// An answer in words: as it was read, and what depends on the language in that of the page.
    private func text(of answer: JSON) -> String {
        let item: JSON = ["type": answer["type"] ?? "text"]
        let isMoment = [.date, .instant, .time].contains(item.itemType.definition.column)
        if let display = answer["display"]?.string, !isMoment { return display }
        return AnswerSummary([], words: words, zone: participant.zone, now: now)
            .text(of: answer["value"] ?? .null, item)
    }

    private func entry(_ item: JSON, edit: JSON?) -> [String: Any] {
        let id = PageAddress.encodePart(item["sheet_id"]?.string ?? "")
        let address = "\(participant.home)/sheets/\(id)"
        let completed = item["completed_at"]?.instant
        let answers = (item["answers"]?.array ?? []).map { answer -> [String: Any] in
            [
                "question": answer["text"]?.string ?? answer["link_id"]?.string ?? "",
                "answer": text(of: answer),
            ]
        }
        let permission = SheetPermission(edit, from: completed, isActive: participant.isActive, now: now)
        return [
            "address": address, "answers": answers, "has_answers": !answers.isEmpty,
            "when": item["local_date"]?.string.map { time.day($0, now: now) } ?? "",
            "at": completed.map { time.time($0) } ?? "",
            "may_edit": permission.mayEdit && !answers.isEmpty, "may_delete": permission.mayDelete,
        ]
    }
}
