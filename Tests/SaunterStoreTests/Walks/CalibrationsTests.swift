import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct CalibrationsTests {
    @Test func `a calibration is stored with its target, replayed, and refused under a taken id`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let id = CalibrationID(UUID())

            #expect(try await fixture.calibrate(enrolment, as: id) == .stored)
            #expect(try await fixture.calibrate(enrolment, as: id) == .replayed)
            #expect(try await fixture.calibrate(enrolment, as: id, speed: 9, digest: [9]) == .conflict)
            #expect(try await fixture.calibrate(enrolment, as: id, speed: 9, digest: [9]) == .conflict)

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
    func `the one in force at a moment is the last that was recorded by then, in whatever order they came`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            try await fixture.calibrate(enrolment, speed: 6, recordedAt: Instant.start.plus(days: 2))
            try await fixture.calibrate(enrolment, speed: 5, recordedAt: .start)
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

    @Test func `who was erased a moment ago is told so`() async throws {
        try await StoreFixture.with { fixture in
            await #expect(throws: ErasedMeanwhile.self) { try await fixture.calibrate(EnrolmentID(UUID())) }
        }
    }

    @Test(arguments: [
        // A clock that is an hour ahead, and says so; one that does not say so; one that is a day behind.
        (Int64(3600), Int64(-3_600_000)), (30, 0), (-86_400, 86_400_000),
    ])
    func `one that was just made is in force, whatever the device's clock says`(ahead: Int64, skewMs: Int64)
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let now = Instant.start.plus(hours: 1)

            try await fixture.calibrate(
                enrolment, recordedAt: now.adding(seconds: Int(ahead)), receivedAt: now, skewMs: skewMs)

            #expect(try await fixture.store.findCalibration(enrolment, at: now) != nil)
            #expect(
                try await fixture.store.findCalibration(enrolment, at: now.adding(milliseconds: -1)) == nil)
        }
    }
}
