import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct ObservationsTests {
    @Test func `a stored observation equals the submitted one, component by component`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let sent = try ObservationFixture.make(enrolment)

            #expect(try await fixture.store.submit([sent]) == [.stored])

            let stored = try #require(try await fixture.store.findObservation(enrolment, sent.id))
            #expect(stored.code == sent.observation.code)
            #expect(
                stored.startedAt == sent.observation.startedAt && stored.endedAt == sent.observation.endedAt)
            #expect(stored.receivedAt == sent.receivedAt)
            #expect(stored.modality == .sensed && stored.statistic == "average")
            #expect(stored.flags == ["clock_ahead"] && stored.sampleCount == 2)
            #expect(stored.components.map(\.code) == sent.observation.components.map(\.code))
            #expect(stored.components.map(\.unit) == ["mm[Hg]", "mm[Hg]"])
            #expect(
                stored.components.map(\.summary)
                    == sent.observation.components.map { ObservationSummary(of: $0.values) })
            #expect(stored.detail?.tMs == [0, 3_600_000] && stored.detail?.untilMs == [1000, 3_600_000])
            #expect(stored.detail?.values == [[121, 125.5], [79, nil]])
            #expect(stored.detail?.device == sent.device && stored.detail?.provenance == sent.provenance)
            #expect(stored.detail?.detail == sent.detail)
        }
    }

    @Test func `only one of many concurrent copies is stored, and another body is quarantined`() async throws
    {
        try await StoreFixture.with(connections: 8) { fixture in
            let enrolment = try await fixture.enrol().id
            let id = ObservationID(UUID())
            let receipts = try await withThrowingTaskGroup(of: StorageReceipt.self) { group in
                for _ in 0..<8 { group.addTask { try await fixture.submitObservation(enrolment, as: id) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(receipts.filter { $0 == .stored }.count == 1)
            #expect(receipts.filter { $0 == .replayed }.count == 7)
            #expect(try await fixture.submitObservation(enrolment, as: id, digest: [5]) == .conflict)
            #expect(try await fixture.count("research.observation") == 1)
            #expect(
                try await fixture.values("select kind as value from research.quarantine") == ["observation"])
        }
    }

    private static func revision(
        _ revision: Int, of id: ObservationID, _ enrolment: EnrolmentID, model: String
    ) throws -> ObservationSubmission {
        var submission = try ObservationFixture.make(enrolment, id, digest: [UInt8(10 + revision)])
        submission.revision = revision
        submission.device = ["model": .string(model)]
        submission.receivedAt = submission.receivedAt.plus(hours: revision)
        return submission
    }

    @Test(
        arguments: [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]], [false, true])
    func `the highest revision is stored, in any order of arrival`(
        _ order: [Int], _ isTogether: Bool
    ) async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let id = ObservationID(UUID())
            let submissions = try order.map {
                try Self.revision($0, of: id, enrolment, model: "\($0)")
            }
            var receipts: [StorageReceipt?] = []
            if isTogether {
                receipts = try await fixture.store.submit(submissions)
            } else {
                for submission in submissions { receipts += try await fixture.store.submit([submission]) }
            }
            let again = try await fixture.store.submit(
                submissions.map {
                    var late = $0
                    late.receivedAt = Instant.start.plus(hours: 50)
                    return late
                })
            let stored = try #require(try await fixture.store.findObservation(enrolment, id))

            #expect(receipts[order.firstIndex(of: 3) ?? 0] == .stored)
            #expect(again == [.replayed, .replayed, .replayed])
            #expect(stored.revision == 3 && stored.detail?.device == ["model": "3"])
            #expect(try await fixture.count("research.quarantine") == 0)
            #expect(try await fixture.count("research.observation") == 1)
        }
    }

    @Test func `another body of the same revision is quarantined, and a deleted observation is not revised`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let id = ObservationID(UUID())
            let second = try Self.revision(2, of: id, enrolment, model: "2")
            var other = second
            other.digest = [99]
            #expect(try await fixture.store.submit([second]) == [.stored])
            _ = try await fixture.store.numberChanges(of: "walks")
            let before = try await fixture.store.numberChanges(of: "walks")
            #expect(try await fixture.store.submit([other]) == [.conflict])

            let third = try Self.revision(3, of: id, enrolment, model: "3")
            #expect(try await fixture.store.submit([third]) == [.stored])
            _ = try await fixture.store.numberChanges(of: "walks")
            let changes = try await fixture.store.listChanges(of: "walks", after: before, limit: 9)
            _ = try await fixture.store.deleteObservation(
                enrolment, id, now: .start, audit: StoreFixture.entry())
            let fourth = try Self.revision(4, of: id, enrolment, model: "4")
            #expect(try await fixture.store.submit([fourth]) == [.replayed])

            #expect(changes.map(\.kind) == [.observation] && changes[0].body?["rev"] == 3)
            #expect(try await fixture.store.findObservation(enrolment, id)?.id == nil)
            #expect(
                try await fixture.store.findObservation(enrolment, id, includingDeleted: true)?.revision == 3)
        }
    }

    @Test func `observations are listed in pages, the newest first, by code, without deleted ones`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let ids = (0..<5).map { _ in ObservationID(UUID()) }
            for (number, id) in ids.enumerated() {
                try await fixture.submitObservation(
                    enrolment, as: id, startedAt: Instant.start.plus(hours: number / 2))
            }
            func delete() async throws -> Bool {
                try await fixture.store.deleteObservation(
                    enrolment, ids[4], now: .start, audit: StoreFixture.entry())
            }
            let (first, second) = (try await delete(), try await delete())

            let newest = try await fixture.store.listObservations(enrolment, before: nil, limit: 2)
            let last = try #require(newest.last)
            let rest = try await fixture.store.listObservations(
                enrolment, before: (last.startedAt, last.id), limit: 9)
            let none = try await fixture.store.listObservations(
                enrolment, codes: [MeasuredQuantity.heartRate.code], before: nil, limit: 9)

            #expect(first && !second)
            #expect(Set(newest.map(\.id)) == [ids[2], ids[3]])
            #expect(Set(rest.map(\.id)) == [ids[0], ids[1]])
            #expect(none.isEmpty)
            #expect(try await fixture.store.findObservation(enrolment, ids[4])?.id == nil)
            #expect(
                try await fixture.submitObservation(
                    enrolment, as: ids[4], startedAt: Instant.start.plus(hours: 2))
                    == .replayed)
        }
    }

    @Test func `samples are read oldest first, of the observations that overlap the span`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let ids = (0..<3).map { _ in ObservationID(UUID()) }
            for (number, id) in ids.enumerated() {
                try await fixture.submitObservation(
                    enrolment, as: id, startedAt: Instant.start.plus(hours: 3 * number))
            }
            func found(_ hours: Range<Int>, from: (startedAt: Instant, id: UUID)? = nil, limit: Int = 9)
                async throws
                -> [ObservationID]
            {
                try await fixture.store.listObservationSamples(
                    enrolment, codes: [ObservationCode(system: ObservationCode.loinc, code: "85354-9")],
                    in: Instant.start.plus(
                        hours: hours.lowerBound)..<Instant.start.plus(hours: hours.upperBound),
                    from: from, limit: limit
                ).map(\.id)
            }

            #expect(try await found(0..<9) == ids)
            #expect(try await found(1..<6) == [ids[0], ids[1]])
            #expect(try await found(2..<3) == [])
            #expect(try await found(0..<9, limit: 1) == [ids[0]])
            #expect(
                try await found(0..<9, from: (Instant.start.plus(hours: 3), ids[1].uuid)) == [ids[1], ids[2]])
        }
    }

    @Test func `the change feed contains a new and a deleted observation`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let before = try await fixture.store.numberChanges(of: "walks")
            let id = ObservationID(UUID())
            try await fixture.submitObservation(enrolment, as: id)
            _ = try await fixture.store.numberChanges(of: "walks")
            let made = try await fixture.store.listChanges(of: "walks", after: before, limit: 9)
            try await fixture.submitObservation(enrolment, as: id)
            let replayed = try await fixture.store.numberChanges(of: "walks")
            _ = try await fixture.store.deleteObservation(
                enrolment, id, now: .start, audit: StoreFixture.entry())
            _ = try await fixture.store.numberChanges(of: "walks")
            let ended = try await fixture.store.listChanges(of: "walks", after: before, limit: 9)

            #expect(made.map(\.kind) == [.observation])
            #expect(made[0].body?["means"] == [123.25, 79])
            #expect(replayed == made[0].sequence)
            #expect(ended.map(\.kind) == [.observation])
            #expect(ended[0].body == nil && ended[0].sequence > replayed)
        }
    }

    @Test func `the database rejects a row with columns that do not fit together`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.submitObservation(try await fixture.enrol().id)
            await #expect(throws: (any Error).self) {
                try await fixture.run("update research.observation set samples = '{1,2,3}'")
            }
        }
    }

    @Test func `a submission for an erased participant throws ConcurrentErasure`() async throws {
        try await StoreFixture.with { fixture in
            await #expect(throws: ConcurrentErasure.self) {
                try await fixture.submitObservation(EnrolmentID(UUID()))
            }
        }
    }
}
