import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct WalksTests {
    @Test func `a stored walk equals the submitted one, with its summary and every sample`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let calibration = CalibrationID(UUID())
            try await fixture.submitCalibration(enrolment, as: calibration)
            let device = try JSONReader.read(#"{"model": "W1", "big": 1e300, "exact": 0.10}"#)
            let sent = try WalkFixture.make(enrolment, calibration: calibration, device: device)

            #expect(try await fixture.submit(sent) == .stored)

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

    @Test func `the occasion after the walk is stored with the walk`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let sent = try WalkFixture.make(enrolment)

            _ = try await fixture.submit(sent)

            let after = try await fixture.occasions(of: enrolment).filter { $0.key.schedule == "after-walk" }
            #expect(after.map(\.key.anchorInstance) == [sent.id.description])
            #expect(after.map(\.window.openAt) == [sent.walk.endedAt])
            let receipt = try await fixture.store.submit([.make(enrolment, after[0].id)])
            #expect(receipt == [.stored])
        }
    }

    @Test
    func `only one of many concurrent copies is stored with one occasion, and another body is quarantined`()
        async throws
    {
        try await StoreFixture.with(connections: 8) { fixture in
            let enrolment = try await fixture.enrol().id
            let id = WalkID(UUID())
            let receipts = try await withThrowingTaskGroup(of: StorageReceipt.self) { group in
                for _ in 0..<8 { group.addTask { try await fixture.submitWalk(enrolment, as: id) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(receipts.filter { $0 == .stored }.count == 1)
            #expect(receipts.filter { $0 == .replayed }.count == 7)
            #expect(try await fixture.submitWalk(enrolment, as: id, digest: [3]) == .conflict)
            #expect(try await fixture.count("research.walk") == 1)
            #expect(try await fixture.values("select kind as value from research.quarantine") == ["walk"])
            #expect(
                try await fixture.occasions(of: enrolment).filter { $0.key.schedule == "after-walk" }.count
                    == 1)
        }
    }

    @Test func `walks are listed in pages, the newest first, without deleted ones`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let ids = (0..<5).map { _ in WalkID(UUID()) }
            for (number, id) in ids.enumerated() {
                try await fixture.submitWalk(
                    enrolment, as: id, endedAt: Instant.start.plus(hours: 2 + number / 2))
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
                try await fixture.submitWalk(enrolment, as: ids[4], endedAt: Instant.start.plus(hours: 4))
                    == .replayed)
            let state = try await fixture.store.findParticipantState(enrolment, now: .start)
            #expect(state?.walks.count == 4)
        }
    }

    @Test func `a replay writes a row`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let id = WalkID(UUID())
            let calibration = CalibrationID(UUID())
            try await fixture.submitWalk(enrolment, as: id)
            try await fixture.submitCalibration(enrolment, as: calibration)
            let row =
                "select w.xmin::text || c.xmin::text as value from research.walk w, research.calibration c"
            let before: String = try await fixture.value(row)

            try await fixture.submitWalk(enrolment, as: id)
            try await fixture.submitCalibration(enrolment, as: calibration)

            let after: String = try await fixture.value(row)
            #expect(after != before)
        }
    }

    @Test func `a submission for an erased participant throws ConcurrentErasure`() async throws {
        try await StoreFixture.with { fixture in
            await #expect(throws: ConcurrentErasure.self) {
                try await fixture.submitWalk(EnrolmentID(UUID()))
            }
        }
    }

    @Test func `the open occasion of a deleted walk is cancelled`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let (deleted, kept) = (WalkID(UUID()), WalkID(UUID()))
            let end = Instant.start.plus(hours: 2)
            for walk in [deleted, kept] { try await fixture.submitWalk(id, as: walk, endedAt: end) }

            _ = try await fixture.store.deleteWalk(
                id, deleted, study: fixture.study, now: end.adding(seconds: 60), audit: StoreFixture.entry())

            let following = try await fixture.occasions(of: id).filter { $0.key.schedule == "after-walk" }
            let states = Dictionary(
                uniqueKeysWithValues: following.map { ($0.key.anchorInstance, $0.exclusion) })
            #expect(states == [deleted.description: .cancelled, kept.description: nil])
        }
    }

    @Test func `the occasion after a walk opens at the end of the walk by the server's clock`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            var walk = try WalkFixture.make(id, endedAt: Instant.start.plus(hours: 3))
            walk.skewMs = -3_600_000
            walk.receivedAt = Instant.start.plus(hours: 2)
            _ = try await fixture.submit(walk)

            let following = try await fixture.occasions(of: id).filter { $0.key.schedule == "after-walk" }

            #expect(following.map(\.window.openAt) == [Instant.start.plus(hours: 2)])
        }
    }

    @Test func `every walk of a batch gets its own receipt`() async throws {
        try await StoreFixture.with { fixture in
            let (ada, ben) = (try await fixture.enrol().id, try await fixture.enrol().id)
            let gone = try await fixture.enrol()
            try await fixture.store.erase(gone, audit: StoreFixture.entry("erased"), now: .start)
            let known = try WalkFixture.make(ada)
            _ = try await fixture.submit(known)
            let fresh = try WalkFixture.make(ben)
            var other = fresh
            other.digest = [9]
            let walks = [
                known, fresh, try WalkFixture.make(gone.id), fresh, other, try WalkFixture.make(ada),
            ]

            let receipts = try await fixture.store.submit(
                walks)

            #expect(receipts == [.replayed, .stored, .gone, .replayed, .conflict, .stored])
            #expect(try await fixture.count("research.walk") == 3)
            #expect(try await fixture.count("research.quarantine") == 1)
            // Two of Ada's walks and one of Ben's have an occasion.
            #expect(
                try await fixture.occasions(of: ada).filter { $0.questionnaire == "after_walk" }.count == 2)
            #expect(
                try await fixture.occasions(of: ben).filter { $0.questionnaire == "after_walk" }.count == 1)
        }
    }

    @Test func `concurrent walks and calibrations are each acknowledged after their commit`()
        async throws
    {
        try await StoreFixture.with(connections: 4) { fixture in
            let id = try await fixture.enrol().id
            let queue = IngestQueue(store: fixture.store, logger: StoreFixture.logger)
            let study = fixture.study
            try await withThrowingTaskGroup(of: StorageReceipt.self) { group in
                for _ in 0..<20 {
                    let walk = try WalkFixture.make(id)
                    group.addTask { try await queue.submit(walk) }
                    group.addTask {
                        try await queue.submit(
                            CalibrationSubmission(
                                study: study.code, enrolment: id, id: CalibrationID(UUID()),
                                calibration: try Calibration(
                                    recordedAt: .start, meanSpeedKmh: 5, reductionPercent: 20, durationS: 60,
                                    rule: nil),
                                receivedAt: .start, digest: [1], body: []))
                    }
                }
                for try await receipt in group { #expect(receipt == .stored) }
            }
            #expect(try await fixture.count("research.walk") == 20)
            #expect(try await fixture.count("research.calibration") == 20)
        }
    }
}
