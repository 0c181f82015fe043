import SaunterCore
import SaunterServer
import SaunterStore

/// The page that shows a study team what happened to one participant.
struct ParticipantPage: Sendable {
    private static let filters = ["kinds", "from", "to"]

    let context: PageContext

    var participant: Route {
        context.get(
            "/staff/{study}/participants/{participant}", query: Self.filters + StaffQuery.names
        ) { request in
            _ = try request.requireIdentity()
            let (study, code) = (try request.path("study"), try request.path("participant"))
            let path = Self.resource(code, of: study)
            let query = try StaffQuery(request, path: Self.address(code, of: study), filters: Self.filters)
            let view = ParticipantView(try await request.get(path), request.words)
            let timeline = try await request.get("\(path)/timeline", query: query.ofRoute)
            let rows = (timeline["items"]?.array ?? []).map { TimelineRow($0, request.words, view.time) }
            if query.isCSV { return table(rows, view, study, request).csvReply }
            var frame = try await StaffFrame.study(study, nil, request)
            frame.breadcrumb.append(Self.list(of: study, request))
            var model = model(view, rows, timeline, query, request)
            let known = try await request.get("/v1/studies/\(PageAddress.encodePart(study))")
            if known["entitlements"]?.array?.isEmpty == false {
                model["entitlements"] = EntitlementsPage.address(code, of: study)
            }
            if request.mayAct(in: study) {
                model["actions"] = ParticipantActionsPage.address(code, of: study)
            }
            return context.renderer.page(
                "staff_participant", title: view.pseudonym, model, frame: frame, of: request)
        }
    }

    /// The path of the participant in the API.
    static func resource(_ code: String, of study: String) -> String {
        "/v1/studies/\(PageAddress.encodePart(study))/participants/\(PageAddress.encodePart(code))"
    }

    /// The address of the page.
    static func address(_ code: String, of study: String) -> String {
        "\(PageAddress.staff(study))/participants/\(PageAddress.encodePart(code))"
    }

    /// The way back to the list of participants.
    static func list(of study: String, _ request: PageRequest) -> PageFrame.Link {
        PageFrame.Link(
            title: request.words.text("participant", "list"),
            address: "\(PageAddress.staff(study))/participants")
    }

    private func table(
        _ rows: [TimelineRow], _ view: ParticipantView, _ study: String, _ request: PageRequest
    ) -> StaffTable {
        func title(_ name: String) -> StaffTable.Column {
            StaffTable.Column(title: request.words.text("participant", name))
        }
        return StaffTable(
            name: "\(study)-\(view.pseudonym)", caption: view.pseudonym,
            columns: [title("time"), title("what"), title("name"), title("status"), title("detail")],
            rows: rows.map {
                [.moment($0.at), .text($0.kind), .text($0.name), .text($0.state), .text($0.text)]
            },
            asOf: view.asOf ?? request.call.now)
    }

    private func model(
        _ view: ParticipantView, _ rows: [TimelineRow], _ timeline: JSON, _ query: StaffQuery,
        _ request: PageRequest
    ) -> [String: Any] {
        let words = request.words
        var model: [String: Any] = [
            "facts": view.facts, "warnings": view.warnings, "rows": view.rows, "path": query.path,
            "legend": view.legend, "csv": query.csvAddress, "has_rows": !rows.isEmpty,
            "dates": dates(rows, view, query),
            "zone": words.text("participant", "zone_note", ["zone": view.zone.id]),
            "as_of": StaffTable.moment(
                view.asOf ?? request.call.now, LocalTimeText(language: words.code, zone: "UTC")),
            "from": query["from"], "to": query["to"], "kinds": kinds(query["kinds"], words),
            "empty": words.text("participant", query.isFiltered ? "no_rows" : "nothing_yet"),
            "days": view.days.map { day in
                [
                    "glyph": day.glyph, "state": day.state, "text": day.text, "number": String(day.number),
                    "address": "\(query.path)?from=\(day.date)&to=\(day.date)",
                ]
            },
        ]
        if query.isFiltered { model["unfiltered"] = query.unfilteredAddress }
        if let older = timeline["next"]?.string { model["older"] = query.address(cursor: older) }
        if let newer = timeline["previous"]?.string { model["newer"] = query.address(cursor: newer) }
        return model
    }

    private func kinds(_ current: String, _ words: Words.Language) -> [[String: Any]] {
        let all = [("", words.text("participant", "all_kinds"))]
        let kinds = TimelineKind.allCases.map { ($0.rawValue, words.text("timeline", "kind_\($0.rawValue)")) }
        return (all + kinds).map { ["value": $0.0, "title": $0.1, "selected": $0.0 == current] }
    }

    /// The rows by local date.
    private func dates(
        _ rows: [TimelineRow], _ view: ParticipantView, _ query: StaffQuery
    ) -> [[String: Any]] {
        var dates: [(date: LocalDate, rows: [[String: Any]])] = []
        for row in rows {
            let date = view.zone.local(of: row.at).date
            if dates.last?.date != date { dates.append((date, [])) }
            // A walk has no name, so its kind is the link.
            let isWalk = row.page?.hasPrefix("walks/") ?? false
            var model: [String: Any] = [
                "time": view.time.time(row.at), "title": isWalk ? row.kind : row.name, "state": row.state,
                "code": row.stateCode, "text": row.text,
            ]
            if !isWalk { model["kind"] = row.kind }
            if let page = row.page { model["page"] = "\(query.path)/\(page)" }
            dates[dates.count - 1].rows.append(model)
        }
        return dates.map { ["day": view.time.day($0.date.description), "rows": $0.rows] }
    }
}
