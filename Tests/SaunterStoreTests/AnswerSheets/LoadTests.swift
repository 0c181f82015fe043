import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

/// Every acknowledged sheet is stored exactly once under load and faults.
@Suite struct LoadTests {
    /// The acknowledged sheets: sheet -> digest of the acknowledged body.
    private actor SubmissionLog {
        private(set) var acknowledged: [SheetID: [UInt8]] = [:]
        private(set) var failures = 0

        func acknowledge(_ sheet: SheetSubmission) { acknowledged[sheet.sheet] = sheet.digest }
        func fail() { failures += 1 }
    }

    @Test func `every acknowledged sheet is stored once although connections are cut all the time`()
        async throws
    {
        try await StoreFixture.with(connections: 4) { fixture in
            let ids = [try await fixture.enrol().id, try await fixture.enrol().id]
            let queue = IngestQueue(store: fixture.store, logger: StoreFixture.logger)
            let log = SubmissionLog()
            let sheets = (0..<600).map { SheetSubmission.make(ids[$0 % 2], body: "body \($0)") }

            let disconnecting = Task {
                var cuts = 0
                var pause = 40
                var known = 0
                while !Task.isCancelled {
                    let cut: Int = try await fixture.value(
                        """
                        select count(pg_terminate_backend(pid)) as value from pg_stat_activity
                        where datname = current_database() and application_name = 'saunter-research'
                        """)
                    cuts += cut
                    try await Task.sleep(for: .milliseconds(pause))
                    // If a batch took longer than the pause, no batch would be written.
                    let acknowledged = await log.acknowledged.count
                    pause = acknowledged > known ? max(40, pause - 10) : pause + 10
                    known = acknowledged
                }
                return cuts
            }
            await withTaskGroup(of: Void.self) { group in
                for submitter in 0..<16 {
                    group.addTask {
                        for index in stride(from: submitter, to: sheets.count, by: 16) {
                            await Self.submitUntilAcknowledged(sheets[index], queue, log)
                        }
                    }
                }
            }
            disconnecting.cancel()
            let cuts = (try? await disconnecting.value) ?? -1

            let rows = try await fixture.run("select sheet_id, body_sha256 from research.answer_sheet")
            let stored = try Dictionary(
                rows.map { (SheetID(try $0.get("sheet_id")), try $0.get("body_sha256", as: [UInt8].self)) },
                uniquingKeysWith: { first, _ in first })
            #expect(cuts != 0)
            #expect(await log.acknowledged.count == sheets.count)
            #expect(await log.acknowledged == stored)
            #expect(rows.count == sheets.count)
            #expect(try await fixture.count("research.score") == sheets.count)
            #expect(try await fixture.count("research.answer_text") == sheets.count)
        }
    }

    /// Retries like a device: sends the same body under the same id until the sheet is acknowledged.
    private static func submitUntilAcknowledged(
        _ sheet: SheetSubmission, _ queue: IngestQueue, _ log: SubmissionLog
    ) async {
        for _ in 0..<100 {
            do {
                let receipt = try await queue.submit(sheet)
                if receipt == .replayed || receipt == .stored {
                    await log.acknowledge(sheet)
                }
                return
            } catch {
                await log.fail()
            }
        }
    }

    @Test func `sheets of participants that are being erased are gone or stored, and all others are stored`()
        async throws
    {
        try await StoreFixture.with(connections: 8) { fixture in
            var participants: [Enrolment] = []
            for _ in 0..<8 { participants.append(try await fixture.enrol()) }
            let queue = IngestQueue(store: fixture.store, logger: StoreFixture.logger)
            var occasions: [EnrolmentID: [Occasion]] = [:]
            for participant in participants {
                occasions[participant.id] = try await fixture.evenings(of: participant.id)
            }
            let erased = Set(participants.prefix(4).map(\.id))
            let sheets = participants.flatMap { participant in
                (0..<30).map { number in
                    SheetSubmission.make(
                        participant.id, number < 15 ? occasions[participant.id]?[number].id : nil,
                        body: "\(number)")
                }
            }.shuffled()

            try await withThrowingTaskGroup(of: Void.self) { group in
                for sheet in sheets {
                    group.addTask {
                        let receipt = try await queue.submit(sheet)
                        let isKept = receipt == .stored
                        #expect(isKept || (receipt == .gone && erased.contains(sheet.enrolment)))
                    }
                }
                for participant in participants.prefix(4) {
                    group.addTask {
                        try await fixture.store.erase(
                            participant, audit: StoreFixture.entry("erased"), now: .start)
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await fixture.count("research.answer_sheet") == 4 * 30)
            #expect(try await fixture.count("research.enrolment") == 4)
            #expect(try await fixture.count("research.erasure") == 4)
        }
    }

    @Test func `a sheet that the database rejects does not affect the others of its batch`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            try await fixture.run(
                """
                create function research.refuse() returns trigger language plpgsql as $$
                begin raise exception 'refused' using errcode = '22003'; end $$
                """)
            try await fixture.run(
                """
                create trigger refuse before insert on research.answer_text for each row when (new.text = 'poison')
                execute function research.refuse()
                """)
            let queue = IngestQueue(store: fixture.store, logger: StoreFixture.logger)
            let sheets = (0..<64).map { number in
                SheetSubmission.make(id, body: "\(number)", text: number == 40 ? "poison" : "calm")
            }

            let outcomes = await withTaskGroup(of: (Int, StorageReceipt?).self) { group in
                for (number, sheet) in sheets.enumerated() {
                    group.addTask { (number, try? await queue.submit(sheet)) }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }

            #expect(outcomes.count == 63)
            #expect(outcomes[40] == nil)
            #expect(outcomes.values.allSatisfy { $0 == .stored })
            #expect(try await fixture.count("research.answer_sheet") == 63)
            #expect(try await fixture.count("research.answer_text") == 63)
        }
    }

    @Test func `a batch with a sheet of an erased participant stores the others`() async throws {
        try await StoreFixture.with { fixture in
            let gone = try await fixture.enrol()
            let id = try await fixture.enrol().id
            try await fixture.store.erase(gone, audit: StoreFixture.entry("erased"), now: .start)
            let queue = IngestQueue(store: fixture.store, logger: StoreFixture.logger)
            let sheets = [id, id, gone.id, id, gone.id, id].map { SheetSubmission.make($0) }

            let receipts = try await SubmissionRaceTests.concurrently(sheets) { try await queue.submit($0) }

            #expect(receipts.filter { $0 == .gone }.count == 2)
            #expect(receipts.filter { $0 == .stored }.count == 4)
            #expect(try await fixture.count("research.answer_sheet") == 4)
        }
    }

    @Test func `a sheet concurrent to the withdrawal is stored, and so is the withdrawal`() async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            for _ in 0..<6 {
                let id = try await fixture.enrol().id
                let evenings = try await fixture.evenings(of: id)
                async let receipts = fixture.store.submit(evenings.map { .make(id, $0.id) })
                async let ended = fixture.withdraw(id, .stopped, now: .start)

                #expect(try await receipts.allSatisfy { $0 == .stored })
                #expect(try await ended.state == .stopped)
                #expect(try await fixture.evenings(of: id).allSatisfy { $0.sheetID != nil })
            }
            #expect(try await fixture.deadlocks() == 0)
        }
    }
}
