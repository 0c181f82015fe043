import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct ChangesTests {
    @Test func `the feed contains every record of a participant once, referenced records first`() async throws
    {
        try await StoreFixture.with { fixture in
            let participant = try await fixture.makeFullParticipant(participant: "P-1")

            let changes = try await fixture.changes(after: 0)

            #expect(changes.map(\.sequence) == Array(1...Int64(changes.count)))
            #expect(changes.first?.kind == .enrolment)
            let counts = Dictionary(grouping: changes, by: \.kind).mapValues(\.count)
            #expect(counts[.enrolment] == 1)
            #expect(counts[.calibration] == 1)
            #expect(counts[.walk] == 1)
            #expect(counts[.observation] == 1)
            #expect(counts[.usageEvent] == 1)
            #expect(counts[.answerSheet] == 1)
            #expect(counts[.occasion] == (try await fixture.occasions(of: participant.enrolment.id)).count)
            #expect(Set(changes.map(\.participantID)) == ["P-1"])
            #expect(Set(changes.map(\.enrolmentRef)).count == 1)
            #expect(changes.allSatisfy { $0.body != nil })
            let sheet = try #require(changes.last?.sheet)
            #expect(sheet.answers.texts == ["note": "calm"])
            #expect(sheet.scores.map(\.value) == [3])
            // At 8:00 by a device whose clock was 12 ms behind.
            #expect(changes.last?.body?["submitted_at"] == "2026-11-21T08:00:00.012Z")
            #expect(changes.last?.body?["clock_skew_s"]?.double == 0.012)
        }
    }

    @Test func `moments beyond the calendar are shown as its limits`() async throws {
        try await StoreFixture.with { fixture in
            let texts: [String] = try await fixture.values(
                """
                select coalesce(research.instant_text(at), '') as value
                from unnest(array[
                  '0001-01-01T00:00:00Z'::timestamptz - interval '100 years', '0001-01-01T00:00:00.000Z',
                  '2026-11-21T08:00:00.012Z', '9999-12-31T23:59:59.999Z',
                  '9999-12-31T00:00:00Z'::timestamptz + interval '100 years', null]) with ordinality as given (at, place)
                order by place
                """)
            #expect(
                texts == [
                    "0001-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z", "2026-11-21T08:00:00.012Z",
                    "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z", "",
                ])
        }
    }

    @Test func `changes that readers cannot see get no new number`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let evening = try await fixture.evenings(of: id)[0]
            let sheet = SheetSubmission.make(id, evening.id)
            let walk = WalkID(UUID())
            _ = try await fixture.store.submit([sheet])
            try await fixture.submitWalk(id, as: walk)
            let last = try await fixture.store.numberChanges(of: "walks")

            _ = try await fixture.store.submit([sheet])
            _ = try await fixture.store.isStored(sheet.sheet, of: id, digest: sheet.digest)
            try await fixture.submitWalk(id, as: walk)
            try await fixture.run(
                "update research.enrolment set next_reminder_at = now(), planned_through = '2030-01-01'")

            #expect(try await fixture.store.numberChanges(of: "walks") == last)
            #expect(try await fixture.changes(after: last).isEmpty)
        }
    }

    @Test func `a record that changes again moves to the end`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let evening = try await fixture.evenings(of: id)[0]
            let sheet = SheetSubmission.make(id, evening.id)
            let before = try await fixture.store.numberChanges(of: "walks")
            _ = try await fixture.store.submit([sheet])

            let first = try await fixture.changes(after: before)
            let scored = try #require(first.last?.sequence)
            try await fixture.run(
                """
                with key as (
                  insert into research.scoring_key values ('00000000-0000-0000-0000-000000000002', '2', 'k2', '1', '{mood}')
                )
                insert into research.rescored_sheet (enrolment_id, sheet_id, revision, key_id, scored_at, score_values, score_counts)
                select enrolment_id, sheet_id, revision, '00000000-0000-0000-0000-000000000002', scored_at + interval '1 day', '{4}',
                  score_counts
                from research.answer_sheet
                """)
            let second = try await fixture.changes(after: scored)
            _ = try await fixture.store.deleteSheet(
                id, sheet.sheet, now: .start, audit: StoreFixture.entry("sheet_deleted")
            ) { _ in }
            let third = try await fixture.changes(after: scored + 1)

            #expect(first.map(\.kind) == [.occasion, .answerSheet])
            #expect(first[0].body?["sheet_id"] == .string(sheet.sheet.description))
            #expect(second.map(\.kind) == [.answerSheet])
            #expect(second[0].sheet?.scores.map(\.value) == [4])
            #expect(third.map(\.kind) == [.occasion, .answerSheet])
            #expect(third[0].body?["sheet_id"] == .null)
            #expect(third[1].body == nil)
            #expect(third[1].subject == sheet.sheet.description)
        }
    }

    @Test func `scores that are written after their sheet was numbered are not missed`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            let last = try await fixture.store.numberChanges(of: "walks")
            var seen: Int64 = 0

            try await fixture.owner.write { transaction in
                // This transaction has not recorded a change of the sheet. The recorded one belongs to another
                // transaction and is numbered.
                try await transaction.run(
                    """
                    with key as (
                      insert into research.scoring_key values ('00000000-0000-0000-0000-000000000002', '2', 'k2', '1', '{mood}')
                    )
                    insert into research.rescored_sheet (enrolment_id, sheet_id, revision, key_id, scored_at, score_values, score_counts)
                    select enrolment_id, sheet_id, revision, '00000000-0000-0000-0000-000000000002', scored_at + interval '1 day', '{4}',
                      score_counts
                    from research.answer_sheet
                    """, [])
                seen = try await fixture.store.numberChanges(of: "walks")
            }

            #expect(seen == last)
            #expect(try await fixture.changes(after: last).compactMap(\.sheet).map(\.id) == [sheet.sheet])
        }
    }

    @Test func `a sheet stored with its scores in one statement is one change`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let last = try await fixture.store.numberChanges(of: "walks")

            _ = try await fixture.store.submit((0..<5).map { .make(id, body: "\($0)") })

            let changes = try await fixture.changes(after: last)
            #expect(changes.map(\.kind) == Array(repeating: .answerSheet, count: 5))
            #expect(changes.allSatisfy { $0.sheet?.scores.count == 1 })
        }
    }

    @Test func `a late commit is not missed, and waits for no reader`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let early = SheetSubmission.make(id)
            let before = try await fixture.store.numberChanges(of: "walks")
            var after: Int64 = 0

            try await fixture.owner.write { transaction in
                // Begun first, committed last.
                try await transaction.run(
                    """
                    insert into research.calibration values ($1, gen_random_uuid(), now(), now(), 5, 20, 60, 4, '\\x01')
                    """, [.id(id)])
                _ = try await fixture.store.submit([early])
                let seen = try await fixture.changes(after: before)
                #expect(seen.compactMap(\.sheet).map(\.id) == [early.sheet])
                #expect(!seen.contains { $0.kind == .calibration })
                after = try #require(seen.last?.sequence)
            }

            #expect(try await fixture.changes(after: after).map(\.kind) == [.calibration])
        }
    }

    @Test func `sheets of two participants with the same id keep their own answers`() async throws {
        try await StoreFixture.with { fixture in
            let (ada, ben) = (try await fixture.enrol().id, try await fixture.enrol().id)
            let shared = SheetID(UUID())
            _ = try await fixture.store.submit([.make(ada, id: shared, text: "of Ada")])
            _ = try await fixture.store.submit([.make(ben, id: shared, text: "of Ben")])

            let sheets = try await fixture.changes(after: 0).filter { $0.kind == .answerSheet }

            let texts = Dictionary(
                uniqueKeysWithValues: sheets.map { ($0.participantID, $0.sheet?.answers.texts["note"]) })
            #expect(texts == ["P-\(ada)": "of Ada", "P-\(ben)": "of Ben"])
        }
    }

    @Test func `an erased participant leaves only a tombstone that readers can match`() async throws {
        try await StoreFixture.with { fixture in
            let participant = try await fixture.makeFullParticipant(participant: "P-erased")
            let known = try await fixture.changes(after: 0)
            let last = try #require(known.last?.sequence)

            try await fixture.store.erase(
                participant.enrolment, audit: StoreFixture.entry("erased"), now: .start)

            let changes = try await fixture.changes(after: last)
            #expect(changes.map(\.kind) == [.enrolment])
            #expect(changes[0].body == nil && changes[0].subject == nil && changes[0].participantID == nil)
            #expect(changes[0].enrolmentRef == known[0].enrolmentRef)
            #expect(try await fixture.changes(after: 0).count == 1)
        }
    }

    @Test func `a participant excluded from datasets is a tombstone`() async throws {
        try await StoreFixture.with { fixture in
            let participant = try await fixture.makeFullParticipant(participant: "P-out")
            let last = try #require(try await fixture.changes(after: 0).last?.sequence)

            _ = try await fixture.withdraw(participant.enrolment.id, .excluded, now: .start)

            let changes = try await fixture.changes(after: last)
            #expect(changes.contains { $0.kind == .enrolment })
            #expect(changes.allSatisfy { $0.body == nil && $0.sheet == nil && $0.participantID == nil })
            #expect(try await fixture.changes(after: 0).allSatisfy { $0.body == nil })
        }
    }

    @Test func `a reader that follows concurrent writers ends with exactly the stored records`() async throws
    {
        try await StoreFixture.with(connections: 8) { fixture in
            var participants: [EnrolmentID] = []
            for _ in 0..<4 { participants.append(try await fixture.enrol().id) }
            let enrolled = participants
            let queue = IngestQueue(store: fixture.store, logger: StoreFixture.logger)

            let finished = FinishedFlag()
            let writing = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for writer in 0..<8 {
                        group.addTask {
                            for number in 0..<40 {
                                let id = enrolled[(writer + number) % enrolled.count]
                                let sheet = SheetSubmission.make(id, body: "\(writer) \(number)")
                                _ = try await queue.submit(sheet)
                                guard number % 5 == 0 else { continue }
                                _ = try await fixture.store.deleteSheet(
                                    id, sheet.sheet, now: .start, audit: StoreFixture.entry("sheet_deleted")
                                ) { _ in }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                await finished.set()
            }
            var copiedIDs: Set<String> = []
            var after: Int64 = 0
            while true {
                let isFinished = await finished.isSet
                let last = try await fixture.store.numberChanges(of: "walks")
                let changes = try await fixture.store.listChanges(of: "walks", after: after, limit: 25)
                for change in changes where change.kind == .answerSheet {
                    let id = try #require(change.subject)
                    if change.body == nil { copiedIDs.remove(id) } else { copiedIDs.insert(id) }
                }
                #expect(changes.map(\.sequence) == changes.map(\.sequence).sorted())
                after =
                    changes.count == 25 ? changes[24].sequence : max(last, changes.last?.sequence ?? after)
                if isFinished && changes.isEmpty { break }
            }
            try await writing.value

            let stored: [UUID] = try await fixture.values(
                "select sheet_id as value from research.answer_sheet where current and deleted_at is null")
            #expect(stored.count == 8 * 32)
            #expect(copiedIDs == Set(stored.map { $0.uuidString.lowercased() }))
            #expect(try await fixture.deadlocks() == 0)
        }
    }
}

private actor FinishedFlag {
    private(set) var isSet = false
    func set() { isSet = true }
}

extension StoreFixture {
    /// As the route does: numbers the changes, then lists them.
    func changes(after: Int64) async throws -> [Change] {
        _ = try await store.numberChanges(of: "walks")
        return try await store.listChanges(of: "walks", after: after, limit: 1000)
    }
}
