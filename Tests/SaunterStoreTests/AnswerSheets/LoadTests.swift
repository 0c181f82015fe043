import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

/// What was acknowledged is there, once, whatever happens under load.
@Suite struct LoadTests {
    /// What the devices were told: sheet -> digest of the body that was acknowledged.
    private actor Ledger {
        private(set) var acknowledged: [SheetID: [UInt8]] = [:]
        private(set) var failures = 0

        func acknowledge(_ sheet: SheetSubmission) { acknowledged[sheet.sheet] = sheet.digest }
        func fail() { failures += 1 }
    }

    @Test func `every acknowledged sheet is there once although connections are cut all the time`()
        async throws
    {
        try await StoreFixture.with(connections: 4) { fixture in
            let ids = [try await fixture.enrol().id, try await fixture.enrol().id]
            let queue = IngestQueue(store: fixture.store, logger: StoreFixture.logger)
            let ledger = Ledger()
            let sheets = (0..<600).map { SheetSubmission.make(ids[$0 % 2], body: "body \($0)") }

            let cutter = Task {
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
                    // Where a batch takes longer than the pause none would ever be written.
                    let acknowledged = await ledger.acknowledged.count
                    pause = acknowledged > known ? max(40, pause - 10) : pause + 10
                    known = acknowledged
                }
                return cuts
            }
            await withTaskGroup(of: Void.self) { group in
                for submitter in 0..<16 {
                    group.addTask {
                        for place in stride(from: submitter, to: sheets.count, by: 16) {
                            await Self.handIn(sheets[place], queue, ledger)
                        }
                    }
                }
            }
            cutter.cancel()
            let cuts = (try? await cutter.value) ?? -1

            let rows = try await fixture.run("select sheet_id, body_sha256 from research.answer_sheet")
            let stored = try Dictionary(
                rows.map { (SheetID(try $0.get("sheet_id")), try $0.get("body_sha256", as: [UInt8].self)) },
                uniquingKeysWith: { first, _ in first })
            #expect(cuts != 0)
            #expect(await ledger.acknowledged.count == sheets.count)
            #expect(await ledger.acknowledged == stored)
            #expect(rows.count == sheets.count)
            #expect(try await fixture.count("research.score") == sheets.count)
            #expect(try await fixture.count("research.answer_text") == sheets.count)
        }
    }

    /// As a device does: sends again, the same body under the same id, until it is told that the sheet is there.
    private static func handIn(_ sheet: SheetSubmission, _ queue: IngestQueue, _ ledger: Ledger) async {
        for _ in 0..<100 {
            do {
                let receipt = try await queue.submit(sheet)
                if receipt == .replayed || receipt == .stored(duplicateOf: nil) {
                    await ledger.acknowledge(sheet)
                }
                return
            } catch {
                await ledger.fail()
            }
        }
    }

    @Test func `sheets of people who are being erased are gone or stored, and everybody else's are stored`()
        async throws
    {
        try await StoreFixture.with(connections: 8) { fixture in
            var people: [Enrolment] = []
            for _ in 0..<8 { people.append(try await fixture.enrol()) }
            let queue = IngestQueue(store: fixture.store, logger: StoreFixture.logger)
            var occasions: [EnrolmentID: [Occasion]] = [:]
            for person in people { occasions[person.id] = try await fixture.evenings(of: person.id) }
            let erased = Set(people.prefix(4).map(\.id))
            let sheets = people.flatMap { person in
                (0..<30).map { number in
                    SheetSubmission.make(
                        person.id, number < 15 ? occasions[person.id]?[number].id : nil, body: "\(number)")
                }
            }.shuffled()

            try await withThrowingTaskGroup(of: Void.self) { group in
                for sheet in sheets {
                    group.addTask {
                        let receipt = try await queue.submit(sheet)
                        let isKept = receipt == .stored(duplicateOf: nil)
                        #expect(isKept || (receipt == .gone && erased.contains(sheet.enrolment)))
                    }
                }
                for person in people.prefix(4) {
                    group.addTask {
                        try await fixture.store.erase(
                            person, audit: StoreFixture.entry("erased"), now: .start)
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await fixture.count("research.answer_sheet") == 4 * 30)
            #expect(try await fixture.count("research.enrolment") == 4)
            #expect(try await fixture.count("research.erasure") == 4)
        }
    }

    @Test func `a sheet that the database refuses harms no other of its batch`() async throws {
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

            let outcomes = await withTaskGroup(of: (Int, SheetReceipt?).self) { group in
                for (number, sheet) in sheets.enumerated() {
                    group.addTask { (number, try? await queue.submit(sheet)) }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }

            #expect(outcomes.count == 63)
            #expect(outcomes[40] == nil)
            #expect(outcomes.values.allSatisfy { $0 == .stored(duplicateOf: nil) })
            #expect(try await fixture.count("research.answer_sheet") == 63)
            #expect(try await fixture.count("research.answer_text") == 63)
        }
    }

    @Test func `a batch with a sheet of somebody erased stores the others`() async throws {
        try await StoreFixture.with { fixture in
            let gone = try await fixture.enrol()
            let id = try await fixture.enrol().id
            try await fixture.store.erase(gone, audit: StoreFixture.entry("erased"), now: .start)
            let queue = IngestQueue(store: fixture.store, logger: StoreFixture.logger)
            let sheets = [id, id, gone.id, id, gone.id, id].map { SheetSubmission.make($0) }

            let receipts = try await SubmissionRaceTests.atOnce(sheets) { try await queue.submit($0) }

            #expect(receipts.filter { $0 == .gone }.count == 2)
            #expect(receipts.filter { $0 == .stored(duplicateOf: nil) }.count == 4)
            #expect(try await fixture.count("research.answer_sheet") == 4)
        }
    }

    @Test func `a sheet that races the withdrawal is kept, and the withdrawal too`() async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            for _ in 0..<6 {
                let id = try await fixture.enrol().id
                let evenings = try await fixture.evenings(of: id)
                async let receipts = fixture.store.submit(evenings.map { .make(id, $0.id) })
                async let ended = fixture.withdraw(id, .stopped, now: .start)

                #expect(try await receipts.allSatisfy { $0 == .stored(duplicateOf: nil) })
                #expect(try await ended.state == .stopped)
                #expect(try await fixture.evenings(of: id).allSatisfy { $0.sheetID != nil })
            }
            #expect(try await fixture.deadlocks() == 0)
        }
    }
}
