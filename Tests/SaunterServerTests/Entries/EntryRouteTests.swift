import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Links, active entries, daily maximum and settled occasions of entries, in single requests and batch uploads.
@Suite struct EntryRouteTests {
    private typealias Entry = SampleEntry

    private static func with(_ body: @Sendable (APICaller) async throws -> Void) async throws {
        try await ServerFixture.withParticipant(in: Entry.study, body)
    }

    // MARK: Links

    @Test func `a link is stored and shown in receipt, detail and list`() async throws {
        try await Self.with { ada async throws in
            let promise = try await ada.submit(Entry.promise()).id
            let (kept, receipt) = try await ada.submit(Entry.kept(promise))

            #expect(receipt["refers_to"]?.string == promise && receipt["source"] == "participant")
            #expect(receipt["local_date"] == "2026-11-21" && receipt["flags"] == [])
            let detail = try await ada.sheet(kept)
            #expect(detail["refers_to"]?.string == promise && detail["source"] == "participant")
            #expect(detail["active"]?.isNull == true)
            #expect(try await ada.listed("refers_to=\(promise)") == [kept])
        }
    }

    @Test func `invalid links are named with the other faults of the sheet`() async throws {
        try await Self.with { ada async throws in
            let ben = try await ada.newParticipant(in: Entry.study)
            let foreign = try await ben.submit(Entry.promise()).id
            let mood = try await ada.submit(Entry.mood()).id
            func code(_ entry: JSON) async throws -> String? {
                let answer = try await ada.put(ada.newRecord("answer-sheets"), entry)
                answer.expectProblem(422, "answer-sheet-invalid", ["/refers_to"])
                return answer.json["errors"]?.array?.first?["code"]?.string
            }

            #expect(try await code(Entry.body("promise_kept", ["kept": true])) == "required")
            #expect(try await code(Entry.kept(SampleBatch.newID())) == "unknown_entry")
            #expect(try await code(Entry.kept(foreign)) == "unknown_entry")
            #expect(try await code(Entry.kept(mood)) == "wrong_entry")
            #expect(
                try await code(Entry.mood().with(["refers_to": .string(mood)])) == "wrong_entry")
            let both = try await ada.put(
                ada.newRecord("answer-sheets"), Entry.body("promise_kept", ["kept": 3]))
            both.expectProblem(422, "answer-sheet-invalid", ["/refers_to", "/answers/kept"])
        }
    }

    @Test func `an optional link may be left out`() async throws {
        try await Self.with { ada async throws in
            let mood = try await ada.submit(Entry.mood()).id

            let alone = try await ada.submit(Entry.body("page", ["words": "alone"])).receipt
            let linked = try await ada.submit(Entry.body("page", ["words": "linked"], about: mood)).receipt

            #expect(alone["refers_to"]?.isNull == true && linked["refers_to"]?.string == mood)
        }
    }

    @Test func `a reference to an entry that had ended is flagged`() async throws {
        try await Self.with { ada async throws in
            let promise = try await ada.submit(Entry.promise(minutes: 60)).id
            let end = try await ada.submit(Entry.end(promise, minutes: 30)).receipt

            let before = try await ada.submit(Entry.kept(promise, minutes: 40)).receipt
            let after = try await ada.submit(Entry.kept(promise, minutes: 20)).receipt

            #expect([end, before, after].map { $0.hasFlag("entry_ended") } == [false, false, true])
        }
    }

    // MARK: Active entries

    @Test func `the newest entry is active until it is ended, in any order of receipt`() async throws {
        try await Self.with { ada async throws in
            let newer = try await ada.submit(Entry.promise("walk", minutes: 10)).id
            let older = try await ada.submit(Entry.promise("sleep", minutes: 20)).id

            #expect(try await ada.sheet(newer)["active"] == true)
            #expect(try await ada.sheet(older)["active"] == false)
            #expect(try await ada.listed("active=true") == [newer])

            let end = try await ada.submit(Entry.end(newer)).id

            #expect(try await ada.sheet(newer)["active"] == false)
            #expect(try await ada.sheet(end)["active"]?.isNull == true)
            #expect(try await ada.listed("questionnaire=promise&active=true") == [])
        }
    }

    // MARK: Settling and the daily maximum

    @Test func `an entry without an occasion answers the open occasion of the schedule that it settles`()
        async throws
    {
        try await Self.with { ada async throws in
            let occasion = try #require(try await ada.openOccasion(of: "step_mood"))

            let first = try await ada.submit(Entry.mood(3)).receipt
            let second = try await ada.submit(Entry.mood(4)).receipt

            #expect(first["occasion_id"] == occasion && first["standing"] == "on_time")
            #expect(second["occasion_id"]?.isNull == true && second["standing"] == "unscheduled")
            #expect(second["duplicate_of"]?.isNull == true && second["flags"] == [])
            let occasions = try await ada.get(ada.own("/occasions"))
            let settled = occasions.json["items"]?.array?.first { $0["occasion_id"] == occasion }
            #expect(settled?["state"] == "completed_on_time")
        }
    }

    @Test func `a settled occasion has no planned message any more`() async throws {
        try await Self.with { ada async throws in
            func planned(_ occasion: JSON) async throws -> Bool {
                let answer = try await ada.get(ada.own("/occasions"))
                return (answer.json["prompts"] ?? []).text.contains(occasion.string ?? "?")
            }
            let occasion = try #require(try await ada.openOccasion(of: "step_mood"))
            let before = try await planned(occasion)

            _ = try await ada.submit(Entry.mood())

            #expect(before)
            #expect(try await planned(occasion) == false)
        }
    }

    @Test func `a sheet above the daily maximum is flagged and fulfils nothing`() async throws {
        try await Self.with { ada async throws in
            // The occasion opens at 08:00. The first three entries are before it, on the same local date.
            let early = (0..<3).map { Entry.mood(5, minutes: 12 * 60 + $0) }
            for entry in early { _ = try await ada.submit(entry) }
            let entry = try #require(try await ada.overview()["step_mood"])

            let fourth = try await ada.submit(Entry.mood(1)).receipt
            let named = try await ada.submit(
                Entry.mood(1).with(["occasion_id": entry["occasion_id"] ?? .null])
            ).receipt

            #expect(entry["disabled"] == true && entry["disabled_reason"] == "completed_in_period")
            #expect(entry["due_today"] == false)
            #expect(fourth["flags"] == ["over_daily_limit"] && fourth["occasion_id"]?.isNull == true)
            #expect(named["flags"] == ["over_daily_limit"] && named["occasion_id"] == entry["occasion_id"])
            let occasions = try await ada.get(ada.own("/occasions")).json["items"]?.array ?? []
            #expect(
                occasions.first { $0["occasion_id"] == entry["occasion_id"] }?["sheet_id"]?.isNull == true)
        }
    }

    @Test func `a replay of the last permitted sheet has the same receipt`() async throws {
        try await Self.with { ada async throws in
            for minutes in 1...2 { _ = try await ada.submit(Entry.mood(minutes: minutes)) }
            let (id, receipt) = try await ada.submit(Entry.mood())

            let replay = try await ada.put(ada.own("/answer-sheets/\(id)"), Entry.mood())

            #expect(replay.status == 200 && replay.json["replayed"] == true)
            #expect(replay.json.without("replayed") == receipt.without("replayed"))
        }
    }

    // MARK: Batch uploads

    @Test func `in one upload a link may precede the entry to which it leads`() async throws {
        try await Self.with { ada async throws in
            let (promise, kept) = (SampleBatch.newID(), SampleBatch.newID())

            let answer = try await ada.sync([
                SampleBatch.item("answer_sheet", Entry.end(promise, minutes: 1)),
                SampleBatch.item("answer_sheet", Entry.kept(promise, minutes: 2), id: kept),
                SampleBatch.item("answer_sheet", Entry.promise(minutes: 3), id: promise),
            ])

            #expect(answer.results == ["accepted", "accepted", "accepted"])
            #expect(try await ada.sheet(kept)["refers_to"]?.string == promise)
        }
    }

    @Test func `a link to an entry that has not arrived is retried, and then accepted`() async throws {
        try await Self.with { ada async throws in
            let promise = SampleBatch.newID()
            let kept = SampleBatch.item("answer_sheet", Entry.kept(promise))

            let first = try await ada.sync([kept])
            let invalid = try await ada.sync([
                SampleBatch.item(
                    "answer_sheet", Entry.body("promise_kept", ["kept": 3], about: SampleBatch.newID()))
            ])
            _ = try await ada.sync([SampleBatch.item("answer_sheet", Entry.promise(), id: promise)])
            let second = try await ada.sync([kept])

            #expect(first.results == ["retry"] && second.results == ["accepted"])
            // An answer that never becomes valid is not retried.
            #expect(invalid.results == ["rejected"])
        }
    }

    @Test func `an upload counts its sheets for the daily maximum, and the first one settles`() async throws {
        try await Self.with { ada async throws in
            let moods = (0..<5).map { SampleBatch.item("answer_sheet", Entry.mood(5, minutes: 10 - $0)) }

            let answer = try await ada.sync(moods)

            let receipts = answer.items.map { $0["receipt"] ?? [:] }
            #expect(answer.results == Array(repeating: "accepted", count: 5))
            #expect(receipts.map { $0["occasion_id"]?.isNull } == [false, true, true, true, true])
            #expect(
                receipts.map { $0.hasFlag("over_daily_limit") } == [false, false, false, true, true])
        }
    }
}

extension JSON {
    /// Whether the flags of a receipt contain this one. The participants of the fixture have just enrolled, so earlier
    /// entries have the flag `before_enrolment`, too.
    fileprivate func hasFlag(_ flag: JSON) -> Bool { self["flags"]?.array?.contains(flag) ?? false }
}
