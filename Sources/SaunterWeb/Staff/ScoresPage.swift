import HTTPTypes
import SaunterCore
import SaunterServer

/// The pages of the scores of a study: its questionnaires, the statistics of one, and its single scores.
struct ScoresPage: Sendable {
    private static let filters = ["scale", "arm", "participant"]

    let context: PageContext

    // MARK: Questionnaires

    var scores: Route {
        context.get("/staff/{study}/scores", query: StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let path = "/v1/studies/\(PageAddress.encodePart(code))"
            let query = try StaffQuery(
                request, path: StaffStudyPage.scores.address(code), filters: [])
            let list = try await request.get("\(path)/statistics")
            let table = table(list, of: code, request)
            if query.isCSV { return table.csvReply }
            var frame = try await StaffFrame.study(code, .scores, request)
            frame.modules.append("refresh")
            var model = table.model(query, request.words)
            model["id"] = "scores"
            return context.renderer.page(
                "staff_scores", title: request.words.text("staff", "scores"),
                [
                    "table": model, "has_rows": !table.rows.isEmpty, "stream": StaffFrame.stream(code),
                    "as_of": StaffTable.moment(
                        table.asOf, LocalTimeText(language: request.words.code, zone: "UTC")),
                ], frame: frame, of: request)
        }
    }

    private func table(_ list: JSON, of study: String, _ request: PageRequest) -> StaffTable {
        let words = request.words
        func text(_ name: String) -> String { words.text("scores", name) }
        func number(_ name: String) -> StaffTable.Column { .init(title: text(name), isNumber: true) }
        return StaffTable(
            name: "\(study)-scores", caption: words.text("staff", "scores"),
            columns: [
                .init(title: text("questionnaire")), .init(title: text("scale")), number("scores"),
                number("sheets"), .init(title: text("computed")), number("newer_changes"),
                .init(title: words.text("staff", "condition")),
            ],
            rows: (list["items"]?.array ?? []).flatMap { item -> [[StaffTable.Cell]] in
                let code = item["questionnaire"]?.string ?? ""
                return (item["scales"]?.array ?? []).map { scale in
                    [
                        .link(item["title"]?.string ?? code, address: Self.address(code, of: study)),
                        .text(scale["label"]?.string ?? ""), .number(scale["n"]?.int),
                        .number(item["sheets"]?.int), .moment(item["computed_at"]?.instant),
                        .number(item["newer_changes"]?.int),
                        .text(text("state_\(item["state"]?.string ?? "none")")),
                    ]
                }
            }, asOf: list["as_of"]?.instant ?? request.call.now)
    }

    // MARK: Statistics of one questionnaire

    var questionnaire: Route {
        context.get(
            "/staff/{study}/scores/{questionnaire}",
            query: StatisticsView.filters + [StatisticsView.course] + StaffQuery.names
        ) { request in
            _ = try request.requireIdentity()
            let (study, code) = (try request.path("study"), try request.path("questionnaire"))
            let query = try StaffQuery(
                request, path: Self.address(code, of: study), filters: StatisticsView.filters)
            let course = request.call.query(StatisticsView.course) ?? ScaleFigures.Average.mean.rawValue
            guard let average = ScaleFigures.Average(rawValue: course) else { throw Problem(.requestInvalid) }
            let view = StatisticsView(
                try await request.get(Self.resource(code, of: study)), study: study, path: query.path,
                now: request.call.now, average: average, request.words)
            if query.isCSV {
                guard let table = view.table(query) else { throw Problem(.requestInvalid) }
                return table.csvReply
            }
            var frame = try await StaffFrame.study(study, nil, request)
            frame.breadcrumb.append(Self.list(of: study, request))
            frame.modules.append("refresh")
            var model = view.model
            model["stream"] = StaffFrame.stream(study)
            return context.renderer.page(
                "staff_statistics", title: view.title, model, frame: frame, of: request)
        }
    }

    /// Requests the statistics, and leads back to the page.
    var compute: Route {
        context.post("/staff/{study}/scores/{questionnaire}") { request in
            let (study, code) = (try request.path("study"), try request.path("questionnaire"))
            try await request.send(.post, Self.resource(code, of: study))
            return PageRenderer.redirect(Self.address(code, of: study))
        }
    }

    // MARK: Single scores

    var rows: Route {
        context.get(
            "/staff/{study}/scores/{questionnaire}/rows", query: Self.filters + StaffQuery.names
        ) { request in
            _ = try request.requireIdentity()
            let (study, code) = (try request.path("study"), try request.path("questionnaire"))
            let page = Self.address(code, of: study)
            let query = try StaffQuery(request, path: "\(page)/rows", filters: Self.filters)
            // The list is empty for a questionnaire that the study does not have, but this page does not exist.
            let statistics = try await request.get(Self.resource(code, of: study))
            let list = try await request.get(
                "/v1/studies/\(PageAddress.encodePart(study))/scores",
                query: "questionnaire=\(PageAddress.encode(code))&\(query.ofRoute)")
            let table = rowsTable(list, of: code, study, request)
            if query.isCSV { return table.csvReply }
            var frame = try await StaffFrame.study(study, nil, request)
            frame.breadcrumb += [
                Self.list(of: study, request),
                PageFrame.Link(title: statistics["title"]?.string ?? code, address: page),
            ]
            return context.renderer.page(
                "staff_score_rows", title: request.words.text("scores", "rows"),
                ["table": table.model(query, request.words)], frame: frame, of: request)
        }
    }

    private func rowsTable(
        _ list: JSON, of questionnaire: String, _ study: String, _ request: PageRequest
    ) -> StaffTable {
        let words = request.words
        func text(_ name: String) -> String { words.text("scores", name) }
        let arms = (list["arms"]?.array ?? []).compactMap(\.string)
        let scales = (list["scales"]?.array ?? []).map {
            ($0["scale"]?.string ?? "", $0["label"]?.string ?? "")
        }
        return StaffTable(
            name: "\(study)-\(questionnaire)-scores", caption: text("rows"),
            columns: [
                .init(title: words.text("staff", "pseudonym")), .init(title: words.text("staff", "arm")),
                .init(title: words.text("staff", "study_day"), isNumber: true),
                .init(title: text("completed")), .init(title: text("version")),
                .init(title: text("scale")), .init(title: text("value"), isNumber: true),
                .init(title: text("reason")), .init(title: text("band")), .init(title: text("key")),
                .init(title: text("sheet")),
            ],
            rows: (list["items"]?.array ?? []).map { row($0, of: study, words) },
            filters: [
                .init(
                    name: "scale", title: text("scale"),
                    options: [("", words.text("staff", "all"))] + scales),
                .init(
                    name: "arm", title: words.text("staff", "arm"),
                    options: [("", words.text("staff", "all_arms"))] + arms.map { ($0, $0) }),
                .init(name: "participant", title: words.text("staff", "pseudonym")),
            ],
            asOf: list["as_of"]?.instant ?? request.call.now, next: list["next"]?.string,
            emptyText: text("too_few"))
    }

    private func row(_ score: JSON, of study: String, _ words: Words.Language) -> [StaffTable.Cell] {
        let participant = score["participant_id"]?.string ?? ""
        let page = ParticipantPage.address(participant, of: study)
        let sheet = score["sheet_id"]?.string ?? ""
        return [
            .link(participant, address: page), .text(score["arm"]?.string ?? ""),
            .number(score["study_day"]?.int), .moment(score["completed_at"]?.instant),
            .text(score["version"]?.string ?? ""), .text(score["label"]?.string ?? ""),
            .decimal(score["value"]?.double),
            .text(score["reason"]?.string.map { words["sheet", "reason_\($0)"] ?? $0 } ?? ""),
            .text(score["band"]?.string ?? ""), .text(score["key_version"]?.string ?? ""),
            .link(sheet, address: "\(page)/sheets/\(PageAddress.encodePart(sheet))"),
        ]
    }

    // MARK: Addresses

    /// The address of the page of a questionnaire.
    static func address(_ questionnaire: String, of study: String) -> String {
        "\(StaffStudyPage.scores.address(study))/\(PageAddress.encodePart(questionnaire))"
    }

    /// The path of the statistics in the API.
    private static func resource(_ questionnaire: String, of study: String) -> String {
        let path = "/v1/studies/\(PageAddress.encodePart(study))/statistics"
        return "\(path)/\(PageAddress.encodePart(questionnaire))"
    }

    /// The way back to the list of questionnaires.
    private static func list(of study: String, _ request: PageRequest) -> PageFrame.Link {
        PageFrame.Link(
            title: request.words.text("staff", "scores"), address: StaffStudyPage.scores.address(study))
    }
}
