import Foundation
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

/// The adherence of a study by participant and study day.
@Suite struct AdherenceTests {
    private static let path = "/v1/studies/small-steps/adherence"
    private static let start = LocalDate(days: 20_000)

    private static func occasion(
        opens hours: Int, completedAfter minutes: Int? = nil, _ exclusion: OccasionExclusion? = nil
    ) -> Occasion {
        let open = ServerFixture.now.adding(seconds: hours * 3600)
        return Occasion(
            id: OccasionID(UUID()),
            key: OccasionKey(schedule: "daily", anchorInstance: "", dayIndex: 2, slotIndex: 0),
            questionnaire: "who_5", localDate: start.adding(days: 2), zone: .utc,
            window: AssessmentWindow(
                visibleAt: open, openAt: open, dueAt: open.adding(seconds: 3600),
                closeAt: open.adding(seconds: 7200)),
            exclusion: exclusion, completedAt: minutes.map { open.adding(seconds: $0 * 60) })
    }

    @Test func `each occasion of a day is counted once, by its result`() {
        let occasions = [
            Self.occasion(opens: -9, completedAfter: 30), Self.occasion(opens: -8, completedAfter: 90),
            Self.occasion(opens: -5), Self.occasion(opens: 0), Self.occasion(opens: 5),
            Self.occasion(opens: -3, .paused), Self.occasion(opens: -3, .cancelled),
        ]

        let day = StudyDay(2, occasions, enrolledOn: Self.start, at: ServerFixture.now).json

        #expect(
            day == [
                "study_day": 2, "date": .string(Self.start.adding(days: 2).description), "state": "open",
                "planned": 6, "offered": 4, "settled": 3, "completed": 2, "on_time": 1, "late": 1,
                "missed": 1, "open": 1, "paused": 1,
            ])
    }

    @Test func `the totals by arm, week and questionnaire each contain every settled occasion once`()
        async throws
    {
        try await ServerFixture.withParticipant(in: "small-steps") { ada in
            let rosa = try await ada.researcher(of: "small-steps")

            let page = try await rosa.get("\(Self.path)?limit=1000").json

            let rows = page["items"]?.array ?? []
            let total = page["total"]?["settled"]?.int
            #expect(rows.reduce(0) { $0 + ($1["total"]?["settled"]?.int ?? 0) } == total)
            for name in ["weeks", "arms", "questionnaires"] {
                let groups = page["totals"]?[name]?.array ?? []
                #expect(groups.reduce(0) { $0 + ($1["adherence"]?["settled"]?.int ?? 0) } == total, "\(name)")
            }
            let arms = page["totals"]?["arms"]?.array ?? []
            #expect(arms.reduce(0) { $0 + ($1["participants"]?.int ?? 0) } == rows.count)
        }
    }

    @Test func `filters select participants and occasions`() async throws {
        try await ServerFixture.withParticipant(in: "small-steps") { ada in
            let rosa = try await ada.researcher(of: "small-steps")
            let name = try #require(try await ada.get(ada.own("")).json["participant_id"]?.string)
            func row(_ query: String) async throws -> JSON? {
                try await rosa.get("\(Self.path)?q=\(name.lowercased())&\(query)").json["items"]?.array?.first
            }

            let all = try #require(try await row("limit=1"))
            let days = all["days"]?.array ?? []
            let code = try #require(all["questionnaires"]?.array?.first?["questionnaire"]?.string)
            let last = try #require(days.last?["study_day"]?.int)

            #expect(all["participant_id"]?.string == name && all["unsent"] == 0)
            #expect(try await row("from_day=0&to_day=\(last)")?["days"]?.array == days)
            #expect(try await row("from_day=\(last + 1)")?["days"] == [])
            #expect(
                try await row("to_day=0")?["days"]?.array?.allSatisfy { $0["study_day"]?.int ?? 0 <= 0 }
                    == true)
            #expect(
                try await row("questionnaire=\(code)")?["questionnaires"]?.array?.compactMap {
                    $0["questionnaire"]?.string
                } == [code])
            #expect(try await row("questionnaire=nothing")?["days"] == [])
            #expect(try await row("arm=nothing") == nil)
            #expect(try await row("arm=\(all["arm"]?.string ?? "")") == all)
        }
    }

    @Test(arguments: [
        "from_day=3&to_day=2", "from_day=-1", "to_day=x", "from_day=99999999", "arm=", "q=", "sort=arm",
        "questionnaire=", "cursor=x",
    ])
    func `a query that is not valid is rejected`(query: String) async throws {
        try await ServerFixture.withResearcher { rosa in
            try await rosa.get("/v1/studies/mindful-walking/adherence?\(query)").expectProblem(
                400, "request-invalid")
        }
    }

    @Test func `a study that does not exist is not found`() async throws {
        try await ServerFixture.withResearcher { rosa in
            try await rosa.get("/v1/studies/nothing/adherence").expectProblem(404, "not-found")
        }
    }
}
