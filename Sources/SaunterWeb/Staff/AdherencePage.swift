import SaunterCore
import SaunterServer

/// The page that shows which occasions the participants of one study answered, by participant and study day.
struct AdherencePage: Sendable {
    /// What selects participants and occasions. The first day and the number of days only move the view.
    private static let filters = ["q", "arm", "questionnaire"]
    private static let firstDay = "from_day"
    private static let span = "span"
    /// Which of the tables is requested as a file: the map, or totals.
    private static let table = "table"

    let context: PageContext

    var adherence: Route {
        context.get(
            "/staff/{study}/adherence",
            query: Self.filters + [Self.firstDay, Self.span, Self.table] + StaffQuery.names
        ) { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let path = "/v1/studies/\(PageAddress.encodePart(code))"
            // The route has no span, only the first and the last day.
            let ofRoute = try Self.query(request, code, Self.filters + [Self.firstDay])
            let (span, faults) = try Self.requestedSpan(request, isCSV: ofRoute.isCSV)
            let query =
                faults.isEmpty
                ? try Self.query(request, code, ofRoute.filters + [Self.span]) : ofRoute
            let first = HeatMap.first(query[Self.firstDay])
            let list = try await request.get(
                "\(path)/adherence", query: Self.text(ofRoute, first, span: span))
            let map = HeatMap(list, from: first ?? 0, span: span, request.words)
            let asOf = list["as_of"]?.instant ?? request.call.now
            let study = try await request.get(path)
            let titles = Self.titles(of: study)
            let totals = HeatMap.Grouping.allCases.map {
                map.totals($0, name: "\(code)-adherence", asOf: asOf, titles: titles)
            }
            if query.isCSV {
                let name = request.call.query(Self.table) ?? ""
                let tables = [map.table(name: "\(code)-adherence", asOf: asOf)] + totals
                guard let table = tables.first(where: { $0.id == (name.isEmpty ? "table" : name) }) else {
                    throw Problem(.requestInvalid)
                }
                return table.csvReply
            }
            var frame = try await StaffFrame.study(code, .adherence, request)
            frame.modules.append("refresh")
            frame.styles.append("heat")
            return context.renderer.page(
                "staff_adherence", title: request.words.text("staff", "adherence"),
                model(map, totals, list, titles, query, code, request).merging(
                    Self.spanModel(span, faults, request.words), uniquingKeysWith: { $1 }),
                frame: frame, of: request, status: faults.status)
        }
    }

    private static func query(
        _ request: PageRequest, _ study: String, _ filters: [String]
    ) throws(Problem) -> StaffQuery {
        try StaffQuery(request, path: StaffStudyPage.adherence.address(study), filters: filters)
    }

    /// The number of study days of the view. If the address states a number that no view has, the page has the default,
    /// and the fault is at the field. A file has no field for it.
    private static func requestedSpan(
        _ request: PageRequest, isCSV: Bool
    ) throws(Problem) -> (days: Int, faults: FormFaults) {
        var faults = FormFaults(request.words)
        if let known = HeatMap.span(request.call.query(span) ?? "") { return (known, faults) }
        guard !isCSV else {
            let numbers = HeatMap.spans.map(String.init).joined(separator: " or ")
            throw Problem(
                .requestInvalid,
                Faults([
                    Fault(pointer: "/span", code: "not_a_value", detail: "`span` must be \(numbers).")
                ]))
        }
        faults.add(request.words.text("heat_map", "fault_span"), field: "filter-span")
        return (HeatMap.spans[0], faults)
    }

    private static func spanModel(
        _ span: Int, _ faults: FormFaults, _ words: Words.Language
    ) -> [String: Any] {
        var model = faults.model
        model["wrong_span"] = faults.text(at: "filter-span")
        model["spans"] = HeatMap.spans.map { days -> [String: Any] in
            let title = words.text("heat_map", "span_days", ["days": String(days)])
            return ["value": String(days), "title": title, "selected": days == span]
        }
        return model
    }

    /// The titles of the questionnaires of a study by their codes.
    private static func titles(of study: JSON) -> [String: String] {
        var titles: [String: String] = [:]
        for questionnaire in study["questionnaires"]?.array ?? [] {
            guard let code = questionnaire["questionnaire"]?.string else { continue }
            titles[code] = questionnaire["title"]?.string
        }
        return titles
    }

    /// The query of the route. A first day that is not a number is passed on, so that the route rejects it.
    private static func text(_ query: StaffQuery, _ first: Int?, span: Int) -> String {
        guard let first else { return query.ofRoute }
        let start = query[firstDay].isEmpty ? "&from_day=0" : ""
        return query.ofRoute + start + "&to_day=\(HeatMap.end(from: first, span: span))"
    }

    private func model(
        _ map: HeatMap, _ totals: [StaffTable], _ list: JSON, _ titles: [String: String],
        _ query: StaffQuery, _ study: String, _ request: PageRequest
    ) -> [String: Any] {
        let words = request.words
        let isFiltered = Self.filters.contains { !query[$0].isEmpty }
        var model: [String: Any] = [
            "stream": StaffFrame.stream(study), "path": query.path, "csv": query.csvAddress,
            "as_of": StaffTable.moment(
                list["as_of"]?.instant ?? request.call.now, LocalTimeText(language: words.code, zone: "UTC")),
            "map": map.model(participants: StaffStudyPage.participants.address(study)),
            "days": words.text(
                "heat_map", "days",
                ["from": String(map.days.lowerBound), "to": String(map.days.upperBound)]),
            "q": query["q"], "has_totals": !map.rows.isEmpty,
            "arms": options(list["arms"], query["arm"], words.text("staff", "all_arms")),
            "questionnaires": options(
                list["questionnaires"], query["questionnaire"],
                words.text("heat_map", "all_questionnaires"), titles),
            "totals": totals.filter { !$0.rows.isEmpty }.map { table in
                table.model(query, words).merging(
                    ["csv": "\(query.csvAddress)&\(Self.table)=\(table.id)"], uniquingKeysWith: { $1 })
            },
            "empty": words.text(
                "staff", isFiltered || !query["cursor"].isEmpty ? "no_rows" : "nobody_joined"),
        ]
        if !query[Self.firstDay].isEmpty { model["first_day"] = query[Self.firstDay] }
        if isFiltered { model["unfiltered"] = query.unfilteredAddress }
        if let day = map.earlier { model["earlier"] = query.address(filter: Self.firstDay, String(day)) }
        if let day = map.later { model["later"] = query.address(filter: Self.firstDay, String(day)) }
        if let next = list["next"]?.string { model["next"] = query.address(cursor: next) }
        if !query["cursor"].isEmpty { model["first"] = query.address(cursor: nil) }
        return model
    }

    private func options(
        _ codes: JSON?, _ current: String, _ all: String, _ titles: [String: String] = [:]
    ) -> [[String: Any]] {
        let names = (codes?.array ?? []).compactMap(\.string).map { ($0, titles[$0] ?? $0) }
        return ([("", all)] + names).map { ["value": $0.0, "title": $0.1, "selected": $0.0 == current] }
    }
}
