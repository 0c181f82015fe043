import SaunterCore
import SaunterServer
import SaunterStore

/// The pages of the walks of a study: the list, one walk, and its samples.
struct StaffWalksPage: Sendable {
    private static let filters = ["participant", "arm", "flag", "from", "to"]

    let context: PageContext

    // MARK: The list

    var walks: Route {
        context.get("/staff/{study}/walks", query: Self.filters + StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let path = "/v1/studies/\(PageAddress.encodePart(code))"
            let query = try StaffQuery(
                request, path: StaffStudyPage.walks.address(code), filters: Self.filters)
            let list = try await request.get("\(path)/walks", query: query.ofRoute)
            let study = StaffStudyView(try await StaffStudyView.item(of: code, request), request.words)
            var table = table(list, of: code, request)
            if !study.hasWalks {
                table.emptyText = request.words.text("staff_walks", "no_walking")
            }
            if query.isCSV { return table.csvReply }
            var frame = StaffFrame.study(study, .walks, request)
            frame.modules.append("refresh")
            let time = LocalTimeText(language: request.words.code, zone: "UTC")
            let days = request.words.text(
                "staff_walks", "days",
                [
                    "from": time.date(list["from"]?.string ?? ""),
                    "to": time.date(list["to"]?.string ?? ""),
                ])
            return context.renderer.page(
                "staff_walks", title: request.words.text("staff", "walks"),
                [
                    "table": table.model(query, request.words), "days": days,
                    "stream": StaffFrame.stream(code),
                ], frame: frame, of: request)
        }
    }

    private func table(_ list: JSON, of study: String, _ request: PageRequest) -> StaffTable {
        let words = request.words
        func text(_ name: String) -> String { words.text("staff_walks", name) }
        func number(_ name: String) -> StaffTable.Column { .init(title: text(name), isNumber: true) }
        let arms = (list["arms"]?.array ?? []).compactMap(\.string)
        return StaffTable(
            name: "\(study)-walks", caption: words.text("staff", "walks"),
            columns: [
                .init(title: text("walk")), .init(title: words.text("staff", "pseudonym")),
                .init(title: words.text("staff", "arm")), number("study_day"), number("minutes"),
                number("metres"), number("speed"), number("target"), number("above"), number("times"),
                number("heart"), number("coverage"), .init(title: text("flags")),
            ],
            rows: (list["items"]?.array ?? []).map { StaffWalkView($0, words).row(of: study) },
            filters: [
                .init(name: "participant", title: words.text("staff", "pseudonym")),
                .init(
                    name: "arm", title: words.text("staff", "arm"),
                    options: [("", words.text("staff", "all_arms"))] + arms.map { ($0, $0) }),
                .init(
                    name: "flag", title: text("flags"),
                    options: [("", words.text("staff", "all"))]
                        + WalkFlag.allCases.map { ($0.rawValue, text("flag_\($0.rawValue)")) }),
                .init(name: "from", title: text("from"), type: "date"),
                .init(name: "to", title: text("to"), type: "date"),
            ],
            asOf: list["as_of"]?.instant ?? request.call.now, next: list["next"]?.string,
            emptyText: text("none"), live: "walk")
    }

    // MARK: One walk

    var walk: Route {
        context.get("/staff/{study}/participants/{participant}/walks/{walk}") { request in
            _ = try request.requireIdentity()
            let (study, participant) = (try request.path("study"), try request.path("participant"))
            let walk = try await request.get(try Self.resource(request))
            let view = StaffWalkView(walk, request.words)
            var model = WalkPageModel(walk, request.words).model
            model["facts"] = view.facts
            model["flags"] = view.flags
            model["address"] = view.address(of: study)
            model["zone"] = request.words.text("participant", "zone_note", ["zone": view.zone])
            var frame = try await StaffFrame.study(study, nil, request)
            frame.styles.append("walk")
            frame.breadcrumb += [
                ParticipantPage.list(of: study, request),
                PageFrame.Link(
                    title: participant, address: ParticipantPage.address(participant, of: study)),
            ]
            return context.renderer.page(
                "staff_walk", title: request.words.text("walk", "one"), model, frame: frame, of: request)
        }
    }

    /// The samples of a walk as a file for a spreadsheet.
    var samples: Route {
        context.get("/staff/{study}/participants/{participant}/walks/{walk}/samples.csv") { request in
            _ = try request.requireIdentity()
            let walk = try await request.get(try Self.resource(request))
            let (study, participant) = (try request.path("study"), walk["participant_id"]?.string ?? "")
            return WalkSamples.file(of: walk, name: "\(study)-\(participant)-walk")
        }
    }

    /// The path of the walk in the API.
    private static func resource(_ request: PageRequest) throws -> String {
        let participant = ParticipantPage.resource(
            try request.path("participant"), of: try request.path("study"))
        return "\(participant)/walks/\(PageAddress.encodePart(try request.path("walk")))"
    }
}

/// A walk of the routes of the study team in words.
struct StaffWalkView {
    private let walk: JSON
    private let words: Words.Language

    init(_ walk: JSON, _ words: Words.Language) {
        self.walk = walk
        self.words = words
    }

    var participant: String { walk["participant_id"]?.string ?? "" }
    var zone: String { walk["time_zone"]?.string ?? "" }

    /// When the walk began, in the participant's time zone.
    private var start: String {
        walk["at"]?.instant.map { LocalTimeText(language: words.code, zone: zone).dayAndTime($0) } ?? ""
    }

    /// The flags in words.
    var flags: [String] {
        (walk["flags"]?.array ?? []).compactMap(\.string).map { words["staff_walks", "flag_\($0)"] ?? $0 }
    }

    /// The address of the page of the walk.
    func address(of study: String) -> String {
        "\(ParticipantPage.address(participant, of: study))/walks/\(walk["walk_id"]?.string ?? "")"
    }

    /// The row of the list.
    func row(of study: String) -> [StaffTable.Cell] {
        let summary = walk["summary"] ?? .null
        func value(_ name: String) -> Double? { summary[name]?.double }
        return [
            .link(start, address: address(of: study)),
            .link(participant, address: ParticipantPage.address(participant, of: study)),
            .text(walk["arm"]?.string ?? ""), .number(walk["study_day"]?.int),
            .decimal(value("active_s").map { $0 / 60 }), .decimal(value("distance_m")),
            .decimal(value("mean_speed_kmh")), .decimal(value("target_speed_kmh")),
            .decimal(value("above_target_s")), .number(summary["above_target_count"]?.int),
            .decimal(value("mean_heart_rate_bpm")), .percent(value("coverage").map { $0 * 100 }),
            .text(flags.joined(separator: ", ")),
        ]
    }

    /// The participant, the arm, the day and the start.
    var facts: [[String: String]] {
        [
            ["title": words.text("staff", "pseudonym"), "text": participant],
            ["title": words.text("staff", "arm"), "text": walk["arm"]?.string ?? ""],
            [
                "title": words.text("staff_walks", "study_day"),
                "text": walk["study_day"]?.int.map { String($0) } ?? "",
            ],
            ["title": words.text("staff_walks", "walk"), "text": start],
        ]
    }
}
