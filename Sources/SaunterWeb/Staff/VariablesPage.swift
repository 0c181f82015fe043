import SaunterCore
import SaunterServer

/// The page that explains the tailoring variables of one study.
struct VariablesPage: Sendable {
    let context: PageContext

    var variables: Route {
        context.get("/staff/{study}/variables", query: StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let path = "/v1/studies/\(PageAddress.encodePart(code))"
            let query = try StaffQuery(request, path: StaffStudyPage.variables.address(code), filters: [])
            let list = try await request.get("\(path)/variables")
            let table = table(list, of: code, request)
            if query.isCSV { return table.csvReply }
            return context.renderer.page(
                "staff_list", title: request.words.text("staff", "variables"),
                RulesPage.model(table, query, list, "variables", request.words),
                frame: try await StaffFrame.study(code, .variables, request), of: request)
        }
    }

    private func table(_ list: JSON, of study: String, _ request: PageRequest) -> StaffTable {
        let words = request.words
        func text(_ name: String) -> String { words.text("rules", name) }
        return StaffTable(
            name: "\(study)-variables", caption: words.text("staff", "variables"),
            columns: [
                .init(title: text("variable")), .init(title: text("variable_title")),
                .init(title: text("definition")), .init(title: text("unit")),
                .init(title: text("readers")),
            ],
            rows: (list["items"]?.array ?? []).map { Self.row($0, words) },
            asOf: list["as_of"]?.instant ?? request.call.now, emptyText: text("no_variables"))
    }

    private static func row(_ variable: JSON, _ words: Words.Language) -> [StaffTable.Cell] {
        func text(_ name: String) -> String { words.text("rules", name) }
        let hidden = (variable["hidden"]?.array ?? []).compactMap(\.string)
        func visible(_ member: String) -> String {
            hidden.contains("/\(member)") ? text("hidden") : variable[member]?.string ?? ""
        }
        let readers = (variable["visible_to"]?.array ?? []).compactMap(\.string)
        var notes = [
            text(
                readers.contains("participants")
                    ? "read_by_participants" : readers.isEmpty ? "read_by_rules" : "read_by_staff")
        ]
        if variable["hides_values"]?.bool == true { notes.append(text("values_hidden")) }
        return [
            .text(variable["variable"]?.string ?? ""), .text(visible("title")), .text(visible("definition")),
            .text(variable["unit"]?.string ?? ""), .text(notes.joined(separator: " ")),
        ]
    }
}
