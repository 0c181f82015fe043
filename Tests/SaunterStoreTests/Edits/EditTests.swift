import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct EditTests {
    private static let later = Instant.start.plus(hours: 10)

    private static func revision(_ slot: Int16) -> SheetRevision {
        SheetRevision(
            answers: StoredAnswers(slots: [slot, 0, -998], numbers: [1], texts: [:]), cleared: [], scores: [],
            keyVersion: nil, keyDigest: nil, reason: nil)
    }

    /// Applies all waiting edits. The slot of a correction is its index in `order`.
    private static func applyDueEdits(
        _ fixture: StoreFixture, _ id: EnrolmentID, _ order: [EditID]
    ) async throws {
        for edit in try await fixture.store.listDueEdits(of: id) {
            let slot = Int16(order.firstIndex(of: edit.id) ?? 9)
            let entry = StoreFixture.entry("sheet_amended", id)
            switch (edit.kind, edit.subject) {
            case (.correction, .sheet(let sheet)):
                try await fixture.store.apply(
                    edit, to: sheet, of: id, now: later, audit: entry
                ) { _ in revision(slot) }
            case (.deletion, .sheet(let sheet)):
                try await fixture.store.apply(
                    edit, deleting: sheet, of: id, now: later, audit: entry
                ) { _ in }
            default:
                try await fixture.store.apply(
                    edit, of: id, study: fixture.study, now: later, audit: entry)
            }
        }
    }

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func `a sheet and two corrections end with the correction made last, in any order of arrival`(
        _ order: [Int]
    )
        async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            let corrections = (1...2).map {
                EditFixture.make(sheet.sheet, madeAt: Instant.start.plus(hours: $0))
            }
            for index in order {
                if index == 0 {
                    _ = try await fixture.store.submit([sheet])
                } else {
                    #expect(try await fixture.submitEdit(corrections[index - 1], of: id) == .stored)
                }
                try await Self.applyDueEdits(fixture, id, corrections.map(\.id))
            }

            let stored = try #require(try await fixture.store.findSheet(id, sheet.sheet))
            #expect(stored.answers.slots.first == 1)
            #expect(try await fixture.state(of: corrections[1].id, id) == .applied)
            #expect(try await fixture.store.listDueEdits(of: id).isEmpty)
        }
    }

    /// A clock that was ahead: all edits count as made when they were received.
    @Test(arguments: [[0, 1], [1, 0]], [false, true])
    func `if corrections have the same moment, the one with the latest moment stated by the device is active`(
        _ order: [Int], _ isTogether: Bool
    ) async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            // The ids have the opposite order.
            let ids = [EditID(UUID()), EditID(UUID())].sorted { $1 < $0 }
            let corrections = ["2026-11-21T11:00:00Z", "2026-11-21T12:00:00Z"].enumerated().map {
                EditFixture.make(
                    sheet.sheet, as: ids[$0.offset], madeAt: Instant.start.plus(hours: 1),
                    body: ["corrected_at": .string($0.element)])
            }
            for index in order {
                #expect(try await fixture.submitEdit(corrections[index], of: id) == .stored)
                if !isTogether { try await Self.applyDueEdits(fixture, id, ids) }
            }
            try await Self.applyDueEdits(fixture, id, ids)

            let stored = try #require(try await fixture.store.findSheet(id, sheet.sheet))
            #expect(stored.answers.slots.first == 1)
        }
    }

    /// Made offline by a clock that was ahead. Each arrives in a separate call after the clock was corrected.
    @Test(arguments: [[0, 1], [1, 0]])
    func `corrections of a clock that was ahead are ordered by the moments that the device states`(
        _ order: [Int]
    ) async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            let ids = [EditID(UUID()), EditID(UUID())].sorted { $1 < $0 }
            for (call, index) in order.enumerated() {
                let receivedAt = Instant.start.plus(hours: 1 + call)
                var correction = EditFixture.make(
                    sheet.sheet, as: ids[index], madeAt: receivedAt,
                    body: ["corrected_at": .string(Instant.start.plus(hours: 5 + index).description)])
                correction.receivedAt = receivedAt
                #expect(try await fixture.submitEdit(correction, of: id) == .stored)
                try await Self.applyDueEdits(fixture, id, ids)
            }

            let stored = try #require(try await fixture.store.findSheet(id, sheet.sheet))
            #expect(stored.answers.slots.first == 1)
        }
    }

    @Test(arguments: [[0, 1], [1, 0]], [false, true])
    func `the sequence numbers of a device take precedence over its clock`(_ order: [Int], _ isTogether: Bool)
        async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            let device = DeviceID(UUID())
            // Between the two edits the clock was set back by three hours.
            let corrections = [5, 2].enumerated().map { index, hour in
                var correction = EditFixture.make(sheet.sheet, madeAt: Instant.start.plus(hours: hour))
                correction.number = Edit.Number(device: device, sequence: Int64(index + 1))
                return correction
            }
            for index in order {
                #expect(try await fixture.submitEdit(corrections[index], of: id) == .stored)
                if !isTogether { try await Self.applyDueEdits(fixture, id, corrections.map(\.id)) }
            }
            try await Self.applyDueEdits(fixture, id, corrections.map(\.id))

            let stored = try #require(try await fixture.store.findSheet(id, sheet.sheet))
            #expect(stored.answers.slots.first == 1)
        }
    }

    @Test func `numbers of another device have no effect`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            let corrections = [5, 2].enumerated().map { index, hour in
                var correction = EditFixture.make(sheet.sheet, madeAt: Instant.start.plus(hours: hour))
                correction.number = Edit.Number(device: DeviceID(UUID()), sequence: Int64(index + 1))
                return correction
            }
            for correction in corrections { try await fixture.submitEdit(correction, of: id) }
            try await Self.applyDueEdits(fixture, id, corrections.map(\.id))

            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.answers.slots.first == 0)
        }
    }

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func `a deleted sheet stays deleted, in any order of arrival`(_ order: [Int]) async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let evening = try await fixture.evenings(of: id)[0]
            let sheet = SheetSubmission.make(id, evening.id)
            let correction = EditFixture.make(sheet.sheet, madeAt: Instant.start.plus(hours: 2))
            let deletion = EditFixture.make(sheet.sheet, .deletion, madeAt: Instant.start.plus(hours: 1))
            for _ in 0..<2 {
                for index in order {
                    switch index {
                    case 0: _ = try await fixture.store.submit([sheet])
                    case 1: try await fixture.submitEdit(correction, of: id)
                    default: try await fixture.submitEdit(deletion, of: id)
                    }
                    try await Self.applyDueEdits(fixture, id, [])
                }
            }

            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.deletedAt != nil)
            #expect(try await fixture.evenings(of: id)[0].completedAt == nil)
            #expect(try await fixture.store.listEnrolmentsWithDueEdits(after: nil, limit: 9).isEmpty)
        }
    }

    @Test func `the same edit again is a replay, and another body under its id is quarantined`() async throws
    {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let edit = EditFixture.make(SheetID(UUID()))
            var other = edit
            other.digest = [8]

            #expect(try await fixture.submitEdit(edit, of: id) == .stored)
            #expect(try await fixture.submitEdit(edit, of: id) == .replayed)
            #expect(try await fixture.submitEdit(other, of: id) == .conflict)
            #expect(try await fixture.count("research.quarantine") == 1)
            #expect(try await fixture.state(of: edit.id, id) == .waiting)
        }
    }

    @Test func `only one of many concurrent applications of a correction succeeds`() async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            let correction = EditFixture.make(sheet.sheet)
            try await fixture.submitEdit(correction, of: id)

            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await fixture.store.apply(
                            correction, to: sheet.sheet, of: id, now: Self.later,
                            audit: StoreFixture.entry("sheet_corrected", id)
                        ) { _ in Self.revision(4) }
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.revision == 2)
        }
    }

    @Test func `an edit that does not fit leaves the sheet unchanged and waits until it is resolved`()
        async throws
    {
        struct UnfitCorrection: Error {}
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            let correction = EditFixture.make(sheet.sheet)
            try await fixture.submitEdit(correction, of: id)

            await #expect(throws: UnfitCorrection.self) {
                try await fixture.store.apply(
                    correction, to: sheet.sheet, of: id, now: Self.later,
                    audit: StoreFixture.entry("sheet_corrected", id)
                ) { _ in throw UnfitCorrection() }
            }
            #expect(try await fixture.state(of: correction.id, id) == .waiting)
            try await fixture.store.refuse(correction.id, of: id, ["type": "correction-closed"])
            let stored = try await fixture.store.listEdits([correction.id], of: id)[correction.id]
            #expect(stored?.refusal == ["type": "correction-closed"])
            #expect(try await fixture.state(of: correction.id, id) == .refused)
            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.revision == 1)
        }
    }

    @Test func `a deletion and the plan that follows from it are stored together, or not at all`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol()
            let id = enrolment.id
            let sheet = SheetSubmission.make(id)
            _ = try await fixture.store.submit([sheet])
            let deletion = EditFixture.make(sheet.sheet, .deletion)
            try await fixture.submitEdit(deletion, of: id)
            let later = Instant.start.plus(days: 5)
            func delete(_ study: Study) async throws {
                try await fixture.store.apply(
                    deletion, deleting: sheet.sheet, of: id,
                    FollowUps(study: study, changesPlan: true, now: later), now: later,
                    audit: StoreFixture.entry("sheet_deleted", id)
                ) { _ in }
            }
            var other = fixture.study
            other.version = "9.9.9"

            await #expect(throws: StudyVersionMismatch.self) { try await delete(other) }
            #expect(try await fixture.state(of: deletion.id, id) == .waiting)
            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.deletedAt == nil)

            try await delete(fixture.study)
            #expect(try await fixture.state(of: deletion.id, id) == .applied)
            #expect(try await fixture.store.findSheet(id, sheet.sheet)?.deletedAt != nil)
            let planned = try #require(try await fixture.store.findEnrolment(id)).plannedThrough
            #expect(planned > enrolment.plannedThrough)
        }
    }

    @Test(arguments: [false, true])
    func `deleted walks and observations stay deleted, in any order of arrival`(
        _ isEarly: Bool
    ) async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let calibration = CalibrationID(UUID())
            try await fixture.submitCalibration(id, as: calibration)
            let (walk, observation) = (WalkID(UUID()), ObservationID(UUID()))
            let deletions = [
                EditFixture.make(.walk(walk), .deletion),
                EditFixture.make(.observation(observation), .deletion),
            ]
            if isEarly { for deletion in deletions { try await fixture.submitEdit(deletion, of: id) } }
            try await Self.applyDueEdits(fixture, id, [])
            try await fixture.submitWalk(id, as: walk, calibration: calibration)
            try await fixture.submitObservation(id, as: observation)
            if !isEarly { for deletion in deletions { try await fixture.submitEdit(deletion, of: id) } }
            try await Self.applyDueEdits(fixture, id, [])

            #expect(try await fixture.store.findWalk(id, walk) == nil)
            #expect(try await fixture.store.findObservation(id, observation) == nil)
            #expect(try await fixture.state(of: deletions[0].id, id) == .applied)
            let again = EditFixture.make(.walk(walk), .deletion)
            try await fixture.submitEdit(again, of: id)
            try await Self.applyDueEdits(fixture, id, [])
            #expect(try await fixture.state(of: again.id, id) == .superseded)
        }
    }
}

extension StoreFixture {
    fileprivate func state(of id: EditID, _ enrolment: EnrolmentID) async throws -> Edit.State? {
        try await store.listEdits([id], of: enrolment)[id]?.state
    }
}
