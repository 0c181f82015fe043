import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct MonitoringTests {
    private static func list(
        _ fixture: StoreFixture, of study: String = "walks", after position: ParticipantOrder.Position? = nil,
        limit: Int = 9
    ) async throws -> [(row: ParticipantRow, position: ParticipantOrder.Position)] {
        try await fixture.store.listParticipants(
            study, ParticipantFilter(), by: try #require(ParticipantOrder("participant_id")),
            after: position, limit: limit, at: .start)
    }

    @Test func `participants are listed in pages, by pseudonym, with their progress`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            var ids: [EnrolmentID] = []
            for number in 0..<5 {
                let draft = fixture.draft(try await fixture.makeAccount(), participant: "P-\(number)")
                ids.append(try await fixture.store.enrol(draft, now: .start).enrolment.id)
            }
            _ = try await fixture.store.submit([
                .make(ids[1], receivedAt: Instant.start.plus(hours: 1)), .make(ids[1]), .make(ids[2]),
            ])

            let first = try await Self.list(fixture, limit: 2)
            let second = try await Self.list(fixture, after: first.last?.position)

            #expect(first.map(\.row.participantID) == ["P-0", "P-1"])
            #expect(second.map(\.row.participantID) == ["P-2", "P-3", "P-4"])
            #expect((first + second).map(\.row.sheets) == [0, 2, 1, 0, 0])
            #expect(first.map(\.row.lastSheetAt) == [nil, Instant.start.plus(hours: 1)])
            #expect(try await Self.list(fixture, of: "other").isEmpty)
        }
    }

    @Test func `a participant who left is listed, an excluded one is not`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            for (participant, state) in [
                ("P-1", EnrolmentState.stopped), ("P-2", .excluded), ("P-3", .active),
            ] {
                let draft = fixture.draft(try await fixture.makeAccount(), participant: participant)
                let id = try await fixture.store.enrol(draft, now: .start).enrolment.id
                if state != .active { _ = try await fixture.withdraw(id, state, now: .start) }
            }

            let listed = try await Self.list(fixture)

            #expect(listed.map(\.row.participantID) == ["P-1", "P-3"])
            #expect(listed.map(\.row.state) == [.stopped, .active])
        }
    }

    @Test func `zones of many participants are listed in the order of their start`() async throws {
        try await StoreFixture.with { fixture in
            let traveller = try await fixture.enrol().id
            let settled = try await fixture.enrol(zone: try zone("Asia/Tokyo")).id
            _ = try await fixture.store.updateEnrolment(
                traveller, study: fixture.study, now: Instant.start.plus(hours: 2)
            ) {
                $0.zone = Zone("Europe/Berlin") ?? .utc
            }

            let zones = try await fixture.store.listZones(of: [traveller, settled])

            #expect(zones[traveller]?.map(\.zone.id) == ["UTC", "Europe/Berlin"])
            #expect(zones[traveller]?.last?.from == Instant.start.plus(hours: 2))
            #expect(zones[settled]?.map(\.zone.id) == ["Asia/Tokyo"])
        }
    }
}
