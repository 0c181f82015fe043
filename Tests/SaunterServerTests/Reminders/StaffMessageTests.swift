import HTTPTypes
import Postgres
import SaunterCore
import Testing

@testable import SaunterServer
@testable import SaunterStore

/// The messages of a study for its team: reminders, counts by day, unreachable participants and broadcasts.
@Suite struct StaffMessageTests {
    private static let base = "/v1/studies/mindful-walking"
    /// No other test plans a message for these days.
    private static let days = "from=2025-03-03&to=2025-03-16"

    private static func pseudonym(_ caller: APICaller) async throws -> String {
        try #require(try await caller.get(caller.own("")).json["participant_id"]?.string)
    }

    /// Stores a reminder as a worker leaves it.
    private static func insert(
        _ caller: APICaller, _ kind: String, _ subject: String, state: String, at moment: String,
        why: String? = nil, attempts: [(channel: String, outcome: String)] = []
    ) async throws {
        let key: [Parameter] = [.uuid(EnrolmentID(caller.enrolment)?.uuid), .text(kind), .text(subject)]
        _ = try await caller.server.store.research.query(
            Statement(
                name: "insert_test_reminder",
                sql: """
                    insert into research.reminder (enrolment_id, kind, subject, ordinal, planned_at, claimed_at,
                      occasion_count, state, why, sent_at)
                    values ($1, $2, $3, 1, $4, $4, 0, $5, $6, case when $5 = 'sent' then $4 end)
                    """),
            Arguments(key + [.instant(Instant(moment)), .text(state), .text(why)]))
        for (index, attempt) in attempts.enumerated() {
            _ = try await caller.server.store.research.query(
                Statement(
                    name: "insert_test_attempt",
                    sql: "insert into research.reminder_attempt values ($1, $2, $3, 1, $4, $5, $6, $7, 550)"),
                Arguments(
                    key + [
                        .int(index + 1), .text(attempt.channel), .instant(Instant(moment)),
                        .text(attempt.outcome),
                    ]))
        }
    }

    /// Stores messages of every state on two days.
    private static func insertMessages(_ ada: APICaller) async throws -> String {
        let occasion = try #require(
            try await ada.get(ada.own("/occasions?limit=1")).json["items"]?.array?.first?["occasion_id"]?
                .string)
        try await insert(
            ada, "at_open", occasion, state: "failed", at: "2025-03-04T17:00:00.000Z", why: "refused",
            attempts: [("push", "gone"), ("mail", "refused")])
        try await insert(
            ada, "rule", "calm/2025-03-04T10:00:00.000Z/", state: "sent", at: "2025-03-04T10:00:00.000Z",
            attempts: [("mail", "sent")])
        try await insert(
            ada, "notice", "welcome/2025-03-04", state: "unknown", at: "2025-03-04T11:00:00.000Z",
            why: "connection_lost")
        // In Berlin, this is the next day.
        try await insert(
            ada, "due_today", "2025-03-05", state: "suppressed", at: "2025-03-04T23:30:00.000Z",
            why: "daily_cap")
        try await insert(
            ada, "rule", "broadcast/0190a5c0-0000-7000-8000-000000000000", state: "retrying",
            at: "2025-03-05T10:00:00.000Z")
        return occasion
    }

    // MARK: Reminders

    @Test func `an entry names the occasion or the rule, the state and the channels that failed`()
        async throws
    {
        try await ServerFixture.withParticipant { ada in
            let occasion = try await Self.insertMessages(ada)
            let name = try await Self.pseudonym(ada)
            let rosa = try await ada.researcher()

            let found = try await rosa.pages("\(Self.base)/messages?participant=\(name)&\(Self.days)&limit=2")

            #expect(
                found.map { $0["kind"]?.string } == ["rule", "due_today", "at_open", "notice", "rule"])
            #expect(
                found.map { $0["state"]?.string } == ["retrying", "suppressed", "failed", "unknown", "sent"])
            #expect(found.map { $0["rule"]?.string } == ["broadcast", nil, nil, "welcome", "calm"])
            let failed = found[2]
            #expect(failed["occasion_id"]?.string == occasion && failed["reason"] == "refused")
            #expect(failed["questionnaire"]?.string?.isEmpty == false && failed["sent_at"]?.isNull == true)
            #expect(
                failed["attempts"]?.array?.map { $0["channel"]?.string } == ["push", "mail"])
            #expect(failed["attempts"]?.array?.map { $0["outcome"]?.string } == ["gone", "refused"])
            #expect(found.allSatisfy { $0["participant_id"]?.string == name })
            #expect(found[4]["sent_at"] == found[4]["planned_at"] && found[4]["occasion_id"]?.isNull == true)
            let text = try await rosa.get("\(Self.base)/messages?\(Self.days)").text
            #expect(!text.contains("Canary") && !text.contains("example.org"))
        }
    }

    @Test func `filters select participants, states, kinds and rules`() async throws {
        try await ServerFixture.withParticipant { ada in
            _ = try await Self.insertMessages(ada)
            let name = try await Self.pseudonym(ada)
            let rosa = try await ada.researcher()
            let filters = [
                "state=failed": 1, "state=claimed": 0, "kind=rule": 2, "rule=calm": 1, "rule=broadcast": 1,
                "rule=welcome": 1, "rule=calm&state=failed": 0, "from=2025-03-05": 2, "to=2025-03-04": 3,
            ]

            for (filter, count) in filters {
                let dates =
                    filter.hasPrefix("from")
                    ? "to=2025-03-16" : filter.hasPrefix("to") ? "from=2025-03-03" : Self.days
                let found = try await rosa.pages(
                    "\(Self.base)/messages?participant=\(name)&\(dates)&\(filter)&limit=1")
                #expect(found.count == count, "\(filter)")
            }
            #expect(
                try await rosa.pages("\(Self.base)/messages?participant=UNKNOWN&\(Self.days)&limit=1").isEmpty
            )
        }
    }

    @Test(arguments: [
        "from=2025-03-03&to=2025-03-31", "from=2025-03-03&to=2025-03-02", "state=lost", "kind=letter",
        "cursor=x",
    ])
    func `a query that cannot be answered is rejected`(query: String) async throws {
        try await ServerFixture.withResearcher { rosa in
            try await rosa.get("\(Self.base)/messages?\(query)").expectProblem(400, "request-invalid")
            #expect(
                try await rosa.get("\(Self.base)/messages?from=2025-03-03&to=2025-03-30").status == 200)
        }
    }

    @Test func `the counts of a day are those of its entries, and excluded participants do not count`()
        async throws
    {
        try await ServerFixture.withParticipant(in: "training-or-waiting") { ada in
            let base = "/v1/studies/training-or-waiting"
            let ben = try await ada.newParticipant(in: "training-or-waiting")
            for caller in [ada, ben] {
                for (subject, state) in [("a/1", "sent"), ("a/2", "failed"), ("a/3", "claimed")] {
                    try await Self.insert(
                        caller, "notice", subject, state: state, at: "2025-03-04T10:00:00.000Z")
                }
                try await Self.insert(
                    caller, "notice", "a/4", state: "sent", at: "2025-03-04T23:30:00.000Z")
            }
            _ = try await ben.post(ben.own("/withdrawal"), ["mode": "exclude"])
            let rosa = try await ada.researcher(of: "training-or-waiting")

            let days = try await rosa.get("\(base)/messages/days?\(Self.days)").json["items"]?.array ?? []
            let entries = try await rosa.pages("\(base)/messages?\(Self.days)&limit=3")

            #expect(days.compactMap { $0["date"]?.string } == ["2025-03-04", "2025-03-05"])
            #expect(days.compactMap { $0["planned"]?.int } == [3, 1])
            #expect(days.compactMap { $0["sent"]?.int } == [1, 1])
            #expect(days.compactMap { $0["failed"]?.int } == [1, 0])
            #expect(days.compactMap { $0["waiting"]?.int } == [1, 0])
            #expect(entries.count == 4)
            for query in ["from=2025-03-03&to=2025-03-31", "to=x"] {
                try await rosa.get("\(base)/messages/days?\(query)").expectProblem(400, "request-invalid")
            }
        }
    }

    // MARK: Unreachable participants

    @Test func `a channel is listed while its participant takes part`() async throws {
        try await ServerFixture.withParticipant(in: "small-steps") { ada in
            let path = "/v1/studies/small-steps/unreachable"
            let rosa = try await ada.researcher(of: "small-steps")
            for (channel, isUnreachable) in [("push", true), ("mail", true), ("webhook", false)] {
                _ = try await ada.server.store.research.query(
                    Statement(
                        name: "insert_test_channel",
                        sql: "insert into research.reminder_channel values ($1, $2, 3, $3, $4)"),
                    [
                        .uuid(EnrolmentID(ada.enrolment)?.uuid), .text(channel), .instant(ServerFixture.now),
                        .instant(isUnreachable ? ServerFixture.now : nil),
                    ])
            }
            let name = try await Self.pseudonym(ada)

            let found = try await rosa.pages("\(path)?limit=1").filter {
                $0["participant_id"]?.string == name
            }

            #expect(found.map { $0["channel"]?.string } == ["mail", "push"])
            #expect(found.allSatisfy { $0["failures"] == 3 && $0["since"] == .instant(ServerFixture.now) })
            _ = try await ada.post(ada.own("/withdrawal"), ["mode": "stop"])
            #expect(
                try await rosa.pages("\(path)?limit=1").allSatisfy { $0["participant_id"]?.string != name })
        }
    }

    // MARK: Broadcasts

    private static func coordinator(
        of study: String, seesArms: Bool = false, like caller: APICaller
    ) async throws -> APICaller {
        var member = caller
        member.token = try await caller.server.makeLogin(
            Grant(role: .coordinator, study: study, seesArms: seesArms)
        ).accessToken
        return member
    }

    @Test func `an audience is counted before anything is sent`() async throws {
        try await ServerFixture.withParticipant(in: "pocket-diary") { ada in
            let study = "pocket-diary"
            let cora = try await Self.coordinator(of: study, like: ada)
            let name = try await Self.pseudonym(ada)
            let path = "/v1/studies/\(study)/broadcasts/preview"

            let all = try await cora.post(path, ["audience": ["all": true]])
            let one = try await cora.post(path, ["audience": ["participants": [.string(name)]]])

            #expect(all.json["recipients"]?.int ?? 0 >= 1)
            #expect(one.json == ["recipients": 1, "paused": 0])
            for audience: JSON in [
                ["all": false], ["all": true, "participants": [.string(name)]], ["arms": ["unknown"]],
                ["participants": [.string(name), "UNKNOWN"]],
            ] {
                try await cora.post(path, ["audience": audience]).expectProblem(422, "body-invalid")
            }
        }
    }

    @Test func `broadcasts are listed with their audience, the newest first`() async throws {
        try await ServerFixture.withParticipant(in: "hidden-arms") { ada in
            let base = "/v1/studies/hidden-arms"
            let cora = try await Self.coordinator(of: "hidden-arms", like: ada)
            let sam = try await Self.coordinator(of: "hidden-arms", seesArms: true, like: ada)
            let name = try await Self.pseudonym(ada)
            let arm = try #require(
                try await sam.get("\(base)/participants/\(name)/arm").json["arm"]?.string)
            let audiences: [JSON] = [
                ["all": true], ["arms": [.string(arm)]], ["participants": [.string(name)]],
            ]
            var ids: [String] = []
            for audience in audiences {
                let id = SampleBatch.newID()
                let body: JSON = [
                    "audience": audience,
                    "words": ["en": ["subject": .string("To \(ids.count)"), "body": "…"]],
                ]
                #expect(try await sam.put("\(base)/broadcasts/\(id)", body).status == 201)
                ids.append(id)
            }

            let all = try await cora.pages("\(base)/broadcasts?limit=2")
            let found = ids.compactMap { id in all.first { $0["broadcast_id"]?.string == id } }

            #expect(Set(all.compactMap { $0["broadcast_id"]?.string }).count == all.count)
            #expect(found.map { $0["audience"]?.string } == ["all", "arms", "participants"])
            #expect(found.map { $0["subject"]?.string } == ["To 0", "To 1", "To 2"])
            #expect(found.map { $0["participants"]?.int } == [nil, nil, 1])
            let letter = try #require(found[1]["arms"]?.array?.first?.string)
            #expect(letter != arm && found[0]["arms"]?.isNull == true)
            // Arms are named, and offered, only to members who see them.
            let page = try await cora.get("\(base)/broadcasts")
            #expect(page.json["arms"] == [] && !page.text.contains("canary"))
            #expect(try await sam.get("\(base)/broadcasts").json["arms"]?.array?.count == 2)
            let preview: JSON = ["audience": ["arms": [.string(arm)]]]
            try await cora.post("\(base)/broadcasts/preview", preview).expectProblem(403, "arms-blinded")
            #expect(try await sam.post("\(base)/broadcasts/preview", preview).status == 200)
            // The progress of one is the same as in the list.
            let one = try await cora.get("\(base)/broadcasts/\(ids[0])").json
            for member in ["state", "addressed", "sent", "failed", "opened", "created_at"] {
                #expect(one[member] == found[0][member], "\(member)")
            }
        }
    }
}
