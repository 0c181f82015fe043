import SaunterCore
import SaunterServer

/// The page that lists the participants of one study, by pseudonym.
struct ParticipantsPage: Sendable {
    private static let filters = ["q", "arm", "state", "enrolled_from", "enrolled_to"]

    let context: PageContext

    var participants: Route {
        context.get("/staff/{study}/participants", query: Self.filters + StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let path = "/v1/studies/\(PageAddress.encodePart(code))"
            let query = try StaffQuery(
                request, path: StaffStudyPage.participants.address(code), filters: Self.filters)
            let list = try await request.get("\(path)/participants", query: query.ofRoute)
            let table = table(list, of: code, request)
            if query.isCSV { return table.csvReply }
            var frame = try await StaffFrame.study(code, .participants, request)
            frame.modules.append("refresh")
            return context.renderer.page(
                "staff_participants", title: request.words.text("staff", "participants"),
                ["table": table.model(query, request.words), "stream": StaffFrame.stream(code)],
                frame: frame, of: request)
        }
    }

    private func table(_ list: JSON, of study: String, _ request: PageRequest) -> StaffTable {
        func text(_ name: String) -> String { request.words.text("staff", name) }
        func number(_ name: String) -> StaffTable.Column { .init(title: text(name), isNumber: true) }
        let states = [
            "", "active", "finished", "stopped", "never_started", "unreachable", "unsent", "quarantined",
        ]
        let arms = (list["arms"]?.array ?? []).compactMap(\.string)
        return StaffTable(
            name: "\(study)-participants", caption: text("participants"),
            columns: [
                .init(title: text("pseudonym"), sort: "participant_id"),
                .init(title: text("arm"), sort: "arm"),
                .init(title: text("condition"), sort: "state"),
                .init(title: text("attention"), sort: "trouble"),
                .init(title: text("study_day"), sort: "study_day", isNumber: true),
                .init(title: text("joined"), sort: "enrolled_at", isNumber: true),
                .init(title: text("last_sheet"), sort: "last_sheet_at"), number("sheets"), number("walks"),
                number("settled"), number("completed"),
                .init(title: text("adherence"), sort: "adherence", isNumber: true),
                .init(title: text("missing_records"), sort: "unsent", isNumber: true),
            ],
            rows: (list["items"]?.array ?? []).map {
                row(ListedParticipantView($0, request.words), StaffStudyPage.participants.address(study))
            },
            filters: [
                .init(name: "q", title: text("find_pseudonym")),
                .init(
                    name: "arm", title: text("arm"),
                    options: [("", text("all_arms"))] + arms.map { ($0, $0) }),
                .init(
                    name: "state", title: text("condition"),
                    options: states.map { ($0, text($0.isEmpty ? "all" : $0)) }),
                .init(name: "enrolled_from", title: text("joined_from"), type: "date"),
                .init(name: "enrolled_to", title: text("joined_to"), type: "date"),
            ],
            asOf: list["as_of"]?.instant ?? request.call.now, next: list["next"]?.string,
            usualSort: "participant_id", emptyText: text("nobody_joined"),
            live: "enrolment answer_sheet occasion walk")
    }

    private func row(_ participant: ListedParticipantView, _ page: String) -> [StaffTable.Cell] {
        [
            .link(participant.name, address: "\(page)/\(PageAddress.encodePart(participant.name))"),
            .text(participant.arm), .text(participant.condition), .text(participant.attention),
            .number(participant.number("study_day")),
            .code(participant.enrolledOn, words: participant.enrolmentDate),
            .moment(participant.moment("last_sheet_at")),
            .number(participant.number("answer_sheets")), .number(participant.number("walks")),
            .number(participant.adherence?["settled"]?.int),
            .number(participant.adherence?["completed"]?.int),
            .percent(participant.adherence?["adherence_percent"]?.double),
            .number(participant.number("unsent")),
        ]
    }
}

/// A participant of `GET /v1/studies/{study}/participants` in words.
struct ListedParticipantView {
    private let item: JSON
    private let words: Words.Language

    init(_ item: JSON, _ words: Words.Language) {
        self.item = item
        self.words = words
    }

    var name: String { item["participant_id"]?.string ?? "" }
    var arm: String { item["arm"]?.string ?? "" }
    /// The participant's local date of the enrolment.
    var enrolledOn: String { item["enrolled_on"]?.string ?? "" }
    /// The same in words.
    var enrolmentDate: String { LocalTimeText(language: words.code, zone: "UTC").date(enrolledOn) }
    var adherence: JSON? { item["adherence"] }

    private var troubles: [String] { (item["trouble"]?.array ?? []).compactMap { $0["code"]?.string } }

    /// Whether the participant takes part: never started, taking part, finished or stopped.
    var condition: String {
        let isActive = item["status"]?.string == "active"
        if isActive, let day = number("study_day"), let days = number("study_days"), day > days {
            return text("finished")
        }
        guard isActive else { return text("stopped") }
        return text(troubles.contains("never_started") ? "never_started" : "active")
    }

    /// The problems, without those that `condition` names; empty if there are none.
    var attention: String {
        var names = troubles.filter { $0 != "never_started" || text($0) != condition }
        if moment("low_adherence_since") != nil { names.append("low_adherence") }
        return names.map { text($0) }.joined(separator: ", ")
    }

    func number(_ name: String) -> Int? { item[name]?.int }
    func moment(_ name: String) -> Instant? { item[name]?.instant }

    private func text(_ name: String) -> String { words.text("staff", name) }
}
