import Foundation
import Logging
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct ParticipationsTests {
    @Test func `people who are looked up together are each what they are alone, and nobody else's`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let full = try await fixture.makeFullParticipant(participant: "ada").enrolment.id
            let other = try await fixture.makeFullParticipant(participant: "berta").enrolment.id
            let fresh = try await fixture.enrol().id
            let now = Instant.start.plus(days: 3)

            let found = try await fixture.store.findParticipations(
                [fresh, full, other, EnrolmentID(UUID())], now: now)

            #expect(Set(found.keys) == [full, other, fresh])
            for id in [full, other, fresh] {
                let together = try #require(found[id])
                let alone = try #require(try await fixture.store.findParticipation(id, now: now))
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

    @Test func `look-ups at the same time are answered each with its own`() async throws {
        try await StoreFixture.with { fixture in
            var ids: [EnrolmentID] = []
            for _ in 0..<6 { ids.append(try await fixture.enrol().id) }
            let participations = Participations(store: fixture.store, logger: Logger(label: "test"))

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
}
