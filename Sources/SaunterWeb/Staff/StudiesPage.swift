import HTTPTypes
import SaunterCore
import SaunterServer
import SaunterStore

/// The page that shows the studies of a visitor with their numbers.
struct StudiesPage: Sendable {
    private static let path = "/v1/staff/studies"
    private static let filters = ["q", "state"]

    let context: PageContext

    /// All studies of the visitor, those that need attention first.
    var studies: Route {
        context.get("/staff", query: Self.filters + StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let query = try StaffQuery(request, path: "/staff", filters: Self.filters)
            return try await page(query, FormFaults(request.words), request)
        }
    }

    /// Creates a study, and leads to its draft.
    var create: Route {
        context.post("/staff") { request in
            try await FormAgain.keep(request, context.renderer) { try await created(request) }
        }
    }

    private func created(_ request: PageRequest) async throws -> Reply {
        let identity = try request.requireIdentity()
        guard Self.creates(identity) else { throw Problem(.notPermitted) }
        let form = NewStudyForm(request)
        var faults = form.faults(request.words)
        if faults.isEmpty {
            do {
                try await request.send(.post, Self.path, form.body)
                return PageRenderer.redirect("\(DraftAddress(study: form.code).page)?notice=created")
            } catch let problem as Problem where problem.type.status == 409 {
                faults.add(request.words.text("new_study", "fault_taken"), field: "study")
            } catch let problem as Problem where problem.type.status == 422 {
                form.add(problem, to: &faults, request.words)
            }
        }
        let query = StaffQuery(path: "/staff", filters: Self.filters, values: [:])
        return try await page(query, faults, request, form)
    }

    /// Whether the visitor may create a study.
    private static func creates(_ identity: Identity) -> Bool { identity.has(.editor) }

    /// - Parameter form: what was sent; nil for an empty form.
    private func page(
        _ query: StaffQuery, _ faults: FormFaults, _ request: PageRequest, _ form: NewStudyForm? = nil
    ) async throws -> Reply {
        let identity = try request.requireIdentity()
        let title = request.words.text("staff", "title")
        let frame = StaffFrame.general("title", request)
        // The route is open to accounts with a role only.
        guard !identity.grants.isEmpty else {
            return context.renderer.page("staff", title: title, frame: frame, of: request)
        }
        let list = try await request.get(Self.path, query: query.ofRoute)
        let table = table(list, request)
        if query.isCSV { return table.csvReply }
        var model = faults.model
        model["table"] = table.model(query, request.words)
        if Self.creates(identity) {
            let form = form ?? NewStudyForm(languageOf: request)
            model["new"] = form.model(request.words, isOpen: !faults.isEmpty)
        }
        let time = LocalTimeText(language: request.words.code, zone: "UTC")
        let unpublished = (list["unpublished"]?.array ?? []).map { study -> [String: Any] in
            let code = study["study"]?.string ?? ""
            return [
                "title": study["title"]?.string ?? code, "code": code,
                "address": DraftAddress(study: code).page,
                "changed": (study["changed_at"]?.instant).map { [StaffTable.moment($0, time)] } ?? [],
            ]
        }
        if !unpublished.isEmpty { model["unpublished"] = ["items": unpublished] }
        return context.renderer.page(
            "staff", title: title, model, frame: frame, of: request, status: faults.status)
    }

    private func table(_ list: JSON, _ request: PageRequest) -> StaffTable {
        func text(_ name: String) -> String { request.words.text("staff", name) }
        func number(_ name: String, _ sort: String) -> StaffTable.Column {
            StaffTable.Column(title: text(name), sort: sort, isNumber: true)
        }
        return StaffTable(
            name: "studies", caption: text("studies"),
            columns: [
                .init(title: text("study")), .init(title: text("code"), sort: "study"),
                .init(title: text("attention"), sort: "attention"), number("enrolled", "enrolled"),
                number("active", "active"), number("due", "due_today"),
                number("answered", "answered_today"), number("late", "late_today"),
                .init(title: text("last_record"), sort: "last_record_at"), .init(title: text("version")),
                .init(title: text("role")),
            ],
            rows: (list["items"]?.array ?? []).map { row(StaffStudyView($0, request.words)) },
            filters: [
                .init(name: "q", title: text("find_study")),
                .init(
                    name: "state", title: text("state"),
                    options: [("", text("all")), ("open", text("open")), ("closed", text("closed"))]),
            ],
            asOf: list["as_of"]?.instant ?? request.call.now, next: list["next"]?.string)
    }

    private func row(_ study: StaffStudyView) -> [StaffTable.Cell] {
        [
            .link(study.title, address: PageAddress.staff(study.code)), .text(study.code),
            study.hasAlerts
                ? .link(study.attention, address: StaffStudyPage.alerts.address(study.code))
                : .text(study.attention),
            .number(study.number("enrolled")), .number(study.number("active")),
            .number(study.number("due_today")), .number(study.number("answered_today")),
            .number(study.number("late_today")), .moment(study.lastRecord), .text(study.version),
            .text(study.roles),
        ]
    }
}

/// A study of `GET /v1/staff/studies` in words.
struct StaffStudyView {
    private let item: JSON
    private let words: Words.Language
    /// Where the newest record is stated.
    private let today: JSON

    /// - Parameter today: `today` of `GET …/overview`; nil if the item has its numbers.
    init(_ item: JSON, _ words: Words.Language, today: JSON? = nil) {
        self.item = item
        self.words = words
        self.today = today ?? item
    }

    /// One study of the visitor, without numbers of participants.
    /// - Throws: `not-found` if the visitor has no role in the study, or if it has no published version.
    static func item(of study: String, _ request: PageRequest) async throws -> JSON {
        guard let item = try await find(study, request).item else { throw Problem(.notFound) }
        return item
    }

    /// One study of the visitor, or whether it is one that was never published.
    static func find(
        _ study: String, _ request: PageRequest
    ) async throws -> (item: JSON?, isUnpublished: Bool) {
        let own = try await request.get(
            "/v1/staff/studies", query: "study=\(PageAddress.encode(study))&numbers=false")
        let unpublished = (own["unpublished"]?.array ?? []).contains { $0["study"]?.string == study }
        return (own["items"]?.array?.first, unpublished)
    }

    var code: String { item["study"]?.string ?? "" }
    var title: String { item["title"]?.string ?? code }
    var version: String { item["live_version"]?.string ?? "" }
    var isClosed: Bool { item["closed_at"]?.string != nil }
    var lastRecord: Instant? { today["last_record_at"]?.instant }
    var hasAlerts: Bool { number("open_alerts") ?? 0 > 0 }
    /// Whether the study has walks; true if that is not known.
    var hasWalks: Bool { item["has_walks"]?.bool ?? true }
    /// Whether the study has more than one arm; true if that is not known.
    var hasArms: Bool { item["has_arms"]?.bool ?? true }

    /// The roles of the visitor.
    var roles: String {
        (item["roles"]?.array ?? []).compactMap(\.string).map { words.text("staff", $0) }
            .joined(separator: ", ")
    }

    /// Why the study needs attention; empty if it does not.
    var attention: String {
        if let count = number("open_alerts"), count > 0 {
            return words.text(
                "staff", count == 1 ? "open_alerts_one" : "open_alerts_other", ["count": String(count)])
        }
        return today["silent"]?.bool ?? false ? words.text("staff", "silent") : ""
    }

    /// A number; nil if the visitor may not see it.
    func number(_ name: String) -> Int? { item[name]?.int }
}
