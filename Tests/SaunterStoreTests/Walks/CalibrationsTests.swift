import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct CalibrationsTests {
    @Test func `a calibration is stored with its target, replayed, and rejected if its id is in use`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let id = CalibrationID(UUID())

            #expect(try await fixture.submitCalibration(enrolment, as: id) == .stored)
            #expect(try await fixture.submitCalibration(enrolment, as: id) == .replayed)
            #expect(
                try await fixture.submitCalibration(enrolment, as: id, speed: 9, digest: [9]) == .conflict)
            #expect(
                try await fixture.submitCalibration(enrolment, as: id, speed: 9, digest: [9]) == .conflict)

            let stored = try #require(try await fixture.store.findCalibration(enrolment, id))
            #expect(stored.meanSpeedKmh == 5)
            #expect(stored.targetSpeedKmh == 4)
            #expect(stored.recordedAt == .start)
            #expect(
                try await fixture.values("select kind as value from research.quarantine") == ["calibration"])
            #expect(try await fixture.store.findCalibration(EnrolmentID(UUID()), id) == nil)
        }
    }

    @Test
    func `the active calibration is the last one recorded by then, in any order of arrival`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            try await fixture.submitCalibration(enrolment, speed: 6, recordedAt: Instant.start.plus(days: 2))
            try await fixture.submitCalibration(enrolment, speed: 5, recordedAt: .start)
            func speed(after days: Int) async throws -> Double? {
                try await fixture.store.findCalibration(enrolment, at: Instant.start.plus(days: days))?
                    .meanSpeedKmh
            }

            #expect(try await speed(after: -1) == nil)
            #expect(try await speed(after: 0) == 5)
            #expect(try await speed(after: 1) == 5)
            #expect(try await speed(after: 2) == 6)
            #expect(try await speed(after: 9) == 6)
        }
    }

    @Test func `walks that arrived before their calibration get its target and count as changed`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            // One before the calibration, one after it, one after the next, and one with a calibration.
            let hours = [2, 26, 50, 27]
            var walks: [WalkSubmission] = []
            for (number, hour) in hours.enumerated() {
                var walk = try WalkFixture.make(enrolment, endedAt: Instant.start.plus(hours: hour))
                walk.summary = WalkSummary(of: walk.walk)
                if number < 3 { walk.flags = ["calibration_missing", "clock_ahead"] }
                walks.append(walk)
                #expect(try await fixture.submit(walk) == .stored)
            }
            let sent = walks
            func targets() async throws -> [Double?] {
                var targets: [Double?] = []
                for walk in sent {
                    let stored = try #require(try await fixture.store.findWalk(enrolment, walk.id))
                    #expect(stored.flags.contains("clock_ahead"))
                    #expect(
                        stored.flags.contains("calibration_missing")
                            == (stored.calibration == nil && walk.flags.count == 2))
                    targets.append(stored.summary["target_speed_kmh"]?.double)
                }
                return targets
            }

            #expect(try await targets() == [nil, nil, nil, nil])
            try await fixture.submitCalibration(enrolment, speed: 6, recordedAt: Instant.start.plus(days: 2))
            #expect(try await targets() == [nil, nil, 4.8, nil])
            let first = CalibrationID(UUID())
            try await fixture.submitCalibration(
                enrolment, as: first, speed: 5, recordedAt: Instant.start.plus(days: 1))
            #expect(try await targets() == [nil, 4, 4.8, nil])
            // Again: nothing changes.
            #expect(
                try await fixture.submitCalibration(
                    enrolment, as: first, speed: 5, recordedAt: Instant.start.plus(days: 1)) == .replayed)
            #expect(try await targets() == [nil, 4, 4.8, nil])
            let stored = try #require(try await fixture.store.findWalk(enrolment, walks[1].id))
            #expect(stored.summary == WalkSummary(of: walks[1].walk, targetSpeedKmh: 4).json)
        }
    }

    @Test
    func `a walk gets the target of a calibration that was stored between its validation and its storage`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            try await fixture.submitCalibration(enrolment, speed: 5, recordedAt: .start)
            var walk = try WalkFixture.make(enrolment, endedAt: Instant.start.plus(hours: 2))
            walk.summary = WalkSummary(of: walk.walk)
            walk.flags = ["calibration_missing"]

            #expect(try await fixture.submit(walk) == .stored)

            let stored = try #require(try await fixture.store.findWalk(enrolment, walk.id))
            #expect(stored.flags.isEmpty)
            #expect(stored.summary == WalkSummary(of: walk.walk, targetSpeedKmh: 4).json)
        }
    }

    @Test func `a submission for an erased participant throws ConcurrentErasure`() async throws {
        try await StoreFixture.with { fixture in
            await #expect(throws: ConcurrentErasure.self) {
                try await fixture.submitCalibration(EnrolmentID(UUID()))
            }
        }
    }

    @Test func `a calibration dated in the far future is active until the next one arrives`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let later = Instant.start.plus(hours: 1)
            try await fixture.submitCalibration(
                enrolment, speed: 9, recordedAt: try #require(Instant("9999-12-31T23:59:59Z")),
                receivedAt: .start)

            try await fixture.submitCalibration(enrolment, speed: 5, recordedAt: later, receivedAt: later)

            #expect(try await fixture.store.findCalibration(enrolment, at: .start)?.meanSpeedKmh == 9)
            #expect(try await fixture.store.findCalibration(enrolment, at: later)?.meanSpeedKmh == 5)
        }
    }

    @Test(arguments: [
        // A clock one hour ahead that reports its skew; one that does not report it; one that is a day behind.
        (Int64(3600), Int64(-3_600_000)), (30, 0), (-86_400, 86_400_000),
    ])
    func `a new calibration is active at once, regardless of the device's clock`(ahead: Int64, skewMs: Int64)
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let now = Instant.start.plus(hours: 1)

            try await fixture.submitCalibration(
                enrolment, recordedAt: now.adding(seconds: Int(ahead)), receivedAt: now, skewMs: skewMs)

            #expect(try await fixture.store.findCalibration(enrolment, at: now) != nil)
            #expect(
                try await fixture.store.findCalibration(enrolment, at: now.adding(milliseconds: -1)) == nil)
        }
    }
}
