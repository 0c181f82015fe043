import SaunterCore
import SaunterServer

/// The page of the messages of a study: what became of them by day, whom they do not reach, and the list.
struct StaffMessagesPage: Sendable {
    private static let filters = ["participant", "state", "kind", "rule", "from", "to"]
    /// Which of the tables is requested as a file.
    private static let table = "table"

    let context: PageContext

    var messages: Route {
        context.get("/staff/{study}/messages", query: Self.filters + [Self.table] + StaffQuery.names) {
            request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let path = "/v1/studies/\(PageAddress.encodePart(code))"
            let query = try StaffQuery(
                request, path: StaffStudyPage.messages.address(code), filters: Self.filters)
            let (view, faults) = try await query.read(request) { query in
                StudyMessagesView(
                    study: code, list: try await request.get("\(path)/messages", query: query.ofRoute),
                    days: try await request.get("\(path)/messages/days", query: Self.dates(query)),
                    unreachable: try await request.get(
                        "\(path)/unreachable", query: "limit=\(StaffQuery.rowsPerPage)"),
                    now: request.call.now, request.words)
            }
            if query.isCSV {
                let name = request.call.query(Self.table) ?? ""
                let tables = [view.table, view.daysTable, view.unreachableTable]
                guard let table = tables.first(where: { $0.id == (name.isEmpty ? "table" : name) }) else {
                    throw Problem(.requestInvalid)
                }
                return table.csvReply
            }
            var frame = try await StaffFrame.study(code, .messages, request)
            frame.modules.append("refresh")
            return context.renderer.page(
                "staff_messages", title: request.words.text("staff", "messages"),
                model(view, query, faults, request),
                frame: frame, of: request,
                status: faults.status)
        }
    }

    /// The dates of the query, for the counts by day.
    private static func dates(_ query: StaffQuery) -> String? {
        let pairs = ["from", "to"].filter { !query[$0].isEmpty }
            .map { "\($0)=\(PageAddress.encode(query[$0]))" }
        return pairs.isEmpty ? nil : pairs.joined(separator: "&")
    }

    private func model(
        _ view: StudyMessagesView, _ query: StaffQuery, _ faults: FormFaults, _ request: PageRequest
    ) -> [String: Any] {
        let words = request.words
        func file(_ table: StaffTable) -> [String: Any] {
            table.model(query, words).merging(
                ["csv": "\(query.csvAddress)&\(Self.table)=\(table.id)"], uniquingKeysWith: { $1 })
        }
        let unreachable = view.unreachableTable
        let unreachableModels = unreachable.rows.isEmpty ? [[String: Any]]() : [file(unreachable)]
        var model = faults.model
        for (name, value) in [
            "as_of": StaffTable.moment(view.asOf, LocalTimeText(language: words.code, zone: "UTC")),
            "stream": StaffFrame.stream(view.study), "dates": view.dates, "counts": view.counts(query.path),
            "table": view.table.model(query, words, faults), "unreachable": unreachableModels,
        ] as [String: Any] { model[name] = value }
        if let figure = view.figure {
            model["figure"] =
                figure.merging(["table": file(view.daysTable)], uniquingKeysWith: { $1 }) as [String: Any]
        }
        if view.hasMoreUnreachable {
            let participants = StaffStudyPage.participants.address(view.study)
            model["more_unreachable"] = "\(participants)?state=unreachable"
        }
        return model
    }
}
