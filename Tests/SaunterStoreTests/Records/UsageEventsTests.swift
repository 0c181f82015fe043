import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct UsageEventsTests {
    @Test func `an event is stored once, however often it is submitted`() async throws {
        try await StoreFixture.with { fixture in
            let (one, two) = (try await fixture.enrol().id, try await fixture.enrol().id)
            let id = UsageEventID(UUID())
            let (first, other) = (UsageFixture.make(one, id), UsageFixture.make(two, id))
            let changed = UsageFixture.make(one, id, digest: [9])

            #expect(
                try await fixture.store.submit([first, first, other, changed]) == [
                    .stored, .replayed, .stored, .conflict,
                ])
            #expect(try await fixture.store.submit([changed, first]) == [.conflict, .replayed])
            #expect(try await fixture.count("research.usage_event") == 2)
            #expect(
                try await fixture.values("select kind as value from research.quarantine") == ["usage_event"])
            let kept: [String] = try await fixture.values(
                "select event || properties::text as value from research.usage_event limit 1")
            #expect(kept == [#"screen_seen{"screen":"overview","count":3}"#])
        }
    }

    @Test func `only the events of an erased participant are gone`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let events = [UsageFixture.make(EnrolmentID(UUID())), UsageFixture.make(id)]

            #expect(try await fixture.store.submit(events) == [.gone, .stored])
        }
    }

    @Test func `only one of many concurrent copies is stored`() async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            let id = try await fixture.enrol().id
            let event = UsageFixture.make(id)
            let receipts = try await withThrowingTaskGroup(of: StorageReceipt?.self) { group in
                for _ in 0..<8 { group.addTask { try await fixture.store.submit([event])[0] } }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(receipts.filter { $0 == .stored }.count == 1)
            #expect(receipts.filter { $0 == .replayed }.count == 7)
        }
    }
}
