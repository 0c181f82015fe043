import Foundation
import Logging
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct ParticipantStateLoaderTests {
    @Test func `states loaded together equal those loaded alone`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let full = try await fixture.makeFullParticipant(participant: "ada").enrolment.id
            let other = try await fixture.makeFullParticipant(participant: "berta").enrolment.id
            let fresh = try await fixture.enrol().id
            let now = Instant.start.plus(days: 3)

            let found = try await fixture.store.findParticipantStates(
                ParticipantStateQuery(ids: [fresh, full, other, EnrolmentID(UUID())], now: now))

            #expect(Set(found.keys) == [full, other, fresh])
            for id in [full, other, fresh] {
                var together = try #require(found[id])
                var alone = try #require(try await fixture.store.findParticipantState(id, now: now))
                #expect(together.plannedAt == alone.plannedAt && !alone.plannedAt.isEmpty)
                // The order of a dictionary's description is undefined.
                (together.plannedAt, alone.plannedAt) = ([:], [:])
                #expect(String(describing: together) == String(describing: alone))
                #expect(together.enrolment.id == id)
                #expect(together.occasions == (try await fixture.occasions(of: id)))
            }
            #expect(found[full]?.walks.isEmpty == false && found[full]?.calibration != nil)
            let walks = [full, other].map { Set(found[$0]?.walks.map(\.id) ?? []) }
            #expect(walks[0].isDisjoint(with: walks[1]))
            #expect(found[fresh]?.walks.isEmpty == true && found[fresh]?.calibration == nil)
        }
    }

    @Test func `concurrent look-ups each get their own state`() async throws {
        try await StoreFixture.with { fixture in
            var ids: [EnrolmentID] = []
            for _ in 0..<6 { ids.append(try await fixture.enrol().id) }
            let participations = ParticipantStateLoader(store: fixture.store, logger: Logger(label: "test"))

            let answers = try await withThrowingTaskGroup(of: (EnrolmentID, EnrolmentID?).self) { group in
                for id in ids + ids {
                    group.addTask { (id, try await participations.find(id, now: .start)?.enrolment.id) }
                }
                group.addTask {
                    let unknown = EnrolmentID(UUID())
                    return (
                        unknown, try await participations.find(unknown, now: .start) == nil ? unknown : nil
                    )
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(answers.count == 13)
            #expect(answers.allSatisfy { $0.0 == $0.1 })
        }
    }

    @Test func `the state of today gives the same overview as the complete state, and reads no older sheets`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let full = try await fixture.makeFullParticipant(participant: "ada").enrolment.id
            let other = try await fixture.makeFullParticipant(participant: "berta").enrolment.id
            let participations = ParticipantStateLoader(store: fixture.store, logger: Logger(label: "test"))
            let done = try #require(
                try await fixture.store.findParticipantState(full, now: .start)?.completions.last?.completedAt
            )

            for now in [done.plus(hours: 1), done.plus(days: 3)] {
                async let first = participations.findToday(full, now: now)
                async let second = participations.find(other, now: now)
                async let third = participations.find(full, now: now)
                let found = try await (first, second, third)
                let (today, neighbour, all) = try (
                    #require(found.0), #require(found.1), #require(found.2)
                )
                #expect(today.occasions == all.occasions && today.status == all.status)
                // The completions that schedules follow are read by `listCompletions`, see below.
                var (facts, complete) = (today.facts(at: now), all.facts(at: now))
                facts.happened.remove(.completion(questionnaire: "daily_evening"))
                complete.happened.remove(.completion(questionnaire: "daily_evening"))
                #expect(facts == complete)
                #expect(all.completions.count == 1 && !all.snoozes.isEmpty)
                #expect(today.completions.count == (now == done.plus(days: 3) ? 0 : 1))
                #expect(today.snoozes.isEmpty && today.reminders.isEmpty)
                #expect(neighbour.enrolment.id == other && !neighbour.snoozes.isEmpty)
            }
            let read = try await fixture.store.listCompletions(
                of: full, questionnaires: ["daily_evening", "after_walk"])
            let none = try await fixture.store.listCompletions(of: full, questionnaires: ["other"])
            #expect(read.count == 1 && none.isEmpty)
        }
    }

    @Test func `the completions of two plans are read once`() {
        typealias Completions = ParticipantStateQuery.Completions
        #expect(Completions.of(["a"]).union(.of(["b", "a"])) == .of(["a", "b"]))
        #expect(Completions.of([]).union(.of([])) == .of([]))
        #expect(Completions.all.union(.of(["a"])) == .all)
        #expect(Completions.of(["a"]).union(.all) == .all)
    }
}
