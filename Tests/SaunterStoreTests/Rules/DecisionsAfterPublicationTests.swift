import Postgres
import SaunterCore
import Synchronization
import Testing

@testable import SaunterStore

@Suite struct DecisionsAfterPublicationTests {
    /// Evaluates the rules, and returns until when they were decided before; nil if no evaluation is due.
    private static func decide(_ store: Store, at moment: Instant) async throws -> Instant? {
        let found = Mutex<Instant?>(nil)
        _ = try await store.decideRules(now: moment) { state, _ in
            found.withLock { $0 = state.decidedUntil }
            return nil
        }
        return found.withLock { $0 }
    }

    @Test func `a publication is decided even if a later moment was decided while it was made`() async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let id = try await fixture.enrol().id
            let published = Instant.start.plus(hours: 1)
            try await fixture.run(
                "update research.enrolment set next_decision_at = $1 where enrolment_id = $2",
                [.instant(published), .id(id)])
            #expect(try await Self.decide(store, at: published.adding(seconds: 2)) != nil)

            _ = try await store.publish(
                EditionDraft(
                    study: "walks", digest: String(repeating: "1", count: 64), files: [:],
                    media: [], items: ["programmes": ["letters"]]),
                now: published)

            let decidedUntil = try #require(try await Self.decide(store, at: published.adding(seconds: 3)))
            #expect(decidedUntil < published)
            #expect(try await Self.decide(store, at: published.adding(seconds: 4)) == nil)
        }
    }
}
