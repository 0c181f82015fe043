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
            let known = MessageList.titles(overview)
            let days = days(items, questionnaires, known, participant, request, date: date)
            var model: [String: Any] = [
                "days": days, "has_days": !days.isEmpty,
                "time_zone": participant.enrolment["time_zone"]?.string ?? "",
                "deleted": request.call.query("deleted") != nil,
            ]
            // Practices are many. They are chosen by their programme.
            let listed = overview["items"]?.array ?? []
            let hasPractices = listed.contains { $0["practice"]?.bool == true }
            let programmes = hasPractices ? try await programmes(participant, request) : []
            let titles = listed.filter {
                $0["practice"]?.bool != true || $0["questionnaire"]?.string == wanted
            }.map {
                (
                    code: $0["questionnaire"]?.string ?? "", title: $0["title"]?.string ?? "",
                    isOpen: $0["disabled"]?.bool == false && $0["locked"]?.bool != true
                )
            }
            let base = "\(participant.home)/entries"
            model["has_filter"] = titles.count + programmes.count > 1
            model["filters"] =
                [["title": request.words.text("entries", "all"), "address": base, "current": wanted.isEmpty]]
                + titles.map {
                    [
                        "title": $0.title, "address": "\(base)?questionnaire=\($0.code)",
                        "current": $0.code == wanted,
                    ] as [String: Any]
                } + programmes
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
        let first = try await form(of: questionnaire, participant, request)?["item"]?.array?.first
        return first?["type"]?.string == "date" ? first?["linkId"]?.string : nil
    }

    /// The programmes in which the participant has entries, as further filters. Those that have left the list are last.
    private func programmes(
        _ participant: Participant, _ request: PageRequest
    ) async throws -> [[String: Any]] {
        let resource = "\(participant.resource)/programmes"
        let items = try await request.get(resource)["items"]?.array ?? []
        var found = items.filter { ($0["done"]?.int ?? 0) > 0 }.map {
            (code: $0["programme"]?.string ?? "", title: $0["title"]?.string ?? "")
        }
        for programme in try await context.server.withdrawnProgrammes(of: participant.id) {
            let path = "\(resource)/\(PageAddress.encodePart(programme.code))/entries"
            let entries = try await request.get(path, query: "limit=1")["items"]?.array ?? []
            if !entries.isEmpty { found.append(programme) }
        }
        let model = ProgrammeModel(participant, words: request.words, now: request.call.now)
        return found.map {
            ["title": $0.title, "address": "\(model.address(of: $0.code))/entries", "current": false]
        }
    }

    /// Code -> structure. A questionnaire that the study has no longer, or that is locked, is absent: its sheets are
    /// listed without answers.
    private func questionnaires(
        of items: [JSON], _ participant: Participant, _ request: PageRequest
    ) async throws -> [String: JSON] {
        var found: [String: JSON] = [:]
        for code in Set(items.compactMap { $0["questionnaire"]?.string }) {
            found[code] = try await form(of: code, participant, request)
        }
        return found
    }

    /// The questionnaire in the version that the participant follows; nil if a later version of the study no longer has
    /// it. The list shows what was answered, so it also needs the labels of locked ones.
    private func form(
        of questionnaire: String, _ participant: Participant, _ request: PageRequest
    ) async throws -> JSON? {
        do {
            return try await request.get(
                "\(participant.resource)/questionnaires/\(PageAddress.encodePart(questionnaire))")
        } catch let problem as Problem where problem.type == .entitlementRequired {
            return try await context.server.questionnaireForm(
                questionnaire, version: "", of: participant.id, at: request.call.now
            ).structure
        } catch let problem as Problem where problem.type == .notFound {
            return nil
        }
    }

    private func days(
        _ items: [JSON], _ questionnaires: [String: JSON], _ titles: [String: String],
        _ participant: Participant, _ request: PageRequest, date item: String?
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
                "title": questionnaire["title"]?.string ?? titles[code] ?? code,
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
