import HTTPTypes
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

/// One participant for researchers: the detail, the timeline and single sheets.
@Suite struct TimelineTests {
    // MARK: Pages

    private static let entries = (0..<7).map { number in
        TimelineEntry(
            at: ServerFixture.now.adding(seconds: -60 * number), kind: .event, id: "e\(number)", state: nil,
            questionnaire: nil, detail: nil)
    }

    /// What the store returns: up to `limit` entries next to the position, the newest first.
    private static func find(at position: TimelinePosition?, limit: Int) -> [TimelineEntry] {
        guard let position else { return Array(entries.prefix(limit)) }
        return position.isNewer
            ? Array(entries.filter { $0.at > position.at }.suffix(limit))
            : Array(entries.filter { $0.at < position.at }.prefix(limit))
    }

    private static func page(at position: TimelinePosition?, limit: Int) -> TimelinePage {
        TimelinePage(find(at: position, limit: limit + 1), at: position, limit: limit)
    }

    @Test(arguments: 1...8)
    func `older pages together are the whole list, and newer pages lead back`(limit: Int) throws {
        var pages = [Self.page(at: nil, limit: limit)]
        while let older = pages.last?.older { pages.append(Self.page(at: older, limit: limit)) }
        #expect(pages.flatMap(\.entries).map(\.id) == Self.entries.map(\.id))
        #expect(pages.first?.newer == nil && pages.last?.older == nil)

        var page = try #require(pages.last)
        for expected in pages.dropLast().reversed() {
            let newer = try #require(page.newer)
            page = Self.page(at: newer, limit: limit)
            #expect(page.entries.map(\.id) == expected.entries.map(\.id))
            #expect(page.older != nil)
        }
        #expect(page.newer == nil)
    }

    // MARK: Routes

    private static func researcher(of caller: APICaller, fullExport: Bool) async throws -> APICaller {
        var researcher = caller
        researcher.token = try await caller.server.makeLogin(
            Grant(role: .researcher, study: "mindful-walking", fullExport: fullExport)
        ).accessToken
        return researcher
    }

    private static func path(_ caller: APICaller) async throws -> String {
        let enrolment = try await caller.get(caller.own(""))
        let pseudonym = try #require(enrolment.json["participant_id"]?.string)
        return "/v1/studies/mindful-walking/participants/\(pseudonym)"
    }

    @Test func `a new participant has a consent, a day and open occasions, and nothing else`() async throws {
        try await ServerFixture.withParticipant { ada in
            let rosa = try await Self.researcher(of: ada, fullExport: false)
            let path = try await Self.path(ada)

            let detail = try await rosa.get(path)
            let timeline = try await rosa.pages("\(path)/timeline?limit=2")

            #expect(detail.status == 200)
            #expect(detail.json["study_day"] == 0 && detail.json["answer_sheets"] == 0)
            #expect(detail.json["consents"]?.array?.count == 1 && detail.json["unsent"] == 0)
            #expect(detail.json["days"]?.array?.compactMap { $0["study_day"]?.int } == [0])
            let kinds = timeline.compactMap { $0["kind"]?.string }
            #expect(Set(kinds) == ["consent", "occasion"])
            #expect(kinds.filter { $0 == "consent" }.count == 1)
            let instants = timeline.compactMap { $0["at"]?.string }
            #expect(instants == instants.sorted(by: >))
        }
    }

    @Test func `a sheet is at its completion, with its title and scores`() async throws {
        try await ServerFixture.withParticipant { ada in
            let rosa = try await Self.researcher(of: ada, fullExport: false)
            let path = try await Self.path(ada)
            let id = SampleBatch.newID()
            _ = try await ada.create("answer-sheets", SampleSheet.body("who_5", SampleSheet.who5), id: id)

            let sheets = try await rosa.get("\(path)/timeline?kinds=sheet")
            let sheet = try #require(sheets.json["items"]?.array?.first)

            #expect(sheet["id"] == .string(id) && sheet["at"] == .instant(ServerFixture.now))
            #expect(sheet["title"]?.string?.isEmpty == false)
            #expect(sheet["detail"]?["scores"]?.array?.contains { $0["value"] == 60 } == true)
            let none = try await rosa.get("\(path)/timeline?kinds=walk,edit")
            #expect(none.json["items"] == [])
            let before = try await rosa.get("\(path)/timeline?to=2026-11-20")
            #expect(before.json["items"] == [])
        }
    }

    @Test func `earlier free text needs the right to the full profile`() async throws {
        try await ServerFixture.withParticipant { ada in
            let path = try await Self.path(ada)
            let id = SampleBatch.newID()
            let answers = SampleSheet.daily.with(["note": "first words"])
            _ = try await ada.create(
                "answer-sheets",
                SampleSheet.body("daily_evening", answers, ["device": ["model": "Canary 9"]]),
                id: id)
            let corrected = try await ada.send(
                .patch, ada.own("/answer-sheets/\(id)"),
                ["answers": ["note": "second words"], "reason": "a typing error"])
            try #require(corrected.status == 200, "\(corrected.text)")
            let address = "\(path)/answer-sheets/\(id)"

            for readsAll in [false, true] {
                let rosa = try await Self.researcher(of: ada, fullExport: readsAll)
                let current = try await rosa.get(address)
                let first = try await rosa.get("\(address)?revision=1")

                #expect(current.json["answers"]?["note"] == "second words")
                #expect(current.json["current"] == true && first.json["current"] == false)
                #expect(current.json["revisions"]?.array?.last?["reason"] == "a typing error")
                #expect(first.json["answers"]?["mood"] == 5)
                #expect(first.json["answers"]?["note"] == (readsAll ? "first words" : nil))
                #expect(first.json["reasons"]?["note"] == (readsAll ? nil : "redacted"))
                #expect((current.json["device"] == .null) != readsAll)
            }
            let rosa = try await Self.researcher(of: ada, fullExport: true)
            try await rosa.get("\(address)?revision=3").expectProblem(404, "not-found")
        }
    }

    @Test func `every score of a sheet has the version of its key`() async throws {
        try await ServerFixture.withParticipant { ada in
            let rosa = try await Self.researcher(of: ada, fullExport: false)
            let path = try await Self.path(ada)
            let id = SampleBatch.newID()
            _ = try await ada.create("answer-sheets", SampleSheet.body("who_5", SampleSheet.who5), id: id)

            let sheet = try await rosa.get("\(path)/answer-sheets/\(id)")

            let score = try #require(sheet.json["scores"]?.array?.first { $0["value"] == 60 })
            #expect(score["newest"] == true)
            #expect(score["key_version"]?.string?.isEmpty == false)
            #expect(score["key_digest"]?.string?.count == 64)
            #expect(sheet.json["form"]?["item"]?.array?.isEmpty == false)
        }
    }

    @Test func `an excluded participant, an unknown one and one of another study are not found`() async throws
    {
        try await ServerFixture.withParticipant { ada in
            let rosa = try await Self.researcher(of: ada, fullExport: true)
            let path = try await Self.path(ada)
            let missing = "\(path)/answer-sheets/\(SampleBatch.newID())"
            try await rosa.get(missing).expectProblem(404, "not-found")
            try await rosa.get("\(path)x/timeline").expectProblem(404, "not-found")
            let withdrawn = try await ada.post(ada.own("/withdrawal"), ["mode": "exclude"])
            try #require(withdrawn.status == 200, "\(withdrawn.text)")

            for address in [path, "\(path)/timeline", missing] {
                try await rosa.get(address).expectProblem(404, "not-found")
            }
        }
    }

    @Test(arguments: ["kinds=message,mail", "from=yesterday", "cursor=x", "cursor=WyJhIiwiMSIsImEiLCJiIl0"])
    func `an unknown kind, date or cursor is rejected`(query: String) async throws {
        try await ServerFixture.withParticipant { ada in
            let rosa = try await Self.researcher(of: ada, fullExport: false)
            let path = try await Self.path(ada)
            try await rosa.get("\(path)/timeline?\(query)").expectProblem(400, "request-invalid")
        }
    }

    // MARK: Coordinates

    @Test func `coordinates have one decimal place, also in groups and lists`() throws {
        let place = Item(linkId: "place", type: .location)
        var group = Item(linkId: "trips", type: .group)
        group.item = [Item(linkId: "goal", type: .location)]
        let exact: JSON = ["lat": 52.5167, "lon": -13.3888, "accuracy_m": 30]
        let coarse: JSON = ["lat": 52.5, "lon": -13.4, "accuracy_m": 30]
        let answers: JSONObject = ["mood": 5, "place": exact, "trips": [["goal": exact, "note": "far"]]]

        let rounded = StaffAnswers.rounded(answers, items: [place, group])

        let expected: JSON = ["mood": 5, "place": coarse, "trips": [["goal": coarse, "note": "far"]]]
        #expect(JSON.object(rounded) == expected)
        #expect(
            StaffAnswers.rounded(["place": [exact, exact]], items: [place])["place"] == [coarse, coarse])
    }
}
