import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct ErasureTests {
    @Test func `an erased participant leaves no row in any table but a trace without a key`() async throws {
        try await StoreFixture.with { fixture in
            let person = try await fixture.makeFullParticipant(participant: "P-erased")
            let other = try await fixture.makeFullParticipant(participant: "P-stays")
            let tables = try await fixture.participantTables()
            // A table that was added and is not filled here proves nothing: fill it in `makeFullParticipant`.
            for table in tables {
                #expect(try await fixture.rows(of: person.enrolment.id, in: table) > 0, "\(table)")
            }
            var before: [String: Int] = [:]
            for table in tables { before[table] = try await fixture.rows(of: other.enrolment.id, in: table) }

            try await fixture.store.erase(person.enrolment, audit: StoreFixture.entry("erased"), now: .start)

            for table in tables {
                #expect(try await fixture.rows(of: person.enrolment.id, in: table) == 0, "\(table)")
                #expect(
                    try await fixture.rows(of: other.enrolment.id, in: table) == before[table], "\(table)")
            }
            #expect(try await fixture.tables(holding: person.enrolment.id.description) == ["audit.entry"])
            #expect(try await fixture.tables(holding: "P-erased") == [])
            let trace = try await fixture.run("select study, erased_on::text as day from research.erasure")
                .one()
            #expect(try trace.get("study") == "walks")
            #expect(try trace.get("day") == "2026-11-21")
            #expect(try await fixture.store.listMemberships(person.account).isEmpty)
            #expect(try await fixture.store.findAccount(person.account) != nil)
        }
    }

    @Test
    func `who was erased is found again by a digest, in any state of the database, and erased once more`()
        async throws
    {
        var digests: [Erasure] = []
        try await StoreFixture.with { fixture in
            let people = try await Self.threePeople(fixture)
            let store = fixture.store
            #expect(try await store.listErasures(after: "").isEmpty)
            _ = try await store.erase(
                account: people[0].account, enrolments: [people[0].enrolment],
                audit: StoreFixture.entry("erased"), now: .start)
            try await store.erase(
                people[1].enrolment, audit: StoreFixture.entry("erased"), now: .start)
            let all = try await store.listErasures(after: "")
            #expect(all.map(\.kind.rawValue).sorted() == ["account", "enrolment", "enrolment"])
            #expect(all.allSatisfy { $0.erasedOn.description == "2026-11-21" && $0.ref.count == 32 })
            // Page by page it is the same.
            var paged: [Erasure] = []
            while let page = try await store.listErasures(after: paged.last?.ref ?? "", limit: 1).first {
                paged.append(page)
            }
            #expect(paged == all)
            digests = all
        }

        // Another database of the same people: as before they were erased.
        try await StoreFixture.with { fixture in
            let people = try await Self.threePeople(fixture)
            let store = fixture.store
            let strangers = ["0", "f"].map { digit in
                Erasure(
                    kind: .account, ref: String(repeating: digit, count: 32),
                    erasedOn: LocalDate(days: 0))
            }

            let first = try await store.eraseAgain(digests + strangers, now: .start)
            let second = try await store.eraseAgain(digests + strangers, now: .start)

            #expect((first.accounts, first.enrolments) == (1, 1))
            #expect((second.accounts, second.enrolments) == (0, 0))
            #expect(try await store.findAccount(people[0].account) == nil)
            #expect(try await store.findAccount(people[1].account) != nil)
            for (person, isThere) in zip(people, [false, false, true]) {
                #expect(try await (store.findEnrolment(person.enrolment.id) != nil) == isThere)
            }
            #expect(try await store.listErasures(after: "") == digests)
        }
    }

    /// With the same ids each time.
    private static func threePeople(
        _ fixture: StoreFixture
    ) async throws -> [(account: AccountID, enrolment: Enrolment)] {
        var people: [(account: AccountID, enrolment: Enrolment)] = []
        try await fixture.publish()
        for place in 1...3 {
            func id(_ group: Int) throws -> UUID {
                try #require(UUID(uuidString: "0000000\(place)-0000-4000-8000-00000000000\(group)"))
            }
            let account = AccountID(try id(1))
            try await fixture.store.insert(
                Account(
                    id: account, email: "person-\(place)@example.org", name: "Ada", passwordHash: "hash",
                    zone: nil, language: "en", createdAt: .start))
            var draft = fixture.draft(account)
            draft.id = EnrolmentID(try id(2))
            people.append((account, try await fixture.store.enrol(draft, now: .start).enrolment))
        }
        return people
    }

    /// A dataset that was made before holds what they take back.
    @Test(arguments: [true, false])
    func `datasets of the study are offered no longer once somebody takes their data back`(isErased: Bool)
        async throws
    {
        try await StoreFixture.with { fixture in
            let (enrolment, store) = (try await fixture.enrol(), fixture.store)
            func job(_ study: String) async throws -> ExportJob {
                let order = ExportOrder(
                    id: ExportID(UUID()), study: study, account: AccountID(UUID()), profile: "coded",
                    filters: [:], digest: "\(UUID())", tag: nil)
                let entry = StoreFixture.entry("export_requested")
                #expect(try await store.insertExport(order, audit: entry, now: .start))
                return try #require(
                    try await store.claimExport(now: .start, leaseUntil: .start.adding(seconds: 30)))
            }
            let file = ExportedFile(
                name: "x.zip", bytes: 3, digest: "ab", rows: 7, snapshot: "s", tag: nil, changeSequence: 9)
            func finish(_ job: ExportJob) async throws -> Bool {
                try await store.finishExport(
                    job, file, audit: StoreFixture.entry("export_made"), now: .start)
            }
            let (done, elsewhere) = (try await job("walks"), try await job("meadow"))
            #expect(try await finish(done))
            #expect(try await finish(elsewhere))
            let running = try await job("walks")

            if isErased {
                try await store.erase(enrolment, audit: StoreFixture.entry("erased"), now: .start)
            } else {
                _ = try await store.withdraw(
                    enrolment.id, to: .excluded, study: StudyFixture.study,
                    audit: StoreFixture.entry("withdrawn"), now: .start)
            }

            #expect(try await !finish(running), "it holds them, too")
            let states = try await fixture.run(
                "select export_id, state from research.export_job where file_name is null order by state")
            #expect(try states.map { try $0.get("state") } == ["deleted", "queued"])
            #expect(
                try await store.claimExport(now: .start, leaseUntil: .start.adding(seconds: 30))?.id
                    == running.id)
        }
    }

    @Test func `an erased person leaves no account, token, mail or enrolment either`() async throws {
        try await StoreFixture.with { fixture in
            let person = try await fixture.makeFullParticipant(participant: "P-erased")
            let store = fixture.store
            let family = UUID()
            try await store.insertFamily(
                family, of: person.account, tokenHash: [1], now: .start, expiresAt: .maximum)
            try await store.insertPasswordReset(
                codeHash: [7], account: person.account, message: [:], now: .start, expiresAt: .maximum)
            try await store.upsert(Grant(role: .researcher, study: "walks"), for: person.account, now: .start)

            let ended = try await store.erase(
                account: person.account, enrolments: [person.enrolment],
                audit: StoreFixture.entry("account_erased"),
                now: .start)

            #expect(ended == [family])
            #expect(try await fixture.tables(holding: person.account.description) == ["audit.entry"])
            #expect(try await fixture.tables(holding: person.enrolment.id.description) == ["audit.entry"])
            let traces = ["identity.erasure", "research.erasure"]
            for table in try await fixture.tables()
            where table.hasPrefix("identity.") && !traces.contains(table) {
                #expect(try await fixture.count(table) == 0, "\(table)")
            }
            for table in traces { #expect(try await fixture.count(table) == 1, "\(table)") }
        }
    }

    @Test func `an enrolment that the caller did not know of is erased with the person`() async throws {
        try await StoreFixture.with { fixture in
            let person = try await fixture.makeFullParticipant(participant: "P-erased")

            _ = try await fixture.store.erase(
                account: person.account, enrolments: [], audit: StoreFixture.entry("account_erased"),
                now: .start)

            #expect(try await fixture.count("research.enrolment") == 0)
            #expect(try await fixture.count("research.erasure") == 1)
        }
    }

    @Test func `doing it again, or twice at once, leaves one trace`() async throws {
        try await StoreFixture.with(connections: 16) { fixture in
            let person = try await fixture.makeFullParticipant(participant: "P-erased")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await fixture.store.erase(
                            person.enrolment, audit: StoreFixture.entry("erased"), now: .start)
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await fixture.count("research.erasure") == 1)
            let lines: [String] = try await fixture.values(
                "select action as value from audit.entry where action = 'erased'")
            #expect(lines.count == 1)
        }
    }

    @Test func `an erasure that waits for a sheet takes the sheet with it`() async throws {
        try await StoreFixture.with { fixture in
            let person = try await fixture.enrol()
            let evening = try #require(try await fixture.evenings(of: person.id).first)

            // Somebody has locked the occasion and writes a sheet for it, as handing in does.
            _ = try await fixture.holding(
                "select from research.occasion where enrolment_id = $1 order by occasion_id for no key update",
                [.id(person.id)]
            ) {
                try await fixture.store.erase(person, audit: StoreFixture.entry("erased"), now: .start)
            } meanwhile: { transaction in
                let batch = SheetBatch(
                    [.make(person.id, evening.id)],
                    settled: [.init(enrolment: person.id, occasion: evening.id): nil])
                _ = try await transaction.query(
                    Statements.answerSheets["insert_answer_sheets"], SheetRows(batch).parameters)
            }

            #expect(try await fixture.tables(holding: person.id.description) == ["audit.entry"])
        }
    }

    @Test func `erasing and everything else at once end without a deadlock`() async throws {
        try await StoreFixture.with(connections: 12) { fixture in
            let people = [
                try await fixture.makeFullParticipant(participant: "P-1"),
                try await fixture.makeFullParticipant(participant: "P-2"),
            ]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in people {
                    let id = person.enrolment.id
                    let evenings = try await fixture.evenings(of: id)
                    group.addTask { _ = try await fixture.store.submit(evenings.map { .make(id, $0.id) }) }
                    group.addTask { try await Self.ignoringErasure { try await fixture.walk(id) } }
                    group.addTask {
                        try await Self.ignoringErasure { _ = try await fixture.withdraw(id, .stopped) }
                    }
                    group.addTask {
                        try await Self.ignoringErasure {
                            _ = try await fixture.store.updateEnrolment(id, study: fixture.study, now: .start)
                            {
                                $0.zone = Zone("Asia/Tokyo") ?? .utc
                            }
                        }
                    }
                    group.addTask {
                        try await fixture.store.erase(
                            person.enrolment, audit: StoreFixture.entry("erased"), now: .start)
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await fixture.count("research.enrolment") == 0)
            #expect(try await fixture.count("research.answer_sheet") == 0)
            #expect(try await fixture.deadlocks() == 0)
        }
    }

    private static func ignoringErasure(_ body: () async throws -> Void) async throws {
        do { try await body() } catch is ErasedMeanwhile {}
    }
}
