import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct WalksTests {
    @Test func `a walk comes back as it was sent, with its summary and every sample`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let calibration = CalibrationID(UUID())
            try await fixture.calibrate(enrolment, as: calibration)
            let device = try JSONReader.read(#"{"model": "W1", "big": 1e300, "exact": 0.10}"#)
            let sent = try WalkFixture.make(enrolment, calibration: calibration, device: device)

            #expect(try await fixture.store.insert(sent, study: fixture.study) == .stored)

            let stored = try #require(try await fixture.store.findWalk(enrolment, sent.id))
            #expect(stored.startedAt == sent.walk.startedAt)
            #expect(stored.endedAt == sent.walk.endedAt)
            #expect(stored.receivedAt == sent.receivedAt)
            #expect(stored.calibration == calibration)
            #expect(stored.flags == ["clock_ahead"])
            #expect(stored.summary == sent.summary.json)
            #expect(stored.detail?.series == sent.walk.series)
            #expect(stored.detail?.pausesMs == [600_000, 660_000])
            #expect(stored.detail?.device == device)
            #expect(stored.detail?.totals == sent.walk.totals?.json)
        }
    }

    @Test func `the occasion after the walk is there when the walk is`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let sent = try WalkFixture.make(enrolment)

            _ = try await fixture.store.insert(sent, study: fixture.study)

            let after = try await fixture.occasions(of: enrolment).filter { $0.key.schedule == "after-walk" }
            #expect(after.map(\.key.anchorInstance) == [sent.id.description])
            #expect(after.map(\.window.openAt) == [sent.walk.endedAt])
            let receipt = try await fixture.store.submit([.make(enrolment, after[0].id)])
            #expect(receipt == [.stored(duplicateOf: nil)])
        }
    }

    @Test func `of many copies at once one is stored with one occasion, and another body is put aside`()
        async throws
    {
        try await StoreFixture.with(connections: 8) { fixture in
            let enrolment = try await fixture.enrol().id
            let id = WalkID(UUID())
            let receipts = try await withThrowingTaskGroup(of: StorageReceipt.self) { group in
                for _ in 0..<8 { group.addTask { try await fixture.walk(enrolment, as: id) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(receipts.filter { $0 == .stored }.count == 1)
            #expect(receipts.filter { $0 == .replayed }.count == 7)
            #expect(try await fixture.walk(enrolment, as: id, digest: [3]) == .conflict)
            #expect(try await fixture.count("research.walk") == 1)
            #expect(try await fixture.values("select kind as value from research.quarantine") == ["walk"])
            #expect(
                try await fixture.occasions(of: enrolment).filter { $0.key.schedule == "after-walk" }.count
                    == 1)
        }
    }

    @Test func `walks are listed from the newest on, page by page, without deleted ones`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let ids = (0..<5).map { _ in WalkID(UUID()) }
            for (number, id) in ids.enumerated() {
                try await fixture.walk(enrolment, as: id, endedAt: Instant.start.plus(hours: 2 + number / 2))
            }
            let isDeleted = try await fixture.store.deleteWalk(
                enrolment, ids[4], study: fixture.study, now: .start, audit: StoreFixture.entry())
            let isDeletedAgain = try await fixture.store.deleteWalk(
                enrolment, ids[4], study: fixture.study, now: .start, audit: StoreFixture.entry())

            let first = try await fixture.store.listWalks(enrolment, before: nil, limit: 2)
            let last = try #require(first.last)
            let second = try await fixture.store.listWalks(
                enrolment, before: (last.startedAt, last.id), limit: 9)

            #expect(isDeleted && !isDeletedAgain)
            #expect(Set(first.map(\.id)) == [ids[2], ids[3]])
            #expect(Set(second.map(\.id)) == [ids[0], ids[1]])
            #expect(try await fixture.store.findWalk(enrolment, ids[4])?.id == nil)
            #expect(
                try await fixture.walk(enrolment, as: ids[4], endedAt: Instant.start.plus(hours: 4))
                    == .replayed)
            let facts = try await fixture.store.findParticipation(enrolment, now: .start)?
                .facts(at: .start)
            #expect(facts?.walkCount == 4)
        }
    }

    @Test func `a replay is a write of its own`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let id = WalkID(UUID())
            let calibration = CalibrationID(UUID())
            try await fixture.walk(enrolment, as: id)
            try await fixture.calibrate(enrolment, as: calibration)
            let row =
                "select w.xmin::text || c.xmin::text as value from research.walk w, research.calibration c"
            let before: String = try await fixture.value(row)

            try await fixture.walk(enrolment, as: id)
            try await fixture.calibrate(enrolment, as: calibration)

            let after: String = try await fixture.value(row)
            #expect(after != before)
        }
    }

    @Test func `who was erased a moment ago is told so`() async throws {
        try await StoreFixture.with { fixture in
            await #expect(throws: ErasedMeanwhile.self) { try await fixture.walk(EnrolmentID(UUID())) }
        }
    }

    @Test func `a walk that was deleted asks for nothing any more, though its questionnaire was open`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let (deleted, kept) = (WalkID(UUID()), WalkID(UUID()))
            let end = Instant.start.plus(hours: 2)
            for walk in [deleted, kept] { try await fixture.walk(id, as: walk, endedAt: end) }

            _ = try await fixture.store.deleteWalk(
                id, deleted, study: fixture.study, now: end.adding(seconds: 60), audit: StoreFixture.entry())

            let following = try await fixture.occasions(of: id).filter { $0.key.schedule == "after-walk" }
            let states = Dictionary(
                uniqueKeysWithValues: following.map { ($0.key.anchorInstance, $0.setAside) })
            #expect(states == [deleted.description: .cancelled, kept.description: nil])
        }
    }

    @Test func `what follows a walk opens when it ended by our clock`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            var walk = try WalkFixture.make(id, endedAt: Instant.start.plus(hours: 3))
            walk.skewMs = -3_600_000
            walk.receivedAt = Instant.start.plus(hours: 2)
            _ = try await fixture.store.insert(walk, study: fixture.study)

            let following = try await fixture.occasions(of: id).filter { $0.key.schedule == "after-walk" }

            #expect(following.map(\.window.openAt) == [Instant.start.plus(hours: 2)])
        }
    }
}
