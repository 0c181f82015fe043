import SaunterCore
import SaunterServer

/// The participant's own sheets, by local date, the newest first.
struct EntriesPage: Sendable {
    let context: PageContext

    var entries: Route {
        context.get("/my/{id}/entries", query: ["questionnaire", "cursor", "deleted"]) { request in
            var request = request
            let participant = try await request.participant()
            let wanted = request.call.query("questionnaire") ?? ""
            let date = try await date(of: wanted, participant, request)
            var query = "limit=50&order=" + (date.map { "item:\(PageAddress.encode($0))" } ?? "completed")
            if !wanted.isEmpty { query += "&questionnaire=\(PageAddress.encode(wanted))" }
            if let cursor = request.call.query("cursor") { query += "&cursor=\(PageAddress.encode(cursor))" }
            let page = try await request.get("\(participant.resource)/answer-sheets", query: query)
            let overview = try await request.get("\(participant.resource)/overview")
            // Sheets with settings are not entries. They have their own page.
            let settings = try await request.get("\(participant.resource)/settings")["items"]?.array ?? []
            let settingCodes = Set(settings.compactMap { $0["questionnaire"]?.string })
            let items = (page["items"]?.array ?? []).filter {
                !settingCodes.contains($0["questionnaire"]?.string ?? "")
            }
            let questionnaires = try await questionnaires(of: items, participant, request)
            let days = days(items, questionnaires, participant, request, date: date)
            var model: [String: Any] = [
                "days": days, "has_days": !days.isEmpty,
                "time_zone": participant.enrolment["time_zone"]?.string ?? "",
                "deleted": request.call.query("deleted") != nil,
            ]
            let titles = (overview["items"]?.array ?? []).map {
                (
                    code: $0["questionnaire"]?.string ?? "", title: $0["title"]?.string ?? "",
                    isOpen: $0["disabled"]?.bool == false && $0["locked"]?.bool != true
                )
            }
            let base = "\(participant.home)/entries"
            model["has_filter"] = titles.count > 1
            model["filters"] =
                [["title": request.words.text("entries", "all"), "address": base, "current": wanted.isEmpty]]
                + titles.map {
                    [
                        "title": $0.title, "address": "\(base)?questionnaire=\($0.code)",
                        "current": $0.code == wanted,
                    ] as [String: Any]
                }
            let open = titles.filter { $0.isOpen && (wanted.isEmpty || wanted == $0.code) }
            model["has_add"] = !open.isEmpty
            model["add"] = open.map {
                [
                    "title": wanted.isEmpty
                        ? request.words.text("entries", "add_of", ["title": $0.title])
                        : request.words.text("entries", "add"),
                    "address": "\(participant.home)/q/\($0.code)",
                ]
            }
            if let next = page["next"]?.string {
                model["next"] =
                    "\(base)?cursor=\(PageAddress.encode(next))"
                    + (wanted.isEmpty ? "" : "&questionnaire=\(wanted)")
            }
            let path = wanted.isEmpty ? "/entries" : "/entries?questionnaire=\(wanted)"
            let title =
                participant.features.first { $0.path == path }?.title
                ?? titles.first { $0.code == wanted }?.title
            return context.renderer.page(
                "entries", title: title ?? request.words.text("entries", "title"), model,
                frame: participant.frame(request.words, current: path, modules: ["today"]), of: request)
        }
    }

    /// The first item of a questionnaire if it asks for a date: its entries are listed by that date. Nil otherwise.
    private func date(
        of questionnaire: String, _ participant: Participant, _ request: PageRequest
    ) async throws -> String? {
        guard !questionnaire.isEmpty else { return nil }
        let form = try await form(of: questionnaire, participant, request)
        let first = form["item"]?.array?.first
        return first?["type"]?.string == "date" ? first?["linkId"]?.string : nil
    }

    private func questionnaires(
        of items: [JSON], _ participant: Participant, _ request: PageRequest
    ) async throws -> [String: JSON] {
        var found: [String: JSON] = [:]
        for code in Set(items.compactMap { $0["questionnaire"]?.string }) {
            do {
                found[code] = try await form(of: code, participant, request)
            } catch let problem as Problem where problem.type == .notFound {
                // A later version of the study no longer has it. The sheet is listed under its code.
                continue
            }
        }
        return found
    }

    /// The questionnaire in the version that the participant follows. The list shows what was answered, so it also
    /// needs the labels of locked ones.
    private func form(
        of questionnaire: String, _ participant: Participant, _ request: PageRequest
    ) async throws -> JSON {
        do {
            return try await request.get(
                "\(participant.resource)/questionnaires/\(PageAddress.encodePart(questionnaire))")
        } catch let problem as Problem where problem.type == .entitlementRequired {
            return try await context.server.questionnaireForm(
                questionnaire, version: "", of: participant.id, at: request.call.now
            ).structure
        }
    }

    private func days(
        _ items: [JSON], _ questionnaires: [String: JSON], _ participant: Participant, _ request: PageRequest,
        date item: String?
    ) -> [[String: Any]] {
        let time = participant.time(request.words)
        var order: [String] = []
        var byDay: [String: [[String: Any]]] = [:]
        for sheet in items {
            let answered = item.flatMap { sheet["answers"]?[$0]?.string }
            let date = answered ?? sheet["local_date"]?.string ?? ""
            if byDay[date] == nil { order.append(date) }
            let code = sheet["questionnaire"]?.string ?? ""
            let questionnaire = questionnaires[code] ?? .null
            var entry: [String: Any] = [
                "title": questionnaire["title"]?.string ?? code,
                "address": "\(participant.home)/sheets/\(sheet["sheet_id"]?.string ?? "")",
                "time": sheet["completed_at"]?.instant.map { time.time($0) } ?? "",
            ]
            entry["line"] = line(sheet, questionnaire, participant, request)
            byDay[date, default: []].append(entry)
        }
        return order.map { ["day": time.day($0, now: request.call.now), "entries": byDay[$0] ?? []] }
    }

    /// The first answers of a sheet in one line, without blanks.
    private func line(
        _ sheet: JSON, _ questionnaire: JSON, _ participant: Participant, _ request: PageRequest
    ) -> String? {
        let rows = AnswerSummary(
            questionnaire["item"]?.array ?? [], words: request.words, zone: participant.zone,
            now: request.call.now
        ).rows(sheet["answers"]?.object ?? [:], sheet["reasons"]?.object ?? [:])
        let answers = rows.filter { $0["blank"] as? Bool != true }.prefix(3).compactMap {
            $0["answer"] as? String
        }
        return answers.isEmpty ? nil : String(answers.joined(separator: " · ").prefix(140))
    }
}
