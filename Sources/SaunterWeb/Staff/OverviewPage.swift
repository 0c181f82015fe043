import SaunterCore
import SaunterFigures
import SaunterServer
import SaunterStore

/// The page that shows the state of one study.
struct OverviewPage: Sendable {
    private static let filters = ["group"]
    /// The courses that the figure shows. The table has all.
    private static let maximumCourses = StepPlot.styleCount

    let context: PageContext

    var overview: Route {
        context.get("/staff/{study}", query: Self.filters + StaffQuery.names) { request in
            let identity = try request.requireIdentity()
            let code = try request.path("study")
            let own = try await StaffStudyView.find(code, request)
            if own.item == nil, own.isUnpublished {
                return PageRenderer.redirect(DraftAddress(study: code).page)
            }
            guard let item = own.item else { throw Problem(.notFound) }
            let query = try StaffQuery(request, path: PageAddress.staff(code), filters: Self.filters)
            // Only researchers see numbers of participants.
            var found: JSON?
            if identity.grant(.researcher, study: code) != nil {
                found = try await overview(of: code, query, request)
            }
            let study = StaffStudyView(item, request.words, today: found?["today"])
            var model: [String: Any] = [
                "roles": study.roles, "version": study.version,
                "state": request.words.text("staff", study.isClosed ? "closed" : "open"),
            ]
            if !study.attention.isEmpty { model["attention"] = study.attention }
            if study.hasAlerts { model["alerts"] = StaffStudyPage.alerts.address(code) }
            var frame = StaffFrame.study(study, .overview, request)
            if let found {
                let view = StudyOverviewView(found, study: code, now: request.call.now, request.words)
                if query.isCSV { return view.table.csvReply }
                frame.modules.append("refresh")
                model["numbers"] = numbers(view, study, query, request)
                model["stream"] = StaffFrame.stream(code)
            } else if query.isCSV {
                throw Problem(.notPermitted)
            }
            return context.renderer.page(
                "staff_study", title: request.words.text("staff", "overview"), model, frame: frame,
                of: request)
        }
    }

    private func overview(
        of study: String, _ query: StaffQuery, _ request: PageRequest
    ) async throws -> JSON {
        try await request.get(
            "/v1/studies/\(PageAddress.encodePart(study))/overview",
            query: query["group"].isEmpty ? nil : "group=\(PageAddress.encode(query["group"]))")
    }

    private func numbers(
        _ view: StudyOverviewView, _ study: StaffStudyView, _ query: StaffQuery, _ request: PageRequest
    ) -> [String: Any] {
        let time = LocalTimeText(language: request.words.code, zone: "UTC")
        var model: [String: Any] = [
            "as_of": StaffTable.moment(view.asOf, time), "steps": view.steps, "today": view.today,
            "trouble": view.trouble(time), "has_trouble": !view.trouble(time).isEmpty,
        ]
        if let moment = study.lastRecord { model["last_record"] = [StaffTable.moment(moment, time)] }
        if let figure = view.figure(maximum: Self.maximumCourses, time) {
            let groups = ["arm", "stratum", "none"].map { group -> [String: Any] in
                [
                    "value": group, "title": request.words.text("staff", "group_\(group)"),
                    "selected": group == view.group,
                ]
            }
            model["enrolment"] =
                figure.merging(
                    ["table": view.table.model(query, request.words), "groups": groups],
                    uniquingKeysWith: { $1 }) as [String: Any]
        } else {
            model["join"] = "/studies/\(PageAddress.encodePart(view.study))"
        }
        return model
    }
}

/// The response of `GET /v1/studies/{study}/overview` in words.
struct StudyOverviewView {
    let study: String
    private let json: JSON
    private let now: Instant
    private let words: Words.Language

    init(_ json: JSON, study: String, now: Instant, _ words: Words.Language) {
        self.json = json
        self.study = study
        self.now = now
        self.words = words
    }

    var asOf: Instant { json["as_of"]?.instant ?? now }
    /// By what the course of enrolment is divided.
    var group: String { json["group"]?.string ?? "none" }

    // MARK: Numbers

    /// The participants by how far they are. Each number leads to its rows.
    var steps: [[String: String]] {
        [("enrolled", ""), ("active", "active"), ("finished", "finished"), ("stopped", "stopped")].map {
            name, state in
            [
                "title": text(name), "text": number(json["steps"]?[name]), "address": address(state: state),
            ]
        }
    }

    /// The occasions of today.
    var today: [[String: String]] {
        [("due", "due"), ("answered", "answered"), ("late", "late"), ("open", "open_now")].map {
            ["title": text($1), "text": number(json["today"]?[$0])]
        }
    }

    /// The problems that a participant has. Each number leads to its rows.
    func trouble(_ time: LocalTimeText) -> [[String: Any]] {
        (json["trouble"]?.array ?? []).filter { $0["participants"]?.int ?? 0 > 0 }.map { row in
            let code = row["code"]?.string ?? ""
            var model: [String: Any] = [
                "title": text(code), "text": number(row["participants"]), "address": address(state: code),
            ]
            if let moment = row["oldest_at"]?.instant { model["since"] = [StaffTable.moment(moment, time)] }
            return model
        }
    }

    private func address(state: String) -> String {
        let page = StaffStudyPage.participants.address(study)
        return state.isEmpty ? page : "\(page)?state=\(PageAddress.encode(state))"
    }

    private func number(_ json: JSON?) -> String { json?.int.map { String($0) } ?? "–" }

    // MARK: The course of enrolment

    private struct Course {
        var name: String
        var points: [(date: LocalDate, total: Int)]
        var total: Int { points.last?.total ?? 0 }
    }

    private var courses: [Course] {
        (json["enrolment"]?.array ?? []).map { course in
            Course(
                name: name(course["group"]?.string),
                points: (course["points"]?.array ?? []).compactMap { point in
                    guard let date = point["date"]?.string.flatMap({ LocalDate($0) }),
                        let total = point["total"]?.int
                    else { return nil }
                    return (date, total)
                })
        }
    }

    private func name(_ group: String?) -> String {
        group.map { $0.isEmpty ? text("no_group") : $0 } ?? text("all")
    }

    /// The figure with its title and its finding in a sentence; nil without participants.
    /// - Parameter maximum: the number of courses that the figure shows, the largest ones.
    func figure(maximum: Int, _ time: LocalTimeText) -> [String: Any]? {
        let all = courses
        guard let first = all.compactMap({ $0.points.first?.date }).min() else { return nil }
        let shown = all.sorted { ($1.total, $0.name) < ($0.total, $1.name) }.prefix(maximum)
            .sorted { $0.name < $1.name }
        let total = all.reduce(0) { $0 + $1.total }
        var finding = text(
            total == 1 ? "joined_one" : "joined_other",
            ["count": String(total), "date": time.day(first.description, now: now)])
        let target = json["target"]?.int
        if let target {
            finding += " " + text("of_target", ["count": String(total), "target": String(target)])
        }
        if all.count > 1 {
            let parts = shown.map { "\($0.name) \($0.total)" }.joined(separator: ", ")
            finding += " " + text("joined_by", ["groups": parts])
        }
        if all.count > shown.count { finding += " " + text("largest_groups", ["count": String(maximum)]) }
        // The newest local date of a participant can be after the date in UTC.
        let last = max(
            Zone.utc.local(of: asOf).date, all.compactMap { $0.points.last?.date }.max() ?? first)
        let svg = StepPlot.text(
            shown.map { course in
                StepPlot.Course(
                    name: all.count > 1 ? course.name : nil,
                    points: course.points.map { (day: $0.date.days, total: $0.total) })
            }, lastDay: last.days,
            target: target.map { (total: $0, name: text("target_of_all", ["target": String($0)])) },
            title: text("enrolment"), description: finding,
            label: { time.shortDay(LocalDate(days: $0).description) })
        return ["svg": svg, "finding": finding]
    }

    /// Every step of every course.
    var table: StaffTable {
        let time = LocalTimeText(language: words.code, zone: "UTC")
        return StaffTable(
            name: "\(study)-enrolment", caption: text("enrolment"),
            columns: [
                .init(title: text("date")), .init(title: text("group")),
                .init(title: text("enrolled"), isNumber: true),
            ],
            rows: courses.flatMap { course in
                course.points.map { point in
                    let date = point.date.description
                    return [
                        .code(date, words: time.date(date)), .text(course.name), .number(point.total),
                    ]
                }
            }, asOf: asOf)
    }

    private func text(_ name: String, _ values: [String: String] = [:]) -> String {
        words.text("staff", name, values)
    }
}
