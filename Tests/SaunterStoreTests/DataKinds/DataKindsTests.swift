import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct DataKindsTests {
    private static func permit(
        _ kinds: [String: Bool], _ fixture: StoreFixture, _ id: EnrolmentID, hours: Int
    ) async throws {
        _ = try await fixture.store.updateEnrolment(
            id, study: fixture.study,
            dataKinds: DataKindChanges(permissions: kinds, study: "walks", requestID: nil),
            now: Instant.start.plus(hours: hours)
        ) { _ in }
    }

    private static func with(_ body: (StoreFixture, EnrolmentID) async throws -> Void) async throws {
        try await StoreFixture.with { fixture in try await body(fixture, try await fixture.enrol().id) }
    }

    private static func actions(_ fixture: StoreFixture) async throws -> [String] {
        try await fixture.values(
            "select action as value from audit.entry where action like 'data_kind%' order by entry_id")
    }

    /// The kinds of the changes that wait for a number, after all earlier ones have got one.
    private static func changes(
        _ fixture: StoreFixture, after action: () async throws -> Void
    ) async throws -> [String] {
        _ = try await fixture.store.numberChanges(of: "walks")
        try await action()
        return try await fixture.values(
            "select kind as value from research.change where change_seq is null order by 1")
    }

    @Test func `a permission has a beginning and an end, and a repeated one changes nothing`() async throws {
        try await Self.with { fixture, id in
            try await Self.permit(["location": true], fixture, id, hours: 1)
            try await Self.permit(["location": true], fixture, id, hours: 2)
            try await Self.permit(["location": false], fixture, id, hours: 3)
            try await Self.permit(["location": false], fixture, id, hours: 4)
            try await Self.permit(["location": true, "heart_rate": false], fixture, id, hours: 5)

            let grants = try await fixture.store.listDataKindGrants(of: id)

            #expect(
                grants == [
                    DataKindGrant(
                        kind: "location", grantedAt: Instant.start.plus(hours: 1),
                        revokedAt: Instant.start.plus(hours: 3)),
                    DataKindGrant(kind: "location", grantedAt: Instant.start.plus(hours: 5)),
                ])
            #expect(
                try await Self.actions(fixture)
                    == ["data_kind_granted", "data_kind_revoked", "data_kind_granted"])
        }
    }

    @Test func `a change of a permission is a change of the enrolment for the feed`() async throws {
        try await Self.with { fixture, id in
            let granted = try await Self.changes(fixture) {
                try await Self.permit(["location": true], fixture, id, hours: 1)
            }
            let repeated = try await Self.changes(fixture) {
                try await Self.permit(["location": true], fixture, id, hours: 2)
            }
            _ = try await fixture.store.numberChanges(of: "walks")
            let feed = try await fixture.store.listChanges(of: "walks", after: 0, limit: 100)

            #expect(granted == ["enrolment"] && repeated == [])
            let enrolment = try #require(feed.first { $0.kind == .enrolment })
            #expect(enrolment.body?["data_kinds"] == ["location": "2026-11-21T09:00:00.000Z"])
        }
    }

    @Test func `permissions can be given at enrolment`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            var draft = fixture.draft(try await fixture.makeAccount())
            draft.dataKinds = ["location", "heart_rate"]
            let id = try await fixture.store.enrol(draft, now: .start).enrolment.id

            let grants = try await fixture.store.listDataKindGrants(of: id)

            #expect(grants.map(\.kind) == ["heart_rate", "location"])
            #expect(grants.allSatisfy { $0.grantedAt == .start && $0.revokedAt == nil })
        }
    }

    private static var heartRate: DataKindPurge {
        get throws {
            var study = StudyFixture.study
            study.dataKinds = [
                DataKind(
                    code: "heart_rate", walkSeries: [.heartRate],
                    observations: [DataKind.Code(system: ObservationCode.loinc, code: "8480-6")])
            ]
            return try #require(DataKindPurge("heart_rate", in: [PublishedStudy(study: study, digest: "d1")]))
        }
    }

    @Test func `a purge removes series, totals and observations, and ends the permission`() async throws {
        try await Self.with { fixture, id in
            let (walk, observation) = (WalkID(UUID()), ObservationID(UUID()))
            try await Self.permit(["heart_rate": true], fixture, id, hours: 0)
            try await fixture.submitWalk(id, as: walk)
            try await fixture.submitObservation(id, as: observation)
            let before = try #require(try await fixture.store.findWalk(id, walk))

            let changes = try await Self.changes(fixture) {
                try await fixture.store.purge(
                    try Self.heartRate, of: id, now: Instant.start.plus(hours: 5),
                    audit: StoreFixture.entry("data_kind_purged", id))
            }

            #expect(changes == ["enrolment", "observation", "walk"])
            let after = try #require(try await fixture.store.findWalk(id, walk))
            #expect(after.detail?.series?.heartRateBpm == nil)
            #expect(after.summary["mean_heart_rate_bpm"]?.isNull == true)
            #expect(after.summary["distance_m"] == before.summary["distance_m"])
            #expect(after.detail?.series?.speedKmh == [4, 4.5, 5])
            #expect(after.flags == before.flags + ["no_consent_heart_rate_bpm"])
            // The component belongs to the kind, so the observation is deleted.
            let stored = try await fixture.store.findObservation(id, observation, includingDeleted: true)
            #expect(try await fixture.store.findObservation(id, observation) == nil)
            #expect(stored?.sampleCount == 0)
            let grants = try await fixture.store.listDataKindGrants(of: id)
            #expect(!grants.permit("heart_rate", at: Instant.start.plus(hours: 1)))
            #expect(try await Self.actions(fixture) == ["data_kind_granted", "data_kind_purged"])
        }
    }

    @Test func `a purge can be repeated, and a new permission begins afterwards`() async throws {
        try await Self.with { fixture, id in
            try await Self.permit(["heart_rate": true], fixture, id, hours: 0)
            try await fixture.submitWalk(id)
            for hours in [5, 6] {
                try await fixture.store.purge(
                    try Self.heartRate, of: id, now: Instant.start.plus(hours: hours),
                    audit: StoreFixture.entry("data_kind_purged", id))
            }
            try await Self.permit(["heart_rate": true], fixture, id, hours: 7)

            let grants = try await fixture.store.listDataKindGrants(of: id)

            #expect(grants.map(\.purgedAt) == [Instant.start.plus(hours: 5), nil])
            #expect(!grants.permit("heart_rate", at: Instant.start.plus(hours: 4)))
            #expect(grants.permit("heart_rate", at: Instant.start.plus(hours: 8)))
        }
    }

    @Test func `a purge concerns one participant only`() async throws {
        try await Self.with { fixture, id in
            let other = try await fixture.enrol().id
            let walk = WalkID(UUID())
            try await fixture.submitWalk(other, as: walk)

            try await fixture.store.purge(
                try Self.heartRate, of: id, now: .start, audit: StoreFixture.entry())

            #expect(try await fixture.store.findWalk(other, walk)?.detail?.series?.heartRateBpm != nil)
        }
    }

    @Test func `a kind that no version of the study has cannot be purged`() {
        #expect(
            DataKindPurge("location", in: [PublishedStudy(study: StudyFixture.study, digest: "d1")]) == nil)
    }
}
