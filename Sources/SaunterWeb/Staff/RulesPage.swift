import SaunterCore
import SaunterServer

/// The pages of the decision rules of one study: who was sent what, and why.
struct RulesPage: Sendable {
    private static let filters = ["participant", "outcome", "from", "to"]
    /// The kinds of records after which rules decide.
    private static let live = "enrolment answer_sheet occasion walk observation"
    /// How long the pages wait before they read the decisions that follow from a record, in milliseconds. The server
    /// decides about a second after the record. To count all decisions takes a second if there are a million.
    private static let wait = ["list": "4000", "rule": "2000"]

    let context: PageContext

    /// All rules of the live version.
    var rules: Route {
        context.get("/staff/{study}/rules", query: StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let query = try StaffQuery(request, path: StaffStudyPage.rules.address(code), filters: [])
            let list = try await request.get("\(Self.resource(code))/rules")
            let table = table(list, of: code, request.words)
            if query.isCSV { return table.csvReply }
            var frame = try await StaffFrame.study(code, .rules, request)
            frame.modules.append("refresh")
            var model = Self.model(table, query, list, "rules", request.words)
            model["is_live"] = true
            model["stream"] = StaffFrame.stream(code)
            model["wait"] = Self.wait["list"]
            model["live"] = Self.live
            return context.renderer.page(
                "staff_list", title: request.words.text("staff", "rules"), model, frame: frame, of: request)
        }
    }

    /// The decisions of one rule.
    var rule: Route {
        context.get("/staff/{study}/rules/{rule}", query: Self.filters + StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let (study, code) = (try request.path("study"), try request.path("rule"))
            let query = try StaffQuery(
                request, path: RuleView.address(code, of: study), filters: Self.filters)
            let path = Self.resource(study)
            let (list, faults) = try await query.read(request) {
                try await request.get(
                    "\(path)/rules/\(PageAddress.encodePart(code))/decisions", query: $0.ofRoute)
            }
            let decisions = list["items"]?.array ?? []
            // A count of all decisions takes longer than the rest of the page.
            let rules = try await request.get(
                "\(path)/rules", query: "rule=\(PageAddress.encode(code))&counts=false")
            let found = rules["items"]?.array?.first
            // A rule of a former version has a page while it has decisions.
            if found == nil, decisions.isEmpty, !query.isFiltered { throw Problem(.notFound) }
            let table = table(decisions, list, of: code, study, request)
            if query.isCSV { return table.csvReply }
            var frame = try await StaffFrame.study(study, nil, request)
            frame.breadcrumb.append(
                PageFrame.Link(
                    title: request.words.text("staff", "rules"), address: StaffStudyPage.rules.address(study))
            )
            frame.modules.append("refresh")
            var model = faults.model
            model["stream"] = StaffFrame.stream(study)
            model["wait"] = Self.wait["rule"]
            model["facts"] = found.map { RuleView($0, request.words).facts } ?? []
            model["is_former"] = found == nil
            model["table"] = table.model(query, request.words, faults)
            return context.renderer.page(
                "staff_rule", title: code, model, frame: frame, of: request, status: faults.status)
        }
    }

    private static func resource(_ study: String) -> String {
        "/v1/studies/\(PageAddress.encodePart(study))"
    }

    /// The model of the template `staff_list`.
    /// - Parameter what: `rules` or `variables`, the end of the names of the words.
    static func model(
        _ table: StaffTable, _ query: StaffQuery, _ list: JSON, _ what: String, _ words: Words.Language
    ) -> [String: Any] {
        var model: [String: Any] = [
            "lead": words.text("rules", "lead_\(what)"), "table": table.model(query, words),
        ]
        if let count = list["left_out"]?.int, count > 0 {
            model["left_out"] = words.text("rules", "left_out_\(what)", ["count": String(count)])
        }
        return model
    }

    private func table(_ list: JSON, of study: String, _ words: Words.Language) -> StaffTable {
        func text(_ name: String) -> String { words.text("rules", name) }
        return StaffTable(
            name: "\(study)-rules", caption: words.text("staff", "rules"),
            columns: [
                .init(title: text("rule")), .init(title: text("evaluated")), .init(title: text("condition")),
                .init(title: text("action")), .init(title: text("probability"), isNumber: true),
                .init(title: text("decisions"), isNumber: true), .init(title: text("acted"), isNumber: true),
                .init(title: text("stopped")), .init(title: text("last")),
            ],
            rows: (list["items"]?.array ?? []).map { RuleView($0, words).row(of: study) },
            asOf: list["as_of"]?.instant ?? Instant(milliseconds: 0), emptyText: text("none"))
    }

    private func table(
        _ decisions: [JSON], _ list: JSON, of rule: String, _ study: String, _ request: PageRequest
    ) -> StaffTable {
        let words = request.words
        func text(_ name: String) -> String { words.text("rules", name) }
        return StaffTable(
            // The address can contain any text; the code of a rule has only these signs.
            name:
                "\(study)-\(rule.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })",
            caption: text("decisions"),
            columns: [
                .init(title: words.text("staff", "pseudonym")), .init(title: text("decided")),
                .init(title: text("outcome")), .init(title: text("why")), .init(title: text("values")),
                .init(title: text("point")), .init(title: text("version")),
            ],
            rows: decisions.map { DecisionView($0, words).row(of: study) },
            filters: [
                .init(name: "participant", title: words.text("staff", "pseudonym")),
                .init(
                    name: "outcome", title: text("outcome"),
                    options: [("", words.text("staff", "all"))]
                        + RuleOutcome.allCases.map { ($0.rawValue, text("outcome_\($0.rawValue)")) }),
                .init(name: "from", title: text("from"), type: "date"),
                .init(name: "to", title: text("to"), type: "date"),
            ],
            asOf: list["as_of"]?.instant ?? request.call.now, next: list["next"]?.string,
            emptyText: text("no_decisions"), live: Self.live)
    }
}

/// A rule of `GET /v1/studies/{study}/rules` in words.
struct RuleView {
    private let rule: JSON
    private let words: Words.Language

    init(_ rule: JSON, _ words: Words.Language) {
        self.rule = rule
        self.words = words
    }

    /// The address of the page with the decisions.
    static func address(_ rule: String, of study: String) -> String {
        "\(StaffStudyPage.rules.address(study))/\(PageAddress.encodePart(rule))"
    }

    private var code: String { rule["rule"]?.string ?? "" }
    private var outcomes: [(outcome: String, count: Int)] {
        (rule["outcomes"]?.array ?? []).map { ($0["outcome"]?.string ?? "", $0["decisions"]?.int ?? 0) }
    }

    /// "At local times of some days (times: ["08:00"])"
    private var evaluated: String {
        let at = rule["at"]?.string ?? ""
        // The text begins with the name of the kind, which the words replace.
        var detail = visible("at_text")
        if detail.hasPrefix("\(at): ") { detail.removeFirst(at.count + 2) }
        if detail.hasPrefix("{"), detail.hasSuffix("}") { detail = String(detail.dropFirst().dropLast()) }
        let recipient = rule["recipient"]?.string == "group_admins" ? ", \(text("for_group_admins"))" : ""
        return text("at_\(at)") + recipient + (detail.isEmpty ? "" : " (\(detail))")
    }

    private var action: String {
        let kind = text("action_\(rule["action"]?.string ?? "")")
        let code = visible("action_code")
        return code.isEmpty ? kind : "\(kind): \(code)"
    }

    /// How many decisions did something.
    private var acted: Int {
        outcomes.filter { RuleOutcome(rawValue: $0.outcome)?.isAction == true }.reduce(0) { $0 + $1.count }
    }

    /// What stopped the others, with counts.
    private var stopped: String {
        outcomes.filter { RuleOutcome(rawValue: $0.outcome)?.isAction != true }.map {
            "\(words["rules", "outcome_\($0.outcome)"] ?? $0.outcome): \($0.count)"
        }.joined(separator: ", ")
    }

    func row(of study: String) -> [StaffTable.Cell] {
        [
            .link(code, address: Self.address(code, of: study)), .text(evaluated), .text(visible("when")),
            .text(action), .decimal(rule["probability"]?.double), .number(rule["decisions"]?.int),
            .number(acted), .text(stopped), .moment(rule["last_decided_at"]?.instant),
        ]
    }

    /// The head of the page of the rule.
    var facts: [[String: String]] {
        let logged = rule["logs_all"]?.bool == true || rule["probability"]?.double != nil
        let all: [(String, String)] = [
            ("evaluated", evaluated), ("condition", visible("when")), ("action", action),
            ("probability", rule["probability"]?.double.map { DecisionView.number($0, words) } ?? ""),
            ("stored", text(logged ? "stores_all" : "stores_acts")),
        ]
        return all.filter { !$0.1.isEmpty }.map { ["title": text($0.0), "text": $0.1] }
    }

    /// A text; the word for a hidden one, and empty for none.
    private func visible(_ member: String) -> String {
        let isHidden = (rule["hidden"]?.array ?? []).contains { $0.string == "/\(member)" }
        return isHidden ? text("hidden") : rule[member]?.string ?? ""
    }

    private func text(_ name: String) -> String { words.text("rules", name) }
}
