import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

/// An enrolment, a consent or a change of an enrolment that meets a publication.
@Suite struct EnrolmentDuringPublicationTests {
    /// The evening occasion one hour later.
    private static let next = version("2.0.0")

    private static func version(_ version: String, consent: String = "1") -> Study {
        var study = StudyFixture.make(version: version)
        study.consentVersion = consent
        study.schedules[0].slots[0].opening = .fixed(StudyFixture.hour(19))
        return study
    }

    private static func publish(_ study: Study = next, on fixture: StoreFixture) async throws {
        _ = try await fixture.store.publish(
            StudyFixture.publication(of: study, digest: "d-\(study.version)"), now: .start)
    }

    /// Enrols a participant in version 1.0.0. In the middle of this transaction, `publication` begins.
    private static func enrol<Value: Sendable>(
        in fixture: StoreFixture, meeting publication: @escaping @Sendable () async throws -> Value
    ) async throws -> (enrolment: Enrolment, published: Value) {
        try await fixture.publish()
        let account = try await fixture.makeAccount()
        let (enrolling, publishing) = try await fixture.owner.write { transaction in
            try await transaction.run("lock table research.allocation_counter in exclusive mode")
            let enrolling = Task {
                try await fixture.store.enrol(fixture.draft(account), now: .start).enrolment
            }
            try await fixture.waitUntilBlocked(1)
            let publishing = Task { try await publication() }
            try await fixture.waitUntilBlocked(2)
            return (enrolling, publishing)
        }
        return (try await enrolling.value, try await publishing.value)
    }

    private static func opensAtNineteen(_ id: EnrolmentID, _ fixture: StoreFixture) async throws -> Bool {
        let evenings = try await fixture.evenings(of: id)
        return !evenings.isEmpty
            && evenings.allSatisfy { $0.zone.local(of: $0.window.openAt).time == StudyFixture.hour(19) }
    }

    @Test func `a publication waits for an enrolment that has begun, and moves it`() async throws {
        try await StoreFixture.with { fixture in
            let (enrolment, moved) = try await Self.enrol(in: fixture) {
                try await Self.publish(on: fixture)
                return try await fixture.store.moveEnrolments(to: Self.next, now: .start)
            }

            #expect(enrolment.studyVersion == "1.0.0")
            #expect(moved == 1)
            #expect(try await fixture.store.countEnrolmentsBehind(Self.next) == 0)
            #expect(
                try await fixture.store.listVersions(of: enrolment.id).map(\.version) == ["1.0.0", "2.0.0"])
            #expect(try await Self.opensAtNineteen(enrolment.id, fixture))
        }
    }

    @Test func `an enrolment waits for a publication that has begun, and follows its version`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            let account = try await fixture.makeAccount()

            let (publishing, enrolling) = try await fixture.owner.write { transaction in
                // The publication waits before it makes its version live.
                try await transaction.run("select from research.study for no key update")
                let publishing = Task { try await Self.publish(on: fixture) }
                try await fixture.waitUntilBlocked(1)
                let enrolling = Task {
                    _ = try await fixture.store.enrol(fixture.draft(account), now: .start)
                }
                try await fixture.waitUntilBlocked(2)
                return (publishing, enrolling)
            }
            try await publishing.value
            await #expect(throws: StudyVersionMismatch.self) { try await enrolling.value }

            for table in ["research.enrolment", "identity.membership", "research.allocation_counter"] {
                #expect(try await fixture.count(table) == 0, "\(table)")
            }
            let repeated = try await fixture.store.enrol(
                fixture.draft(account, study: Self.next), now: .start)
            #expect(repeated.isNew && repeated.enrolment.studyVersion == "2.0.0")
            // A repeated request gets the enrolment, although its version is out of date.
            let again = try await fixture.store.enrol(fixture.draft(account), now: .start)
            #expect(!again.isNew && again.enrolment.id == repeated.enrolment.id)
        }
    }

    @Test func `an edition waits for an enrolment that has begun, and its rules are decided again`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let published = Instant.start.plus(hours: 1)

            let (enrolment, edition) = try await Self.enrol(in: fixture) {
                try await fixture.store.publish(
                    EditionDraft(
                        study: "walks", digest: String(repeating: "1", count: 64), files: [:], media: [],
                        items: ["programmes": ["letters"]]), now: published
                ).edition
            }

            #expect(edition == 1)
            let row = try await fixture.run(
                "select next_decision_at from research.enrolment where enrolment_id = $1",
                [.id(enrolment.id)])
            #expect(try row.one().instantOptional("next_decision_at") == published)
        }
    }

    @Test func `enrolments of one study do not wait for each other`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            let account = try await fixture.makeAccount()

            let isNew = try await fixture.owner.write { transaction in
                _ = try await transaction.query(
                    Statements.studies["keep_live_version"], ["study": .text("walks")])
                return try await fixture.store.enrol(fixture.draft(account), now: .start).isNew
            }

            #expect(isNew)
        }
    }

    @Test func `a consent to a version that is no longer live stores nothing`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let (second, third) = (Self.version("2.0.0", consent: "2"), Self.version("3.0.0", consent: "2"))
            try await Self.publish(second, on: fixture)
            try await Self.publish(third, on: fixture)
            #expect(try await fixture.store.moveEnrolments(to: third, now: .start) == 0)
            func consent(to study: Study) async throws -> Enrolment {
                try await fixture.store.consent(
                    id, to: study, language: "en", audit: StoreFixture.entry("consented", id), now: .start
                ).enrolment
            }

            await #expect(throws: StudyVersionMismatch.self) { _ = try await consent(to: second) }

            #expect(try await fixture.store.findEnrolment(id)?.consentVersion == "1")
            #expect(try await fixture.store.listVersions(of: id).map(\.version) == ["1.0.0"])
            #expect(try await consent(to: third).studyVersion == "3.0.0")
        }
    }

    @Test func `a request that has read the earlier version does not plan by it after a move`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            try await Self.publish(on: fixture)
            #expect(try await fixture.store.moveEnrolments(to: Self.next, now: .start) == 1)

            try await fixture.store.extendHorizon(id, study: fixture.study, now: .start)
            await #expect(throws: StudyVersionMismatch.self) {
                _ = try await fixture.store.updateEnrolment(id, study: fixture.study, now: .start) {
                    $0.language = "de"
                }
            }
            await #expect(throws: StudyVersionMismatch.self) { _ = try await fixture.withdraw(id, .stopped) }

            #expect(try await Self.opensAtNineteen(id, fixture))
            let stored = try #require(try await fixture.store.findEnrolment(id))
            #expect(stored.language == "en" && stored.state == .active)
        }
    }
}
