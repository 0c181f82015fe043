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

    @Test func `a publication waits for an evaluation that does not see it`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let id = try await fixture.enrol().id
            let published = Instant.start.plus(hours: 1)
            // The evaluation is due when the publication begins, and nothing is decided for a later moment.
            try await fixture.run(
                "update research.enrolment set next_decision_at = $1 where enrolment_id = $2",
                [.instant(published.adding(seconds: -60)), .id(id)])
            let (evaluations, evaluation) = AsyncStream.makeStream(of: Void.self)
            async let decided: EnrolmentID? = {
                defer { evaluation.finish() }
                return try await store.decideRules(now: published.adding(seconds: -1)) { _, _ in
                    evaluation.finish()
                    try await Self.waitForPublication(in: fixture)
                    return nil
                }
            }()
            for await _ in evaluations {}

            _ = try await store.publish(
                EditionDraft(
                    study: "walks", digest: String(repeating: "1", count: 64), files: [:],
                    media: [], items: ["programmes": ["letters"]]),
                now: published)

            let evaluated = try await decided
            #expect(evaluated == id)
            let decidedUntil = try #require(try await Self.decide(store, at: published.adding(seconds: 1)))
            #expect(decidedUntil < published)
        }
    }

    @Test func `a publication locks participants in key order, as batches of records do`() async throws {
        try await StoreFixture.with { fixture in
            var ids: [EnrolmentID] = []
            for _ in 0..<8 { ids.append(try await fixture.enrol().id) }
            let first = try #require(ids.min())

            let edition = try await fixture.whileLocked(
                "select from research.enrolment where enrolment_id = $1 for no key update", [.id(first)]
            ) {
                try await fixture.store.publish(
                    EditionDraft(
                        study: "walks", digest: String(repeating: "1", count: 64), files: [:],
                        media: [], items: ["programmes": ["letters"]]),
                    now: .start
                ).edition
            } meanwhile: { _ in
                let free = try await fixture.run(
                    "select from research.enrolment for no key update skip locked")
                #expect(free.count == 7)
            }

            #expect(edition == 1)
        }
    }

    /// Waits until a publication is stored, or waits for a lock.
    private static func waitForPublication(in fixture: StoreFixture) async throws {
        for _ in 0..<2_000 {
            let isReached: Bool = try await fixture.value(
                """
                select exists (select from research.content_edition) or exists (
                  select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as value
                """)
            if isReached { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("the publication does not begin")
    }
}
