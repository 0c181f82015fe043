import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct DevicesTests {
    @Test func `missing numbers are those below the newest that have not arrived`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let device = DeviceID(UUID())
            func record(_ sequences: [Int64]) async throws -> StoredDevice {
                try await fixture.store.recordSequences(device, of: id, sequences: sequences, now: .start)
                return try #require(try await fixture.store.findDevice(id, device))
            }

            let empty = try await record([])
            #expect(empty.newest == 0 && empty.missing == [] && empty.missingCount == 0)
            let withGaps = try await record([9, 2, 9, 5])
            #expect(
                withGaps.newest == 9 && withGaps.missing == [1...1, 3...4, 6...8]
                    && withGaps.missingCount == 6)
            #expect(try await record([1, 3, 4, 6, 7, 8]).missing == [])
            #expect(try await record([Int64(1) << 53]).missing == [10...((Int64(1) << 53) - 1)])
        }
    }

    @Test func `gaps and devices above the limits are not stored`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let device = DeviceID(UUID())
            for start in stride(from: Int64(0), to: 3000, by: 500) {
                try await fixture.store.recordSequences(
                    device, of: id, sequences: (start..<(start + 500)).map { $0 * 2 + 1 }, now: .start)
            }
            let found = try #require(try await fixture.store.findDevice(id, device))
            #expect(found.newest == 1999 && found.missing.count == 100 && found.missingCount == 999)

            for _ in 0..<120 {
                try await fixture.store.recordSequences(DeviceID(UUID()), of: id, sequences: [1], now: .start)
            }
            #expect(try await fixture.count("research.device") == 100)
            try await fixture.store.recordSequences(device, of: id, sequences: [2], now: .start)
            #expect(try await fixture.store.findDevice(id, device)?.missing.first == 4...4)
        }
    }

    @Test func `devices are listed by pseudonym, in pages`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            for _ in 0..<3 {
                try await fixture.store.recordSequences(DeviceID(UUID()), of: id, sequences: [1], now: .start)
            }

            let first = try await fixture.store.listDevices("walks", after: nil, limit: 2)
            let last = try #require(first.last)
            let rest = try await fixture.store.listDevices(
                "walks", after: (last.participant, last.device.id), limit: 9)
            #expect(first.count == 2 && rest.count == 1)
            #expect(Set((first + rest).map(\.device.id)).count == 3)
        }
    }

    @Test func `missing records are counted for each participant, and devices without any are left out`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let (ada, ben) = (try await fixture.enrol().id, try await fixture.enrol().id)
            let (phone, tablet) = (DeviceID(UUID()), DeviceID(UUID()))
            for (device, sequences) in [(phone, [Int64(3)]), (tablet, [2, 5]), (DeviceID(UUID()), [1, 2])] {
                try await fixture.store.recordSequences(device, of: ada, sequences: sequences, now: .start)
            }
            try await fixture.store.recordSequences(DeviceID(UUID()), of: ben, sequences: [1], now: .start)

            let counts = try await fixture.store.countMissingRecords(of: [ada, ben])
            let holding = try await fixture.store.listDevices("walks", missing: true, after: nil, limit: 9)

            // 1 and 2 of the phone; 1, 3 and 4 of the tablet.
            #expect(counts == [ada: 5])
            #expect(Set(holding.map(\.device.id)) == [phone, tablet])
            #expect(try await fixture.store.listDevices("walks", after: nil, limit: 9).count == 4)
        }
    }

    @Test func `a reader does not miss a late commit`() async throws {
        try await StoreFixture.with(connections: 4) { fixture in
            let id = try await fixture.enrol().id
            @Sendable func changes(after: Int64) async throws -> [OwnChange] {
                try await fixture.store.listOwnChanges(
                    of: id, "walks", after: ChangeCursor(sequence: after, history: ""), limit: 1000
                ).changes
            }
            let (early, late) = (ObservationID(UUID()), ObservationID(UUID()))
            let last = try #require(try await changes(after: 0).last?.sequence)
            let seen = try await fixture.owner.write { transaction in
                try await transaction.run(
                    """
                    insert into research.change (enrolment_id, kind, subject_id, study)
                    values ($1, 'observation', $2, 'walks')
                    """, [.id(id), .id(late)])
                try await fixture.submitObservation(id, as: early)
                return try await changes(after: last)
            }
            #expect(seen.map(\.id) == [early.description])
            let then = try await changes(after: try #require(seen.last?.sequence))
            #expect(then.map(\.id) == [late.description] && then[0].body == nil)
            #expect(try await changes(after: then[0].sequence).isEmpty)
        }
    }
}
