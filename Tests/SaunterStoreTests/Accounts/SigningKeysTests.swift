import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct SigningKeysTests {
    static func key(_ id: String, at createdAt: Instant = .start, days: Int = 10) -> StoredSigningKey {
        StoredSigningKey(
            id: id, key: Array(repeating: UInt8(id.utf8.count), count: 32), createdAt: createdAt,
            retiresAt: createdAt.plus(days: days))
    }

    @Test func `the first server creates a key, and the next one finds it, byte for byte`() async throws {
        try await StoreFixture.with { fixture in
            let made = try await fixture.store.rotateSigningKeys(newestSince: .start, now: .start) {
                Self.key("k1")
            }
            let found = try await fixture.store.rotateSigningKeys(newestSince: .start, now: .start) {
                Self.key("k2")
            }

            #expect(made.map(\.id) == ["k1"])
            #expect(found.map(\.id) == ["k1"])
            #expect(found.first?.key == Self.key("k1").key)
            #expect(found.first?.retiresAt == Self.key("k1").retiresAt)
        }
    }

    @Test func `servers that start at the same time agree on one key`() async throws {
        try await StoreFixture.with(connections: 16) { fixture in
            let lists = try await withThrowingTaskGroup(of: [String].self) { group in
                for server in 0..<8 {
                    group.addTask {
                        try await fixture.store.rotateSigningKeys(newestSince: .start, now: .start) {
                            Self.key("k\(server)")
                        }.map(\.id)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(lists.count == 8)
            #expect(
                Set(lists) == [try await fixture.values("select key_id as value from identity.signing_key")])
            #expect(lists[0].count == 1)
        }
    }

    @Test func `an old key gets a successor, which signs from then on`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            _ = try await store.rotateSigningKeys(newestSince: .start, now: .start) { Self.key("old") }
            let later = Instant.start.plus(days: 5)

            let keys = try await store.rotateSigningKeys(newestSince: later, now: later) {
                Self.key("new", at: later)
            }

            #expect(keys.map(\.id) == ["old", "new"])
        }
    }

    @Test func `a key that was created by a clock years ahead is deleted by a correct clock`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let ahead = Instant.start.plus(days: 3650)
            _ = try await store.rotateSigningKeys(newestSince: ahead, now: ahead) {
                Self.key("ahead", at: ahead)
            }

            let keys = try await store.rotateSigningKeys(newestSince: .start, now: .start) {
                Self.key("right")
            }

            #expect(keys.map(\.id) == ["right"])
            #expect(try await fixture.values("select key_id as value from identity.signing_key") == ["right"])
        }
    }

    @Test func `a retired key verifies no token`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            _ = try await store.rotateSigningKeys(newestSince: .start, now: .start) {
                Self.key("old", days: 1)
            }
            let later = Instant.start.plus(days: 2)

            let keys = try await store.rotateSigningKeys(newestSince: .start, now: later) {
                Self.key("new", at: later)
            }

            #expect(keys.map(\.id) == ["new"])
            #expect(try await fixture.values("select key_id as value from identity.signing_key") == ["new"])
        }
    }
}
