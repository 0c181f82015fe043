import Foundation
import HTTPTypes
import Postgres
import SaunterCore
import Testing

@testable import SaunterServer
@testable import SaunterStore

/// The rules, variables and decisions of the blinded study `hidden-rules`, whose arms are `zebracanary` and
/// `heroncanary`.
@Suite struct RuleRouteTests {
    private static let study = "hidden-rules"
    private static let base = "/v1/studies/hidden-rules"

    /// A researcher of the study.
    private static func researcher(seesArms: Bool, like caller: APICaller) async throws -> APICaller {
        var member = caller
        member.token = try await caller.server.makeLogin(
            Grant(role: .researcher, study: study, seesArms: seesArms)
        ).accessToken
        return member
    }

    /// Stores a decision for the participant, as the worker does.
    private static func decide(
        _ rule: String, _ ada: APICaller, _ outcome: String = "message", point: String = "sheet:1",
        key: String = "", hour: Int = 12, variables: JSON = [:], probability: Double? = nil,
        draw: Double? = nil
    ) async throws {
        let moment = "2026-11-20T\(hour):00:00.000Z"
        _ = try await ada.server.store.research.query(
            Statement(
                name: "decide",
                sql: """
                    insert into research.decision (enrolment_id, rule, point, key, study_version, moment, decided_at,
                      outcome, available, variables, probability, draw)
                    values ($1, $2, $3, $4, '1.0.0', $5, $5, $6, true, $7::text::json, $8, $9)
                    """),
            [
                .uuid(UUID(uuidString: ada.enrolment)), .text(rule), .text(point), .text(key),
                .instant(Instant(moment)), .text(outcome), .text(variables.text), .float8(probability),
                .float8(draw),
            ])
    }

    private static func pseudonym(_ caller: APICaller) async throws -> String {
        try #require(try await caller.get(caller.own("")).json["participant_id"]?.string)
    }

    @Test func `a rule has its point, condition, action and the decisions by outcome`() async throws {
        try await ServerFixture.withParticipant(in: Self.study) { ada async throws in
            let sam = try await Self.researcher(seesArms: true, like: ada)
            func rules() async throws -> [JSON] {
                try await sam.get("\(Self.base)/rules").json["items"]?.array ?? []
            }
            func count(_ rule: JSON, _ outcome: String) -> Int {
                (rule["outcomes"]?.array ?? []).first { $0["outcome"]?.string == outcome }?["decisions"]?.int
                    ?? 0
            }
            let before = try await rules()
            try await Self.decide("reply", ada, point: "sheet:1", probability: 0.5, draw: 0.31)
            try await Self.decide("reply", ada, "randomised_out", point: "sheet:2", hour: 13)
            let after = try await rules()

            #expect(
                after.compactMap { $0["rule"]?.string }
                    == ["reply", "second", "by_days", "by_name", "zebracanary_reply"])
            let reply = try #require(after.first)
            #expect(reply["at"]?.string == "entry" && reply["at_text"]?.string == "entry: pocket_note")
            #expect(reply["when"]?.string == "mood_mean < 5 and notes >= 1")
            #expect(reply["probability"]?.double == 0.5 && reply["action"]?.string == "message")
            #expect(reply["hidden"] == [])
            let second = after[1]
            #expect(second["at_text"]?.string == "reached: \"notes >= 2\"" && second["when"]?.isNull == true)
            #expect(second["action"]?.string == "award" && second["action_code"]?.string == "second")
            let one = try await sam.get("\(Self.base)/rules?rule=second").json
            #expect(one["items"]?.array?.compactMap { $0["rule"]?.string } == ["second"])
            let uncounted = try await sam.get("\(Self.base)/rules?rule=reply&counts=false").json["items"]?
                .array?.first
            #expect(uncounted?["decisions"]?.isNull == true && uncounted?["outcomes"] == [])
            #expect(uncounted?["last_decided_at"]?.isNull == true && uncounted?["when"] == reply["when"])
            #expect(try await sam.get("\(Self.base)/rules?rule=unknown").json["items"] == [])
            // Other tests of the process can add decisions of other participants.
            for outcome in ["message", "randomised_out"] {
                #expect(count(reply, outcome) >= count(before[0], outcome) + 1)
            }
            let total = (reply["outcomes"]?.array ?? []).compactMap { $0["decisions"]?.int }.reduce(0, +)
            #expect(reply["decisions"]?.int == total)
            let last = try #require(reply["last_decided_at"]?.string)
            #expect(last >= "2026-11-20T13:00:00.000Z")
        }
    }

    @Test func `filters select decisions, and pages together are the list`() async throws {
        try await ServerFixture.withParticipant(in: Self.study) { ada async throws in
            let sam = try await Self.researcher(seesArms: true, like: ada)
            let name = try await Self.pseudonym(ada)
            for number in 0..<5 {
                try await Self.decide(
                    "reply", ada, number == 2 ? "when" : "message", point: "sheet:\(number)",
                    variables: ["mood_mean": .int(number), "notes": 1])
            }
            let path = "\(Self.base)/rules/reply/decisions?participant=\(name)"

            let all = try await sam.pages("\(path)&limit=2")

            #expect(all.count == 5 && all.allSatisfy { $0["participant_id"]?.string == name })
            let pages = Set(all.compactMap { $0["point"]?.string })
            #expect(pages == Set((0..<5).map { "sheet:\($0)" }))
            let stopped = try #require(try await sam.pages("\(path)&outcome=when").first)
            #expect(stopped["variables"] == ["mood_mean": 2, "notes": 1])
            #expect(stopped["when"]?.string == "mood_mean < 5 and notes >= 1")
            #expect(try await sam.pages("\(path)&from=2026-11-20&to=2026-11-20").count == 5)
            #expect(try await sam.pages("\(path)&from=2026-11-21").isEmpty)
            #expect(try await sam.pages("\(path)&to=2026-11-19").isEmpty)
            #expect(
                try await sam.pages("\(Self.base)/rules/reply/decisions?participant=UNKNOWN").isEmpty)
            #expect(try await sam.pages("\(Self.base)/rules/unknown/decisions?limit=5").isEmpty)
            for query in [
                "from=2026-02-02&to=2026-02-01", "outcome=odd", "from=today", "cursor=x",
            ] {
                try await sam.get("\(Self.base)/rules/reply/decisions?\(query)")
                    .expectProblem(400, "request-invalid")
            }
        }
    }

    @Test func `variables have their definition, unit and readers`() async throws {
        try await ServerFixture.withParticipant(in: Self.study) { ada async throws in
            let sam = try await Self.researcher(seesArms: true, like: ada)
            let answer = try await sam.get("\(Self.base)/variables").json
            let items = answer["items"]?.array ?? []

            #expect(answer["left_out"]?.int == 0 && answer["study_version"]?.string == "1.0.0")
            #expect(
                items.compactMap { $0["variable"]?.string } == [
                    "notes", "mood_mean", "later_days", "all_days", "about_canaries", "zebracanary_notes",
                ])
            #expect(items[0]["title"]?.string == "Notes" && items[0]["visible_to"] == ["staff"])
            #expect(items[1]["definition"]?.string == "mean: {entry: pocket_note, item: mood}")
            #expect(items[1]["visible_to"] == ["participants", "staff"])
            #expect(items[3]["definition"]?.string == "expression: \"notes + later_days\"")
            #expect(items[3]["visible_to"] == [] && items[3]["title"]?.isNull == true)
            #expect(items.allSatisfy { $0["hides_values"]?.bool == false && $0["hidden"] == [] })
        }
        try await ServerFixture.withResearcher { rosa async throws in
            let path = "/v1/studies/mindful-walking"
            #expect(try await rosa.get("\(path)/rules").json["items"] == [])
            #expect(try await rosa.get("\(path)/variables").json["items"] == [])
        }
    }

    @Test func `a blinded researcher gets no text that names an arm and no value that follows from it`()
        async throws
    {
        try await ServerFixture.withParticipant(in: Self.study) { ada async throws in
            let sam = try await Self.researcher(seesArms: true, like: ada)
            let rosa = try await Self.researcher(seesArms: false, like: ada)
            let name = try await Self.pseudonym(ada)
            try await Self.decide("by_name", ada, "when", variables: ["zebracanary_notes": 3])
            try await Self.decide("by_days", ada, variables: ["all_days": 4])
            try await Self.decide("zebracanary_reply", ada)
            try await Self.decide(
                "reply", ada, point: "event:heroncanary@2026-11-20T00:00:00Z#1", key: "zebracanary",
                variables: ["mood_mean": 2, "notes": "Otter Canary"])
            let paths =
                ["rules", "variables"].map { "\(Self.base)/\($0)" }
                + ["by_name", "by_days", "reply"].map {
                    "\(Self.base)/rules/\($0)/decisions?participant=\(name)"
                }
            for path in paths {
                // The decisions of the rule that reads days name no arm.
                if !path.contains("by_days") {
                    #expect(try await sam.get(path).text.lowercased().contains("canary"), "\(path)")
                }
                let blinded = try await rosa.get(path)
                #expect(blinded.status == 200 && !blinded.text.lowercased().contains("canary"), "\(path)")
            }

            let rules = try await rosa.get("\(Self.base)/rules").json
            #expect(rules["left_out"]?.int == 1)
            #expect(
                rules["items"]?.array?.compactMap { $0["rule"]?.string }
                    == ["reply", "second", "by_days", "by_name"])
            #expect(rules["items"]?.array?[3]["hidden"] == ["/when"])
            #expect(try await rosa.get("\(Self.base)/rules?rule=zebracanary_reply").json["items"] == [])
            let hidden = "\(Self.base)/rules/zebracanary_reply/decisions"
            try await rosa.get(hidden).expectProblem(404, "not-found")
            #expect(try await sam.pages("\(hidden)?participant=\(name)").count == 1)
            let variables = try await rosa.get("\(Self.base)/variables").json
            #expect(variables["left_out"]?.int == 1)
            let hiding = (variables["items"]?.array ?? []).filter { $0["hides_values"]?.bool == true }
            #expect(
                hiding.compactMap { $0["variable"]?.string } == ["later_days", "all_days", "about_canaries"])
            #expect(hiding.last?["hidden"] == ["/definition"] && hiding.first?["hidden"] == [])

            func first(_ rule: String) async throws -> JSON {
                try #require(
                    try await rosa.pages("\(Self.base)/rules/\(rule)/decisions?participant=\(name)").first)
            }
            let byName = try await first("by_name")
            #expect(byName["hidden"] == ["/when"] && byName["variables"] == [:])
            let byDays = try await first("by_days")
            #expect(byDays["hidden"] == ["/variables/all_days"])
            #expect(byDays["variables"] == ["all_days": nil] && byDays["when"]?.string == "all_days >= 1")
            let reply = try await first("reply")
            #expect(reply["variables"] == ["mood_mean": 2, "notes": nil])
            #expect(reply["point"]?.string == "?" && reply["key"]?.string == "?")
        }
    }
}
