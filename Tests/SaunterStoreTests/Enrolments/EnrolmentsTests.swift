import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct EnrolmentsTests {
    @Test func `an enrolment has an arm, a plan, a membership and an audit entry`()
        async throws
    {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            let account = try await fixture.makeAccount()
            let draft = fixture.draft(account, zone: try zone("Europe/Berlin"))

            let (enrolment, isNew) = try await fixture.store.enrol(draft, now: .start)

            #expect(isNew)
            #expect(enrolment.id == draft.id)
            #expect(enrolment.participantID == draft.participantID)
            #expect(enrolment.state == .active)
            #expect(enrolment.enrolledAt == .start)
            #expect(enrolment.enrolledOn.description == "2026-11-21")
            #expect(enrolment.zone.id == "Europe/Berlin")
            #expect(enrolment.plannedThrough.description == "2026-12-05")
            #expect(enrolment.nextReminderAt == (try at("2026-11-21T18:00:00Z")))
            #expect(try await fixture.store.findEnrolment(draft.id)?.arm == enrolment.arm)
            let memberships = try await fixture.store.listMemberships(account)
            #expect(memberships.map(\.enrolment) == [draft.id])
            #expect(memberships.map(\.study) == ["walks"])
            let lines: [String] = try await fixture.values("select action as value from audit.entry")
            #expect(lines == ["enrolled"])
        }
    }

    @Test func `the occasions of the horizon are planned with it`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol()

            let occasions = try await fixture.occasions(of: enrolment.id)

            let planner = Planner(
                PlanInput(
                    study: fixture.study, enrolmentID: enrolment.id, arm: enrolment.arm, enrolledAt: .start,
                    zones: [ZoneChange(from: .start, zone: .utc)],
                    seed: StoreFixture.secrets.studySeed("walks")))
            #expect(occasions.count == 15)
            #expect(occasions == planner.occasions(horizonFrom: .start))
        }
    }

    @Test func `concurrent requests of one participant get one enrolment`() async throws {
        try await StoreFixture.with(connections: 16) { fixture in
            try await fixture.publish()
            let account = try await fixture.makeAccount()

            let results = try await withThrowingTaskGroup(of: (EnrolmentID, Bool).self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let result = try await fixture.store.enrol(fixture.draft(account), now: .start)
                        return (result.enrolment.id, result.isNew)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(Set(results.map(\.0)).count == 1)
            #expect(results.filter(\.1).count == 1)
            #expect(try await fixture.count("research.enrolment") == 1)
            #expect(
                try await fixture.value("select next_position as value from research.allocation_counter") == 1
            )
        }
    }

    @Test func `40 concurrent enrolments are allocated exactly by the list, each position once`()
        async throws
    {
        try await StoreFixture.with(connections: 16) { fixture in
            try await fixture.publish()
            var accounts: [AccountID] = []
            for _ in 0..<40 { accounts.append(try await fixture.makeAccount()) }

            try await withThrowingTaskGroup(of: Void.self) { group in
                for account in accounts {
                    group.addTask { _ = try await fixture.store.enrol(fixture.draft(account), now: .start) }
                }
                try await group.waitForAll()
            }

            let rows = try await fixture.run(
                "select allocation_position, arm from research.enrolment order by allocation_position")
            let allocator = try #require(
                fixture.study.allocator(seed: StoreFixture.secrets.studySeed("walks")))
            #expect(try rows.map { try $0.get("allocation_position", as: Int.self) } == Array(0..<40))
            #expect(try rows.map { try $0.get("arm", as: String.self) } == allocator.slots(0..<40).map(\.arm))
        }
    }

    @Test func `an enrolment that fails in the middle uses no position and stores nothing`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            let account = try await fixture.makeAccount()
            try await fixture.run("alter table audit.entry add constraint refused check (false) not valid")

            await #expect(throws: DatabaseError.self) {
                try await fixture.store.enrol(fixture.draft(account), now: .start)
            }

            for table in [
                "research.allocation_counter", "research.enrolment", "identity.membership", "audit.entry",
            ] {
                #expect(try await fixture.count(table) == 0, "\(table)")
            }
            try await fixture.run("alter table audit.entry drop constraint refused")
            _ = try await fixture.store.enrol(fixture.draft(account), now: .start)
            #expect(
                try await fixture.value("select allocation_position as value from research.enrolment") == 0)
        }
    }

    @Test func `an allocation without arms enrols no participant`() async throws {
        try await StoreFixture.with { fixture in
            var study = StudyFixture.study
            study.arms = []
            try await fixture.publish(study)
            let draft = fixture.draft(try await fixture.makeAccount(), study: study)

            await #expect(throws: AllocationExhausted.self) {
                try await fixture.store.enrol(draft, now: .start)
            }

            #expect(try await fixture.count("research.allocation_counter") == 0)
        }
    }

    @Test func `a call for an erased participant throws ConcurrentErasure`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            await #expect(throws: ConcurrentErasure.self) {
                try await fixture.store.enrol(fixture.draft(AccountID(UUID())), now: .start)
            }
            let unknown = EnrolmentID(UUID())
            await #expect(throws: ConcurrentErasure.self) {
                try await fixture.store.updateEnrolment(unknown, study: fixture.study, now: .start) { _ in }
            }
            await #expect(throws: ConcurrentErasure.self) {
                try await fixture.store.extendHorizon(unknown, study: fixture.study, now: .start)
            }
            await #expect(throws: ConcurrentErasure.self) {
                try await fixture.store.withdraw(
                    unknown, to: .stopped, study: fixture.study, audit: StoreFixture.entry(), now: .start)
            }
            #expect(try await fixture.store.findEnrolment(unknown) == nil)
            #expect(try await fixture.store.findParticipantState(unknown, now: .start) == nil)
        }
    }

    @Test func `a server that loses its connections during an enrolment completes it`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            let account = try await fixture.makeAccount()

            let result = try await fixture.whileLocked("select from research.study for update") {
                try await fixture.store.enrol(fixture.draft(account), now: .start).isNew
            } meanwhile: { transaction in
                try await transaction.run(
                    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'saunter-clerk'"
                )
            }

            #expect(result)
            #expect(try await fixture.count("research.enrolment") == 1)
            #expect(try await fixture.count("audit.entry") == 1)
        }
    }
}
