import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Filters, orders and pages of the list of answer sheets.
@Suite struct EntryListTests {
    private typealias Entry = SampleEntry

    private static func with(_ body: @Sendable (APICaller) async throws -> Void) async throws {
        try await ServerFixture.withParticipant(in: Entry.study, body)
    }

    @Test func `the list can be restricted to a questionnaire, local dates and the newest sheets`()
        async throws
    {
        try await Self.with { ada async throws in
            let yesterday = try await ada.submit(Entry.mood(2, minutes: 24 * 60)).id
            let today = try await ada.submit(Entry.mood(3, minutes: 5)).id
            let earlier = try await ada.submit(Entry.mood(4, minutes: 10)).id
            let promise = try await ada.submit(Entry.promise()).id

            // All sheets are received at the time of the fixture.
            let order = "order=completed&"
            #expect(try await ada.listed(order + "limit=2") == [promise, today, earlier, yesterday])
            #expect(
                try await ada.listed(order + "questionnaire=step_mood") == [today, earlier, yesterday])
            #expect(try await ada.listed("to=2026-11-20") == [yesterday])
            #expect(
                try await ada.listed(order + "from=2026-11-21&questionnaire=step_mood")
                    == [today, earlier])
            #expect(Set(try await ada.listed("latest=true")) == [promise, today])
            #expect(try await ada.listed("latest=true&questionnaire=step_mood&to=2026-11-20") == [yesterday])
        }
    }

    @Test func `every order is stable over pages`() async throws {
        try await Self.with { ada async throws in
            let dates = ["2026-12-24", nil, "2026-12-01", "2026-12-24", nil]
            var ids: [String] = []
            for (index, date) in dates.enumerated() {
                ids.append(try await ada.submit(Entry.promise("p\(index)", by: date, minutes: index)).id)
            }
            func expected(_ keys: [String]) -> [String] {
                zip(keys, ids).sorted { ($0.0, $0.1) > ($1.0, $1.1) }.map(\.1)
            }

            for limit in 1...3 {
                let query = "questionnaire=promise&limit=\(limit)&order="
                // All sheets are received at the time of the fixture, so the id decides.
                #expect(try await ada.listed(query + "received") == ids.sorted(by: >))
                #expect(try await ada.listed(query + "completed") == ids)
                #expect(try await ada.listed(query + "item:by") == expected(dates.map { $0 ?? "" }))
            }
        }
    }

    @Test(arguments: [
        ("questionnaire=nothing", "/questionnaire", "unknown_questionnaire"),
        ("order=random", "/order", "not_a_value"),
        ("order=item:by", "/order", "needs_questionnaire"),
        ("questionnaire=promise&order=item:nothing", "/order", "unknown_item"),
        ("questionnaire=promise&order=item:promise_text", "/order", "not_a_date"),
        ("from=2026-11-22&to=2026-11-21", "/to", "before_from"),
        ("from=yesterday", "/from", "wrong_format"), ("active=perhaps", "/active", "wrong_type"),
        ("refers_to=1", "/refers_to", "wrong_format"), ("programme=a", "/programme", "unknown_parameter"),
    ])
    func `an invalid filter is named`(query: String, pointer: String, code: String) async throws {
        try await Self.with { ada async throws in
            let answer = try await ada.get(ada.own("/answer-sheets?\(query)"))

            answer.expectProblem(400, "request-invalid", [pointer])
            #expect(answer.json["errors"]?.array?.first?["code"]?.string == code, "\(answer.text)")
        }
    }

    @Test func `several invalid filters are named together`() async throws {
        try await Self.with { ada async throws in
            let answer = try await ada.get(
                ada.own("/answer-sheets?questionnaire=nothing&order=random&from=2026-11-22&to=2026-11-21"))

            answer.expectProblem(400, "request-invalid", ["/questionnaire", "/order", "/to"])
        }
    }

    @Test func `a cursor belongs to one order`() async throws {
        try await Self.with { ada async throws in
            for minutes in 1...2 { _ = try await ada.submit(Entry.promise(minutes: minutes)) }
            let page = try await ada.get(ada.own("/answer-sheets?limit=1&order=completed"))
            let cursor = try #require(page.json["next"]?.string)

            let other = try await ada.get(ada.own("/answer-sheets?limit=1&order=received&cursor=\(cursor)"))
            let forged = Cursor(["completed", "nan", SampleBatch.newID()]).text
            let invalid = try await ada.get(ada.own("/answer-sheets?order=completed&cursor=\(forged)"))

            other.expectProblem(400, "request-invalid", ["/cursor"])
            invalid.expectProblem(400, "request-invalid", ["/cursor"])
            #expect(page.headers[.link]?.contains("order=completed") == true)
        }
    }
}
