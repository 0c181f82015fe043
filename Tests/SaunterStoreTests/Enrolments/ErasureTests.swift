import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct ErasureTests {
    @Test func `an erased participant leaves no row in any table except a row without a key`() async throws {
        try await StoreFixture.with { fixture in
            let participant = try await fixture.makeFullParticipant(participant: "P-erased")
            let other = try await fixture.makeFullParticipant(participant: "P-stays")
            let tables = try await fixture.participantTables()
            // The test proves nothing about a table without rows. Insert rows of a new table in `makeFullParticipant`.
            for table in tables {
                #expect(try await fixture.rows(of: participant.enrolment.id, in: table) > 0, "\(table)")
            }
            var before: [String: Int] = [:]
            for table in tables { before[table] = try await fixture.rows(of: other.enrolment.id, in: table) }

            try await fixture.store.erase(
                participant.enrolment, audit: StoreFixture.entry("erased"), now: .start)

            for table in tables {
                #expect(try await fixture.rows(of: participant.enrolment.id, in: table) == 0, "\(table)")
                #expect(
                    try await fixture.rows(of: other.enrolment.id, in: table) == before[table], "\(table)")
            }
            #expect(try await fixture.tables(containing: participant.enrolment.id.description) == [])
            #expect(try await fixture.tables(containing: "P-erased") == [])
            let trace = try await fixture.run("select study, erased_on::text as day from research.erasure")
                .one()
            #expect(try trace.get("study") == "walks")
            #expect(try trace.get("day") == "2026-11-21")
            #expect(try await fixture.store.listMemberships(participant.account).isEmpty)
            #expect(try await fixture.store.findAccount(participant.account) != nil)
        }
    }

    /// The tables that devices fill have no foreign keys, so the statements themselves must prevent rows without a
    /// participant.
    @Test func `no write leaves a row of a participant who is erased at the same time`() async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            var participants: [Enrolment] = []
            for _ in 0..<6 { participants.append(try await fixture.enrol()) }
            let erased = participants.prefix(4)

            try await withThrowingTaskGroup(of: Void.self) { group in
                for participant in participants {
                    for number in 0..<12 {
                        group.addTask { try await Self.writeRecords(of: participant, number, fixture) }
                    }
                }
                for participant in erased {
                    group.addTask {
                        try await Task.sleep(for: .milliseconds(Int.random(in: 0...200)))
                        try await fixture.store.erase(
                            participant, audit: StoreFixture.entry("erased"), now: .start)
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await fixture.count("research.enrolment") == 2)
            for table in try await fixture.participantTables() where table.hasPrefix("research.") {
                let strays: Int = try await fixture.value(
                    "select count(*) as value from \(table) where enrolment_id not in (select enrolment_id from research.enrolment)"
                )
                #expect(strays == 0, "\(table)")
            }
            for participant in participants.suffix(2) {
                #expect(try await fixture.rows(of: participant.id, in: "research.walk") == 12)
                #expect(try await fixture.rows(of: participant.id, in: "research.change") > 60)
            }
        }
    }

    /// One record of each kind, a correction and a deletion. An erased participant's are refused.
    private static func writeRecords(
        of participant: Enrolment, _ number: Int, _ fixture: StoreFixture
    ) async throws {
        let (id, store) = (participant.id, fixture.store)
        let (sheet, calibration) = (SheetSubmission.make(id, body: "\(number)"), CalibrationID(UUID()))
        do {
            _ = try await store.submit([sheet])
            _ = try await store.revise(
                id, sheet.sheet, now: Instant.start.plus(hours: 1), audit: StoreFixture.entry("revised", id)
            ) { _ in CorrectionTests.revision() }
            try await fixture.submitCalibration(id, as: calibration)
            try await fixture.submitWalk(id, calibration: calibration)
            try await fixture.submitObservation(id)
            _ = try await store.submit([UsageFixture.make(id)])
            try await fixture.submitEdit(EditFixture.make(SheetID(UUID()), .deletion), of: id)
            _ = try await store.deleteSheet(
                id, sheet.sheet, purges: true, now: .start, audit: StoreFixture.entry("sheet_deleted")
            ) { _ in }
        } catch is ConcurrentErasure {}
    }

    @Test
    func `an erased participant is found by the digest in any state of the database, and erased again`()
        async throws
    {
        var digests: [Erasure] = []
        try await StoreFixture.with { fixture in
            let participants = try await Self.enrolThreeParticipants(fixture)
            let store = fixture.store
            #expect(try await store.listErasures(after: "").isEmpty)
            _ = try await store.erase(
                account: participants[0].account, enrolments: [participants[0].enrolment],
                audit: StoreFixture.entry("erased"), now: .start)
            try await store.erase(
                participants[1].enrolment, audit: StoreFixture.entry("erased"), now: .start)
            let all = try await store.listErasures(after: "")
            #expect(all.map(\.kind.rawValue).sorted() == ["account", "enrolment", "enrolment"])
            #expect(all.allSatisfy { $0.erasedOn.description == "2026-11-21" && $0.ref.count == 32 })
            // The pages have the same result.
            var paged: [Erasure] = []
            while let page = try await store.listErasures(after: paged.last?.ref ?? "", limit: 1).first {
                paged.append(page)
            }
            #expect(paged == all)
            digests = all
        }

        // Another database of the same participants, from before the erasure.
        try await StoreFixture.with { fixture in
            let participants = try await Self.enrolThreeParticipants(fixture)
            let store = fixture.store
            let unknown = ["0", "f"].map { digit in
                Erasure(
                    kind: .account, ref: String(repeating: digit, count: 32),
                    erasedOn: LocalDate(days: 0))
            }

            let first = try await store.eraseAgain(digests + unknown, now: .start)
            let second = try await store.eraseAgain(digests + unknown, now: .start)

            #expect((first.accounts, first.enrolments) == (1, 1))
            #expect((second.accounts, second.enrolments) == (0, 0))
            #expect(try await store.findAccount(participants[0].account) == nil)
            #expect(try await store.findAccount(participants[1].account) != nil)
            for (participant, isThere) in zip(participants, [false, false, true]) {
                #expect(try await (store.findEnrolment(participant.enrolment.id) != nil) == isThere)
            }
            #expect(try await store.listErasures(after: "") == digests)
        }
    }

    /// Enrols three participants, with the same ids each time.
    private static func enrolThreeParticipants(
        _ fixture: StoreFixture
    ) async throws -> [(account: AccountID, enrolment: Enrolment)] {
        var participants: [(account: AccountID, enrolment: Enrolment)] = []
        try await fixture.publish()
        for index in 1...3 {
            func id(_ group: Int) throws -> UUID {
                try #require(UUID(uuidString: "0000000\(index)-0000-4000-8000-00000000000\(group)"))
            }
            let account = AccountID(try id(1))
            try await fixture.store.insert(
                Account(
                    id: account, email: "person-\(index)@example.org", name: "Ada", passwordHash: "hash",
                    zone: nil, language: "en", createdAt: .start))
            var draft = fixture.draft(account)
            draft.id = EnrolmentID(try id(2))
            participants.append((account, try await fixture.store.enrol(draft, now: .start).enrolment))
        }
        return participants
    }

    /// Datasets made before the erasure contain withdrawn data.
    @Test(arguments: [true, false])
    func `datasets of the study are deleted when a participant withdraws the data`(isErased: Bool)
        async throws
    {
        try await StoreFixture.with { fixture in
            let (enrolment, store) = (try await fixture.enrol(), fixture.store)
            func job(_ study: String) async throws -> ExportJob {
                let order = ExportRequest(
                    id: ExportID(UUID()), study: study, account: AccountID(UUID()), profile: "coded",
                    filters: [:], digest: "\(UUID())", tag: nil)
                let entry = StoreFixture.entry("export_requested")
                #expect(try await store.insertExport(order, audit: entry, now: .start))
                return try #require(
                    try await store.claimExport(.dataset, now: .start, leaseUntil: .start.adding(seconds: 30))
                )
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

            #expect(try await !finish(running), "the running export contains the withdrawn data")
            let states = try await fixture.run(
                "select export_id, state from research.export_job where file_name is null order by state")
            #expect(try states.map { try $0.get("state") } == ["deleted", "queued"])
            #expect(
                try await store.claimExport(.dataset, now: .start, leaseUntil: .start.adding(seconds: 30))?.id
                    == running.id)
        }
    }

    @Test func `an erased account leaves no account, token, mail or enrolment`() async throws {
        try await StoreFixture.with { fixture in
            let participant = try await fixture.makeFullParticipant(participant: "P-erased")
            let store = fixture.store
            let family = try await fixture.makeLogin(to: participant.account)
            try await store.insertPasswordReset(
                codeHash: [7], account: participant.account, message: [:], now: .start, expiresAt: .maximum)
            try await store.upsert(
                Grant(role: .researcher, study: "walks"), for: participant.account, now: .start)

            let ended = try await store.erase(
                account: participant.account, enrolments: [participant.enrolment],
                audit: StoreFixture.entry("account_erased"),
                now: .start)

            #expect(ended == [family])
            #expect(try await fixture.tables(containing: participant.account.description) == [])
            #expect(try await fixture.tables(containing: participant.enrolment.id.description) == [])
            let traces = ["identity.erasure", "identity.ended_family", "research.erasure"]
            for table in try await fixture.tables()
            where table.hasPrefix("identity.") && !traces.contains(table) {
                #expect(try await fixture.count(table) == 0, "\(table)")
            }
            for table in traces { #expect(try await fixture.count(table) == 1, "\(table)") }
        }
    }

    @Test func `other servers learn which logins ended with an erased account, for a week`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let account = try await fixture.makeAccount()
            let family = try await fixture.makeLogin(to: account)

            _ = try await store.erase(
                account: account, enrolments: [], audit: StoreFixture.entry("account_erased"), now: .start)

            #expect(try await store.listFamilies(revokedSince: .start) == [family])
            try await store.deleteExpiredIdentityRows(now: Instant.start.plus(days: 7))
            #expect(try await fixture.count("identity.ended_family") == 1)
            try await store.deleteExpiredIdentityRows(now: Instant.start.plus(days: 8))
            #expect(try await fixture.count("identity.ended_family") == 0)
        }
    }

    @Test func `an enrolment that the caller does not know is erased with the account`() async throws {
        try await StoreFixture.with { fixture in
            let participant = try await fixture.makeFullParticipant(participant: "P-erased")

            _ = try await fixture.store.erase(
                account: participant.account, enrolments: [], audit: StoreFixture.entry("account_erased"),
                now: .start)

            #expect(try await fixture.count("research.enrolment") == 0)
            #expect(try await fixture.count("research.erasure") == 1)
        }
    }

    @Test func `repeating an erasure, also concurrently, leaves one row`() async throws {
        try await StoreFixture.with(connections: 16) { fixture in
            let participant = try await fixture.makeFullParticipant(participant: "P-erased")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await fixture.store.erase(
                            participant.enrolment, audit: StoreFixture.entry("erased"), now: .start)
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

    @Test func `an erasure that waits for a sheet erases the sheet too`() async throws {
        try await StoreFixture.with { fixture in
            let participant = try await fixture.enrol()
            let evening = try #require(try await fixture.evenings(of: participant.id).first)

            // A transaction has locked the enrolment and writes a sheet, as a submission does.
            _ = try await fixture.whileLocked(
                "select from research.enrolment where enrolment_id = $1 for no key update",
                [.id(participant.id)]
            ) {
                try await fixture.store.erase(participant, audit: StoreFixture.entry("erased"), now: .start)
            } meanwhile: { transaction in
                let batch = SheetBatch(
                    [.make(participant.id, evening.id)],
                    fulfilled: [.init(enrolment: participant.id, occasion: evening.id): nil])
                _ = try await transaction.query(
                    Statements.answerSheets["insert_answer_sheets"], SheetRows(batch).parameters)
            }

            #expect(try await fixture.tables(containing: participant.id.description) == [])
        }
    }

    @Test func `erasures concurrent to all other writes do not deadlock`() async throws {
        try await StoreFixture.with(connections: 12) { fixture in
            let participants = [
                try await fixture.makeFullParticipant(participant: "P-1"),
                try await fixture.makeFullParticipant(participant: "P-2"),
            ]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for participant in participants {
                    let id = participant.enrolment.id
                    let evenings = try await fixture.evenings(of: id)
                    group.addTask { _ = try await fixture.store.submit(evenings.map { .make(id, $0.id) }) }
                    group.addTask { try await Self.ignoringErasure { try await fixture.submitWalk(id) } }
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
                            participant.enrolment, audit: StoreFixture.entry("erased"), now: .start)
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await fixture.count("research.enrolment") == 0)
            #expect(try await fixture.count("research.answer_sheet") == 0)
            #expect(try await fixture.deadlocks() == 0)
        }
    }

    /// The table of sheets has no foreign keys, so the locks must prevent a sheet without an enrolment.
    @Test func `no sheet outlives the erasure of its participant, by any kind of write`() async throws {
        try await StoreFixture.with(connections: 12) { fixture in
            for round in 0..<8 {
                let participant = try await fixture.enrol()
                let id = participant.id
                let evening = try #require(try await fixture.evenings(of: id).first)
                let (sheet, walk) = (SheetSubmission.make(id, evening.id), WalkID(UUID()))
                var early = SheetSubmission.make(id, fulfilsOccasion: false, timeliness: .outOfWindow)
                (early.questionnaire, early.walk) = ("after_walk", walk)
                _ = try await fixture.store.submit([sheet, early])
                let entry = StoreFixture.entry("changed", id)
                let writes: [@Sendable () async throws -> Void] = [
                    { _ = try await fixture.store.submit([.make(id), .make(id, evening.id)]) },
                    {
                        _ = try await fixture.store.revise(id, sheet.sheet, now: .start, audit: entry) {
                            stored in
                            SheetRevision(
                                answers: stored.answers, cleared: [], scores: [], keyVersion: nil,
                                keyDigest: nil, reason: nil)
                        }
                    },
                    {
                        _ = try await fixture.store.deleteSheet(id, sheet.sheet, now: .start, audit: entry) {
                            _ in
                        }
                    },
                    { try await fixture.submitWalk(id, as: walk) },
                ]
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for write in writes { group.addTask { try await Self.ignoringErasure(write) } }
                    group.addTask {
                        try await Task.sleep(for: .milliseconds(round * 2))
                        try await fixture.store.erase(
                            participant, audit: StoreFixture.entry("erased"), now: .start)
                    }
                    try await group.waitForAll()
                }
                let receipts = try await fixture.store.submit([.make(id), .make(id, evening.id)])
                #expect(receipts == [.gone, .gone])
            }

            for table in ["answer_sheet", "answer_text", "score", "occasion"] {
                #expect(try await fixture.count("research.\(table)") == 0)
            }
            #expect(try await fixture.deadlocks() == 0)
        }
    }

    private static func ignoringErasure(_ body: () async throws -> Void) async throws {
        do { try await body() } catch is ConcurrentErasure {}
    }
}
