import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct SubmissionRaceTests {
    @Test(arguments: [2, 8, 32], [true, false])
    func `only one of many concurrent copies of a sheet is stored, and the rest are replays`(
        copies: Int, placed: Bool
    ) async throws {
        try await withEvening(connections: 16) { fixture, id, evening in
            let sheet = SheetSubmission.make(id, placed ? evening.id : nil)
            // One queue per copy, as on several servers.
            let receipts = try await Self.concurrently(Array(repeating: sheet, count: copies)) {
                try await IngestQueue(store: fixture.store, logger: StoreFixture.logger).submit($0)
            }

            #expect(receipts.filter { $0 == .stored }.count == 1)
            #expect(receipts.filter { $0 == .replayed }.count == copies - 1)
            #expect(try await fixture.count("research.answer_sheet") == 1)
            #expect(try await fixture.count("research.score") == 1)
            #expect(try await fixture.count("research.answer_text") == 1)
        }
    }

    @Test(arguments: [2, 8, 32])
    func `only one of many concurrent sheets fulfils an occasion, and the rest are duplicates of that sheet`(
        devices: Int
    ) async throws {
        try await withEvening(connections: 16) { fixture, id, evening in
            let sheets = (0..<devices).map { _ in SheetSubmission.make(id, evening.id) }

            let receipts = try await Self.concurrently(sheets) { try await fixture.store.submit([$0])[0] }

            let fulfillingSheet = try #require(
                try await fixture.occasions(of: id).first { $0.id == evening.id }?.sheetID)
            #expect(receipts.filter { $0 == .stored }.count == 1)
            #expect(receipts.filter { $0 == .duplicate(of: fulfillingSheet) }.count == devices - 1)
            #expect(try await fixture.count("research.answer_sheet") == devices)
        }
    }

    @Test func `the first of many concurrent bodies under one id is stored, and the others are quarantined`()
        async throws
    {
        try await withEvening(connections: 16) { fixture, id, _ in
            let sheet = SheetSubmission.make(id)
            let receipts = try await Self.concurrently((0..<12).map { sheet.with(body: "body \($0)") }) {
                try await IngestQueue(store: fixture.store, logger: StoreFixture.logger).submit($0)
            }

            #expect(receipts.filter { $0 == .stored }.count == 1)
            #expect(receipts.filter { $0 == .conflict }.count == 11)
            #expect(try await fixture.count("research.quarantine") == 11)
            let digests: Int = try await fixture.value(
                """
                select count(distinct body_sha256) as value from (
                  select body_sha256 from research.answer_sheet union all select body_sha256 from research.quarantine) all_of_them
                """)
            #expect(digests == 12)
        }
    }

    @Test func `batches with the same sheets in opposite order do not deadlock`()
        async throws
    {
        try await withEvening(connections: 16) { fixture, id, _ in
            let sheets = (0..<40).map { SheetSubmission.make(id, body: "body \($0)") }
            let batches = (0..<8).map { $0.isMultiple(of: 2) ? sheets : sheets.reversed() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for batch in batches {
                    group.addTask { _ = try await fixture.store.submit(batch) }
                }
                try await group.waitForAll()
            }

            #expect(try await fixture.count("research.answer_sheet") == 40)
            #expect(try await fixture.deadlocks() == 0)
        }
    }

    @Test func `a client gets the lost receipt again`() async throws {
        try await withEvening { fixture, id, evening in
            let sheet = SheetSubmission.make(id, evening.id)
            let receiptLoss = ReceiptLoss()
            let queue = IngestQueue(logger: StoreFixture.logger, pause: { _ in }) { submissions in
                let receipts = try await fixture.store.submit(submissions)
                if await receiptLoss.isFirst() {
                    throw DatabaseError(.connection(reason: "cut", commitUnknown: true))
                }
                return receipts
            }

            let receipt = try await queue.submit(sheet)

            #expect(receipt == .replayed)
            #expect(try await fixture.count("research.answer_sheet") == 1)
        }
    }

    @Test
    func `a replay writes a row, so that it is as durable as the first receipt`()
        async throws
    {
        try await withEvening { fixture, id, evening in
            let sheet = SheetSubmission.make(id, evening.id)
            let other = sheet.with(body: "other")
            _ = try await fixture.store.submit([sheet])
            _ = try await fixture.store.submit([other])

            for (again, table, receipt) in [
                (sheet, "research.answer_sheet", StorageReceipt.replayed),
                (other, "research.quarantine", .conflict),
            ] {
                let row = "select xmin::text || ctid::text as value from \(table)"
                let before: String = try await fixture.value(row)
                let position: String = try await fixture.value(
                    "select pg_current_wal_insert_lsn()::text as value")

                #expect(try await fixture.store.submit([again]) == [receipt])

                #expect(try await fixture.value(row) != before)
                let moved: Bool = try await fixture.value(
                    "select pg_current_wal_insert_lsn() > $1::text::pg_lsn as value", [.text(position)])
                #expect(moved)
            }
        }
    }

    static func concurrently(
        _ sheets: [SheetSubmission],
        _ submit: @escaping @Sendable (SheetSubmission) async throws -> StorageReceipt
    ) async throws -> [StorageReceipt] {
        try await withThrowingTaskGroup(of: StorageReceipt.self) { group in
            for sheet in sheets { group.addTask { try await submit(sheet) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private actor ReceiptLoss {
        private var count = 0

        func isFirst() -> Bool {
            count += 1
            return count == 1
        }
    }
}
