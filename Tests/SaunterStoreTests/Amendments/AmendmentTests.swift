import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct AmendmentTests {
    private static let later = Instant.start.plus(hours: 10)

    private static func revision(_ slot: Int16) -> SheetRevision {
        SheetRevision(
            answers: StoredAnswers(slots: [slot, 0, -998], numbers: [1], texts: [:]), cleared: [], scores: [],
            keyVersion: nil, keyDigest: nil, reason: nil)
    }

    /// Applies all that waits; a correction's slot is its place in `order`.
    private static func settle(
        _ fixture: StoreFixture, _ id: EnrolmentID, _ order: [AmendmentID]
    ) async throws {
        for amendment in try await fixture.store.listDueAmendments(of: id) {
            let slot = Int16(order.firstIndex(of: amendment.id) ?? 9)
            let entry = StoreFixture.entry("sheet_amended", id)
            switch (amendment.kind, amendment.subject) {
            case (.correction, .sheet(let sheet)):
                _ = try await fixture.store.apply(
                    amendment, to: sheet, of: id, state: .applied, now: later, audit: entry
                ) { _ in revision(slot) }
            case (.deletion, .sheet(let sheet)):
                _ = try await fixture.store.apply(
                    amendment, takingBack: sheet, of: id, state: .applied, now: later, audit: entry
                ) { _ in }
            default:
                try await fixture.store.apply(
                    amendment, of: id, study: fixture.study, now: later, audit: entry)
            }
        }
    }

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func `a sheet and two corrections end with the one made last, in whatever order they come`(_ order: [Int])
        async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            let corrections = (1...2).map {
                AmendmentFixture.make(sheet.sheet, madeAt: Instant.start.plus(hours: $0))
            }
            for place in order {
                if place == 0 {
                    _ = try await fixture.store.submit([sheet])
                } else {
                    #expect(try await fixture.keep(corrections[place - 1], of: id) == .stored)
                }
                try await Self.settle(fixture, id, corrections.map(\.id))
            }

            let stored = try #require(try await fixture.store.findSheet(id, sheet.sheet))
            #expect(stored.answers.slots.first == 1)
            #expect(try await fixture.state(of: corrections[1].id, id) == .applied)
            #expect(try await fixture.store.listDueAmendments(of: id).isEmpty)
        }
    }

    /// A clock that was ahead: all of them count as made when they were received.
    @Test(arguments: [[0, 1], [1, 0]], [false, true])
    func `of corrections of one moment the one that the device calls the last is in force`(
        _ order: [Int], _ isTogether: Bool
    ) async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            // The ids tell the other way round.
            let ids = [AmendmentID(UUID()), AmendmentID(UUID())].sorted { $1 < $0 }
            let corrections = ["2026-11-21T11:00:00Z", "2026-11-21T12:00:00Z"].enumerated().map {
                AmendmentFixture.make(
                    sheet.sheet, as: ids[$0.offset], madeAt: Instant.start.plus(hours: 1),
                    body: ["corrected_at": .string($0.element)])
            }
            for place in order {
                #expect(try await fixture.keep(corrections[place], of: id) == .stored)
                if !isTogether { try await Self.settle(fixture, id, ids) }
            }
            try await Self.settle(fixture, id, ids)

            let stored = try #require(try await fixture.store.findSheet(id, sheet.sheet))
            #expect(stored.answers.slots.first == 1)
        }
    }

    /// Made offline by a clock that was ahead; each comes in a call of its own after the clock was put right.
    @Test(arguments: [[0, 1], [1, 0]])
    func `corrections of a clock that was ahead are in the order of its words, not of their calls`(
        _ order: [Int]
    ) async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            let ids = [AmendmentID(UUID()), AmendmentID(UUID())].sorted { $1 < $0 }
            for (call, place) in order.enumerated() {
                let receivedAt = Instant.start.plus(hours: 1 + call)
                var correction = AmendmentFixture.make(
                    sheet.sheet, as: ids[place], madeAt: receivedAt,
                    body: ["corrected_at": .string(Instant.start.plus(hours: 5 + place).description)])
                correction.receivedAt = receivedAt
                #expect(try await fixture.keep(correction, of: id) == .stored)
                try await Self.settle(fixture, id, ids)
            }

            let stored = try #require(try await fixture.store.findSheet(id, sheet.sheet))
            #expect(stored.answers.slots.first == 1)
        }
    }

    @Test(arguments: [[0, 1], [1, 0]], [false, true])
    func `a device's own numbers go before its clock`(_ order: [Int], _ isTogether: Bool) async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            let device = DeviceID(UUID())
            // Between the two its clock was put back by three hours.
            let corrections = [5, 2].enumerated().map { place, hour in
                var correction = AmendmentFixture.make(sheet.sheet, madeAt: Instant.start.plus(hours: hour))
                correction.number = Amendment.Number(device: device, sequence: Int64(place + 1))
                return correction
            }
            for place in order {
                #expect(try await fixture.keep(corrections[place], of: id) == .stored)
                if !isTogether { try await Self.settle(fixture, id, corrections.map(\.id)) }
            }
            try await Self.settle(fixture, id, corrections.map(\.id))

            let stored = try #require(try await fixture.store.findSheet(id, sheet.sheet))
            #expect(stored.answers.slots.first == 1)
        }
    }

    @Test func `numbers of another device tell nothing`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            let corrections = [5, 2].enumerated().map { place, hour in
                var correction = AmendmentFixture.make(sheet.sheet, madeAt: Instant.start.plus(hours: hour))
                correction.number = Amendment.Number(device: DeviceID(UUID()), sequence: Int64(place + 1))
                return correction
            }
            for correction in corrections { try await fixture.keep(correction, of: id) }
            try await Self.settle(fixture, id, corrections.map(\.id))

            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.answers.slots.first == 0)
        }
    }

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func `a sheet that was taken back stays so, in whatever order things come`(_ order: [Int]) async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let evening = try await fixture.evenings(of: id)[0]
            let sheet = SheetSubmission.make(id, evening.id)
            let correction = AmendmentFixture.make(sheet.sheet, madeAt: Instant.start.plus(hours: 2))
            let deletion = AmendmentFixture.make(sheet.sheet, .deletion, madeAt: Instant.start.plus(hours: 1))
            for _ in 0..<2 {
                for place in order {
                    switch place {
                    case 0: _ = try await fixture.store.submit([sheet])
                    case 1: try await fixture.keep(correction, of: id)
                    default: try await fixture.keep(deletion, of: id)
                    }
                    try await Self.settle(fixture, id, [])
                }
            }

            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.deletedAt != nil)
            #expect(try await fixture.evenings(of: id)[0].completedAt == nil)
            #expect(try await fixture.store.listEnrolmentsWithDueAmendments(after: nil, limit: 9).isEmpty)
        }
    }

    @Test func `the same again is a replay, and another body under the id is put aside`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let amendment = AmendmentFixture.make(SheetID(UUID()))
            var other = amendment
            other.digest = [8]

            #expect(try await fixture.keep(amendment, of: id) == .stored)
            #expect(try await fixture.keep(amendment, of: id) == .replayed)
            #expect(try await fixture.keep(other, of: id) == .conflict)
            #expect(try await fixture.count("research.quarantine") == 1)
            #expect(try await fixture.state(of: amendment.id, id) == .waiting)
        }
    }

    @Test func `of many who apply one correction at once one does`() async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            let correction = AmendmentFixture.make(sheet.sheet)
            try await fixture.keep(correction, of: id)

            let applied = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await fixture.store.apply(
                            correction, to: sheet.sheet, of: id, state: .applied, now: Self.later,
                            audit: StoreFixture.entry("sheet_corrected", id)
                        ) { _ in Self.revision(4) }
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }

            #expect(applied == 1)
            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.revision == 2)
        }
    }

    @Test func `what does not fit leaves the sheet and waits until it is settled`() async throws {
        struct Unfit: Error {}
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            let correction = AmendmentFixture.make(sheet.sheet)
            try await fixture.keep(correction, of: id)

            await #expect(throws: Unfit.self) {
                try await fixture.store.apply(
                    correction, to: sheet.sheet, of: id, state: .applied, now: Self.later,
                    audit: StoreFixture.entry("sheet_corrected", id)
                ) { _ in throw Unfit() }
            }
            #expect(try await fixture.state(of: correction.id, id) == .waiting)
            try await fixture.store.refuse(correction.id, of: id, ["type": "correction-closed"])
            let told = try await fixture.store.listAmendments([correction.id], of: id)[correction.id]
            #expect(told?.refusal == ["type": "correction-closed"])
            #expect(try await fixture.state(of: correction.id, id) == .refused)
            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.revision == 1)
        }
    }

    @Test func `one whose consequences were never planned is due until they are`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            let deletion = AmendmentFixture.make(sheet.sheet, .deletion)
            try await fixture.keep(deletion, of: id)
            let isApplied = try await fixture.store.apply(
                deletion, takingBack: sheet.sheet, of: id, state: .applying, now: Self.later,
                audit: StoreFixture.entry("sheet_deleted", id)
            ) { _ in }

            #expect(isApplied)
            #expect(try await fixture.store.listDueAmendments(of: id).map(\.state) == [.applying])
            try await fixture.store.finish(deletion.id, of: id)
            #expect(try await fixture.store.listDueAmendments(of: id).isEmpty)
            #expect(try await fixture.state(of: deletion.id, id) == .applied)
        }
    }

    @Test(arguments: [false, true])
    func `walks and observations that were taken back stay so, in whatever order things come`(
        _ isEarly: Bool
    ) async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let calibration = CalibrationID(UUID())
            try await fixture.calibrate(id, as: calibration)
            let (walk, observation) = (WalkID(UUID()), ObservationID(UUID()))
            let deletions = [
                AmendmentFixture.make(.walk(walk), .deletion),
                AmendmentFixture.make(.observation(observation), .deletion),
            ]
            if isEarly { for deletion in deletions { try await fixture.keep(deletion, of: id) } }
            try await Self.settle(fixture, id, [])
            try await fixture.walk(id, as: walk, calibration: calibration)
            try await fixture.observe(id, as: observation)
            if !isEarly { for deletion in deletions { try await fixture.keep(deletion, of: id) } }
            try await Self.settle(fixture, id, [])

            #expect(try await fixture.store.findWalk(id, walk) == nil)
            #expect(try await fixture.store.findObservation(id, observation) == nil)
            #expect(try await fixture.state(of: deletions[0].id, id) == .applied)
            let again = AmendmentFixture.make(.walk(walk), .deletion)
            try await fixture.keep(again, of: id)
            try await Self.settle(fixture, id, [])
            #expect(try await fixture.state(of: again.id, id) == .superseded)
        }
    }
}

extension StoreFixture {
    fileprivate func state(of id: AmendmentID, _ enrolment: EnrolmentID) async throws -> Amendment.State? {
        try await store.listAmendments([id], of: enrolment)[id]?.state
    }
}
