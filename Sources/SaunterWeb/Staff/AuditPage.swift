import SaunterCore
import SaunterServer

/// The page that shows who did what in a study, and when.
struct AuditPage: Sendable {
    private static let filters = ["action", "actor", "from", "to"]
    /// The kinds of actors in the order of the filter.
    private static let kinds = ["account", "participant", "anyone", "system"]

    let context: PageContext

    var audit: Route {
        context.get("/staff/{study}/audit", query: Self.filters + StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let path = "/v1/studies/\(PageAddress.encodePart(code))"
            let query = try StaffQuery(
                request, path: StaffStudyPage.audit.address(code), filters: Self.filters)
            let list = try await request.get("\(path)/audit", query: query.ofRoute)
            let table = table(list, of: code, query, request)
            if query.isCSV { return table.csvReply }
            return context.renderer.page(
                "staff_audit", title: request.words.text("staff", "audit"),
                ["table": table.model(query, request.words)],
                frame: try await StaffFrame.study(code, .audit, request), of: request)
        }
    }

    private func table(_ list: JSON, of study: String, _ query: StaffQuery, _ request: PageRequest)
        -> StaffTable
    {
        let words = request.words
        func text(_ name: String) -> String { words.text("audit", name) }
        let accounts = (list["accounts"]?.array ?? []).compactMap { account in
            account["actor_ref"]?.string.map { ($0, account["actor_name"]?.string ?? $0) }
        }
        return StaffTable(
            name: "\(study)-audit", caption: request.words.text("staff", "audit"),
            columns: [
                .init(title: text("action")), .init(title: text("time")), .init(title: text("actor")),
                .init(title: text("detail")), .init(title: text("participant")),
                .init(title: text("request")),
            ],
            rows: (list["items"]?.array ?? []).map { entry in
                row(AuditEntryView(entry, words), query.path)
            },
            filters: [
                .init(name: "action", title: text("action"), options: actions(query["action"], words)),
                .init(name: "actor", title: text("actor"), options: actors(accounts, query["actor"], words)),
                .init(name: "from", title: text("from"), type: "date"),
                .init(name: "to", title: text("to"), type: "date"),
            ],
            asOf: list["as_of"]?.instant ?? request.call.now, next: list["next"]?.string,
            emptyText: text("none"))
    }

    private func row(_ entry: AuditEntryView, _ page: String) -> [StaffTable.Cell] {
        [
            .text(entry.action), .moment(entry.recordedAt),
            entry.actorRef.map {
                .link(entry.actor, address: "\(page)?actor=\(PageAddress.encode($0))")
            } ?? .text(entry.actor), .text(entry.detail), .text(entry.enrolment), .text(entry.request),
        ]
    }

    /// The actions that belong to a study, sorted by their words. An unknown action of the address stays selectable.
    private func actions(_ current: String, _ words: Words.Language) -> [(value: String, title: String)] {
        var known = (words.texts["audit_action"] ?? [:]).map { (value: $0.key, title: $0.value) }
        if !current.isEmpty, !known.contains(where: { $0.value == current }) {
            known.append((current, AuditEntryView.action(current, words)))
        }
        return [("", words.text("audit", "all_actions"))] + known.sorted { $0.title < $1.title }
    }

    /// The kinds of actors, then the accounts with a role in the study.
    private func actors(
        _ accounts: [(ref: String, name: String)], _ current: String, _ words: Words.Language
    ) -> [(value: String, title: String)] {
        var options = [("", words.text("audit", "all_actors"))]
        options += Self.kinds.map { ($0, words.text("audit", "actor_\($0)")) }
        options += accounts.map { ($0.ref, $0.name) }
        if !current.isEmpty, !options.contains(where: { $0.0 == current }) {
            options.append((current, AuditEntryView.account(current, words)))
        }
        return options.map { (value: $0.0, title: $0.1) }
    }
}

/// An entry of `GET /v1/studies/{study}/audit` in words.
struct AuditEntryView {
    /// The number of digits of a digest that the page shows.
    private static let shortLength = 8

    private let entry: JSON
    private let words: Words.Language

    init(_ entry: JSON, _ words: Words.Language) {
        self.entry = entry
        self.words = words
    }

    /// What happened. An action without words is named by its code.
    var action: String { Self.action(entry["action"]?.string ?? "", words) }
    var recordedAt: Instant? { entry["recorded_at"]?.instant }
    /// The digest of the account; nil for all other actors.
    var actorRef: String? { entry["actor_ref"]?.string }
    /// The beginning of the digest of the participant's enrolment; empty if the action concerns none.
    var enrolment: String { String((entry["enrolment_ref"]?.string ?? "").prefix(Self.shortLength)) }
    /// The id of the request; empty for actions of the server.
    var request: String { entry["request_id"]?.string ?? "" }

    /// The name of the account, or what kind of actor it was.
    var actor: String {
        if let name = entry["actor_name"]?.string { return name }
        if let actorRef { return Self.account(actorRef, words) }
        return words.text("audit", "actor_\(entry["actor_kind"]?.string ?? "")")
    }

    /// "route: GET /v1/studies/{study}/participants · scope: study"
    var detail: String {
        (entry["detail"]?.object ?? [:]).filter { !$0.value.isNull }.map { member in
            "\(member.name): \(Self.text(member.value))"
        }.joined(separator: " · ")
    }

    /// A value in one line: `(formats: xlsx, stata; profile: coded)`. Its spaces let a narrow column wrap it.
    private static func text(_ value: JSON) -> String {
        if let list = value.array { return list.map(text).joined(separator: ", ") }
        guard let members = value.object else { return value.string ?? value.text }
        let parts = members.filter { !$0.value.isNull }.map { "\($0.name): \(text($0.value))" }
        return "(\(parts.joined(separator: "; ")))"
    }

    /// An action in words; its code if there are none.
    static func action(_ code: String, _ words: Words.Language) -> String {
        words["audit_action", code] ?? words["audit_server_action", code] ?? code
    }

    /// An account without a role in the study.
    static func account(_ ref: String, _ words: Words.Language) -> String {
        words.text("audit", "former_account", ["digest": String(ref.prefix(shortLength))])
    }
}
