import Foundation
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

/// The state of a study, and the participants behind its numbers.
@Suite struct StudyOverviewTests {
    private static func day(
        _ arm: String, _ stratum: String, _ date: String, _ enrolled: Int, stopped: Int = 0
    ) throws -> EnrolmentDay {
        EnrolmentDay(
            arm: arm, stratum: stratum, date: try #require(LocalDate(date)), enrolled: enrolled,
            active: enrolled - stopped, finished: 0, stopped: stopped)
    }

    private static func overview() throws -> StudyOverview {
        let id = { EnrolmentID(UUID()) }
        let later = ServerFixture.now.adding(seconds: 60)
        return StudyOverview(
            asOf: ServerFixture.now,
            days: [
                try day("a", "x", "2026-11-01", 2), try day("b", "x", "2026-11-01", 1),
                try day("a", "y", "2026-11-01", 1), try day("a", "x", "2026-11-04", 3, stopped: 1),
            ],
            numbers: StudyNumbers(),
            troubles: [
                id(): [
                    ParticipantTrouble(code: .unsent, since: later),
                    ParticipantTrouble(code: .unreachable, since: later),
                ],
                id(): [ParticipantTrouble(code: .unsent, since: ServerFixture.now)],
            ])
    }

    private static func points(
        _ overview: StudyOverview, by grouping: StudyOverview.Grouping
    ) -> [String: [String]] {
        Dictionary(
            uniqueKeysWithValues: overview.courses(by: grouping).map { course in
                (course.group ?? "-", course.points.map { "\($0.date) \($0.total)" })
            })
    }

    @Test func `the course of a group has one point for each date, with the total up to it`() throws {
        let overview = try Self.overview()

        #expect(
            Self.points(overview, by: .arm) == [
                "a": ["2026-11-01 3", "2026-11-04 6"], "b": ["2026-11-01 1"],
            ])
        #expect(
            Self.points(overview, by: .stratum) == [
                "x": ["2026-11-01 3", "2026-11-04 6"], "y": ["2026-11-01 1"],
            ])
        #expect(Self.points(overview, by: .none) == ["-": ["2026-11-01 4", "2026-11-04 7"]])
    }

    @Test func `a participant counts once for each problem, and each kind has its earliest start`() throws {
        let letters = ArmNames(blinding: ["b", "a"], of: "small-steps", secret: [1])
        var overview = try Self.overview()
        #expect(overview.json(by: .arm, .letters(letters))["target"] == JSON.null)
        overview.target = 120
        let json = overview.json(by: .arm, .letters(letters))

        #expect(json["target"] == 120)
        #expect(json["steps"] == ["enrolled": 7, "active": 6, "finished": 0, "stopped": 1])
        let trouble = Dictionary(
            uniqueKeysWithValues: (json["trouble"]?.array ?? []).map { ($0["code"]?.string ?? "", $0) })
        #expect(trouble.count == ParticipantTrouble.Code.allCases.count)
        #expect(trouble["unsent"]?["participants"] == 2)
        #expect(trouble["unsent"]?["oldest_at"] == .instant(ServerFixture.now))
        #expect(trouble["unreachable"]?["participants"] == 1)
        #expect(trouble["never_started"] == ["code": "never_started", "participants": 0, "oldest_at": nil])
        #expect(json["enrolment"]?.array?.compactMap { $0["group"]?.string } == ["A", "B"])
    }

    @Test func `a caller who sees letters sees numbers by arm only if the ratios are equal`() {
        let letters = ArmView.letters(ArmNames(blinding: ["b", "a"], of: "small-steps", secret: [1]))
        var study = Study(
            code: "small-steps", version: "1.0.0", consentVersion: "1", openEnrolment: true,
            languages: ["en"],
            text: [:], zone: .utc, days: 28, arms: [Arm(code: "a", ratio: 1), Arm(code: "b", ratio: 1)],
            allocation: Allocation(blockSizes: [2], isConcealed: false), schedules: [], questionnaires: [])
        #expect(letters.showsNumbers(of: study) && ArmView.codes.showsNumbers(of: study))

        study.arms[1].ratio = 2
        #expect(!letters.showsNumbers(of: study) && ArmView.codes.showsNumbers(of: study))
        let totals = AdherenceTotals(rows: [], now: ServerFixture.now)
        #expect(totals.json(letters, showsArms: false)["arms"] == [])
    }

    @Test func `each number is the number of participants that the list has with the same state`()
        async throws
    {
        try await ServerFixture.withParticipant(in: "small-steps") { ada in
            let rosa = try await ada.researcher(of: "small-steps")
            let path = "/v1/studies/small-steps"

            var found: (overview: JSON, numbers: [String: Int], rows: [String: Int]) = (.null, [:], [:])
            // Other tests enrol participants and withdraw them between two requests, so the comparison is repeated.
            for _ in 0..<10 where found.rows.isEmpty || found.numbers != found.rows {
                found = (try await rosa.get("\(path)/overview").json, [:], [:])
                for code in ["active", "finished", "stopped"] {
                    found.numbers[code] = found.overview["steps"]?[code]?.int
                }
                for row in found.overview["trouble"]?.array ?? [] {
                    found.numbers[row["code"]?.string ?? ""] = row["participants"]?.int
                }
                for state in found.numbers.keys {
                    found.rows[state] = try await rosa.pages(
                        "\(path)/participants?limit=1000&state=\(state)"
                    ).count
                }
            }

            #expect(found.numbers == found.rows)
            #expect(found.numbers.keys.sorted() == ParticipantQuery.states.sorted())
            #expect(found.numbers["active"] ?? 0 >= 1)
            let points = found.overview["enrolment"]?.array?.flatMap { $0["points"]?.array ?? [] } ?? []
            #expect(!points.isEmpty)
        }
    }

    @Test func `the list finds a participant by each filter, and the row has the same as without filters`()
        async throws
    {
        try await ServerFixture.withParticipant(in: "small-steps") { ada in
            let rosa = try await ada.researcher(of: "small-steps")
            let path = "/v1/studies/small-steps/participants"
            let enrolment = try await ada.get(ada.own("")).json
            let name = try #require(enrolment["participant_id"]?.string)
            func names(_ query: String) async throws -> [String] {
                try await rosa.pages("\(path)?limit=1000&\(query)").compactMap {
                    $0["participant_id"]?.string
                }
            }

            let all = try await rosa.pages("\(path)?limit=2")
            let row = try #require(all.first { $0["participant_id"]?.string == name })

            #expect(
                all.compactMap { $0["participant_id"]?.string }
                    == all.compactMap { $0["participant_id"]?.string }.sorted())
            #expect(row["study_day"] == 0 && row["trouble"] == [])
            #expect(try await names("q=\(name.lowercased())") == [name])
            #expect(try await names("arm=\(row["arm"]?.string ?? "")").contains(name))
            #expect(try await !names("arm=nothing").contains(name))
            #expect(
                try await names("state=active&enrolled_from=2026-11-21&enrolled_to=2026-11-21").contains(name)
            )
            #expect(try await !names("enrolled_from=2026-11-22").contains(name))
            #expect(try await !names("state=stopped").contains(name))
            let (up, down) = (try await names("sort=enrolled_at"), try await names("sort=-participant_id"))
            #expect(up.contains(name) && down == down.sorted(by: >))
            for key in ["arm", "state", "study_day", "adherence", "unsent", "trouble"] {
                for sort in [key, "-\(key)"] {
                    let found = try await rosa.pages("\(path)?limit=10&sort=\(sort)")
                    #expect(found.count { $0["participant_id"]?.string == name } == 1, "\(sort)")
                }
            }
            #expect(row["unsent"] == 0)
            let arms = try await rosa.get(path).json["arms"]?.array ?? []
            #expect(arms.contains(row["arm"] ?? nil))
        }
    }

    @Test(arguments: [
        "sort=size", "state=lost", "cursor=x", "enrolled_from=yesterday", "q=", "limit=0", "size=1",
        "enrolled_from=2026-11-21&enrolled_to=2026-11-20",
    ])
    func `an unknown filter, order or cursor is rejected`(query: String) async throws {
        try await ServerFixture.withResearcher { rosa in
            try await rosa.get("/v1/studies/mindful-walking/participants?\(query)").expectProblem(
                400, "request-invalid")
        }
    }

    @Test func `a cursor belongs to one order`() async throws {
        try await ServerFixture.withResearcher { rosa in
            let path = "/v1/studies/mindful-walking/participants"
            let cursor = Cursor(["enrolled_at", "5", "P"]).text

            #expect(try await rosa.get("\(path)?sort=enrolled_at&cursor=\(cursor)").status == 200)
            try await rosa.get("\(path)?sort=-enrolled_at&cursor=\(cursor)").expectProblem(
                400, "request-invalid")
            try await rosa.get("/v1/studies/mindful-walking/overview?group=country").expectProblem(
                400, "request-invalid")
        }
    }
}
