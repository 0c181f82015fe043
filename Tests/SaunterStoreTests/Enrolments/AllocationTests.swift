import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct AllocationTests {
    private static let factors = [
        Allocation.Factor(code: "sex", levels: ["female", "male"], weight: 2),
        Allocation.Factor(code: "place", levels: ["north", "south", "sea"]),
    ]

    private static func study(_ method: Allocation.Method) -> Study {
        var study = StudyFixture.make()
        study.allocation = Allocation(
            method: method, blockSizes: [2, 4], isConcealed: true, factors: factors, probability: 0.8)
        return study
    }

    private static func levels(_ number: Int) -> FactorLevels {
        FactorLevels([
            .init(factor: "sex", level: factors[0].levels[number % 2]),
            .init(factor: "place", level: factors[1].levels[number % 3]),
        ])
    }

    private struct StoredAllocation: Hashable {
        var position: Int
        var stratum: String
        var arm: String
        var basis: String
        var levels: FactorLevels
    }

    /// The stored allocations in the order of their positions.
    private func allocations(_ fixture: StoreFixture) async throws -> [StoredAllocation] {
        try await fixture.run(
            """
            select allocation_position as position, allocation_stratum as stratum, arm, allocation_basis::text as basis,
              allocation_factors->>'sex' as sex, allocation_factors->>'place' as place
            from research.enrolment order by allocation_position
            """
        ).map { row in
            StoredAllocation(
                position: try row.get("position"), stratum: try row.get("stratum"), arm: try row.get("arm"),
                basis: try row.get("basis"),
                levels: FactorLevels([
                    .init(factor: "sex", level: try row.get("sex")),
                    .init(factor: "place", level: try row.get("place")),
                ]))
        }
    }

    /// Enrols participants concurrently, half of them by another store on the same database.
    /// - Parameter afterEach: called after every tenth.
    private func enrol(
        _ count: Int, in study: Study, _ fixture: StoreFixture,
        afterTen: @Sendable () async throws -> Void = {}
    ) async throws {
        let other = Store(
            fixture.url, secrets: StoreFixture.secrets, connections: 32, logger: StoreFixture.logger)
        var drafts: [EnrolmentDraft] = []
        for number in 0..<count {
            drafts.append(
                fixture.draft(try await fixture.makeAccount(), study: study, levels: Self.levels(number)))
        }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, draft) in drafts.enumerated() {
                    let store = number % 2 == 0 ? fixture.store : other
                    group.addTask { try await Self.enrolWithRetries(draft, store) }
                }
                var done = 0
                for try await _ in group {
                    done += 1
                    if done % 10 == 0 { try await afterTen() }
                }
            }
        } catch {
            await other.close()
            throw error
        }
        await other.close()
    }

    /// Retries like a device whose request was interrupted.
    private static func enrolWithRetries(_ draft: EnrolmentDraft, _ store: Store) async throws {
        for _ in 0..<50 {
            do {
                _ = try await store.enrol(draft, now: .start)
                return
            } catch is DatabaseError {
                continue
            }
        }
        _ = try await store.enrol(draft, now: .start)
    }

    /// Whether the arms equal those of the rule, one participant after the other.
    private func expectReplay(_ allocations: [StoredAllocation], of study: Study) throws {
        var tally = AllocationTally()
        for allocation in allocations {
            let expected = try #require(
                study.assignArm(
                    allocation.levels, position: allocation.position, tally: tally,
                    seed: StoreFixture.secrets.studySeed(study.code)))
            #expect(allocation.arm == expected.arm)
            // The database orders names differently.
            let basis = try JSONReader.read(allocation.basis)
            #expect(basis["preferred"] == expected.basis["preferred"])
            for arm in study.arms {
                #expect(basis["imbalances"]?[arm.code] == expected.basis["imbalances"]?[arm.code])
            }
            tally.add(allocation.levels, to: allocation.arm)
        }
    }

    @Test func `64 concurrent enrolments by two stores are minimised one after the other`()
        async throws
    {
        try await StoreFixture.with(connections: 32) { fixture in
            let study = Self.study(.minimisation)
            try await fixture.publish(study)

            try await enrol(64, in: study, fixture)

            let allocations = try await allocations(fixture)
            #expect(allocations.map(\.position) == Array(0..<64))
            try expectReplay(allocations, of: study)
        }
    }

    @Test func `each stratum has its own list without gaps, in any order of enrolment`() async throws {
        try await StoreFixture.with(connections: 32) { fixture in
            let study = Self.study(.stratifiedBlocks)
            try await fixture.publish(study)

            try await enrol(64, in: study, fixture)

            let strata = Dictionary(grouping: try await allocations(fixture), by: \.stratum)
            #expect(strata.count == 6)
            for (stratum, allocations) in strata {
                let allocator = try #require(
                    study.allocator(seed: StoreFixture.secrets.studySeed(study.code), stratum: stratum))
                #expect(allocations.map(\.position) == Array(0..<allocations.count))
                #expect(allocations.map(\.arm) == allocator.slots(0..<allocations.count).map(\.arm))
            }
        }
    }

    @Test func `if connections are cut, no position is used twice and none is omitted`() async throws {
        try await StoreFixture.with(connections: 32) { fixture in
            let study = Self.study(.minimisation)
            try await fixture.publish(study)

            try await enrol(64, in: study, fixture) {
                // The running connections of both stores.
                try await fixture.run(
                    """
                    select pg_terminate_backend(pid) from pg_stat_activity
                    where datname = current_database() and application_name = 'saunter-clerk'
                    """)
            }

            let allocations = try await allocations(fixture)
            #expect(allocations.map(\.position) == Array(0..<64))
            try expectReplay(allocations, of: study)
            #expect(try await fixture.count("identity.membership") == 64)
        }
    }

    @Test func `method, seed fingerprint and levels are stored with the enrolment`() async throws {
        try await StoreFixture.with { fixture in
            let study = Self.study(.stratifiedBlocks)
            try await fixture.publish(study)
            let account = try await fixture.makeAccount()

            _ = try await fixture.store.enrol(
                fixture.draft(account, study: study, levels: Self.levels(0)), now: .start)

            let row = try await fixture.run(
                "select allocation_method, allocation_stratum, allocation_seed from research.enrolment"
            ).one()
            #expect(try row.get("allocation_method", as: String.self) == "stratified_blocks")
            #expect(try row.get("allocation_stratum", as: String.self) == "sex=female|place=north")
            let mark = Study.seedFingerprint(of: StoreFixture.secrets.studySeed(study.code))
            #expect(try row.get("allocation_seed", as: String.self) == mark)
        }
    }

    @Test func `the balance counts the participants of each arm`() async throws {
        try await StoreFixture.with { fixture in
            let study = Self.study(.minimisation)
            try await fixture.publish(study)
            for number in 0..<12 {
                let account = try await fixture.makeAccount()
                _ = try await fixture.store.enrol(
                    fixture.draft(account, study: study, levels: Self.levels(number)), now: .start)
            }

            let balance = AllocationBalance(study, try await fixture.store.countAllocations("walks"))

            #expect(balance.all.total == 12)
            #expect(balance.levels.map { $0.row.total } == [6, 6, 4, 4, 4])
            let arms: [String] = try await fixture.values("select arm as value from research.enrolment")
            #expect(balance.all.counts == balance.arms.map { arm in arms.filter { $0 == arm }.count })
        }
    }

    @Test
    func `minimisation counts all participants of an arm, however they were assigned, but no erased ones`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let blocks = Self.study(.stratifiedBlocks)
            try await fixture.publish(blocks)
            func enrol(in study: Study) async throws -> Enrolment {
                let account = try await fixture.makeAccount()
                return try await fixture.store.enrol(
                    fixture.draft(account, study: study, levels: Self.levels(0)), now: .start
                ).enrolment
            }
            var earlier: [Enrolment] = []
            for _ in 0..<6 { earlier.append(try await enrol(in: blocks)) }
            let experimental = earlier.filter { $0.arm == "experimental" }
            for participant in earlier where participant.arm == "control" {
                try await fixture.store.erase(participant, audit: StoreFixture.entry("erased"), now: .start)
            }
            // A participant who only withdraws is still counted.
            let withdrawn = try #require(experimental.first)
            _ = try await fixture.withdraw(withdrawn.id, .stopped)
            var study = Self.study(.minimisation)
            study.version = "1.1.0"
            study.allocation.probability = 1
            try await fixture.publish(study)

            // The same twice, because the first is erased before the second enrols.
            for _ in 0..<2 {
                let next = try await enrol(in: study)

                let basis: String = try await fixture.value(
                    "select allocation_basis::text as value from research.enrolment where enrolment_id = $1",
                    [.id(next.id)])
                let imbalances = try JSONReader.read(basis)["imbalances"]
                #expect(imbalances?["experimental"] == JSON.int(3 * (experimental.count + 1)))
                #expect(imbalances?["control"] == JSON.int(3 * (experimental.count - 1)))
                #expect(next.arm == "control")
                let balance = AllocationBalance(
                    study, try await fixture.store.countAllocations(study.code))
                #expect(balance.all.counts == [experimental.count, 1])
                try await fixture.store.erase(next, audit: StoreFixture.entry("erased"), now: .start)
            }
        }
    }

    @Test func `a changed arm is recorded, counted and planned, and the allocation list continues`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let study = Self.study(.minimisation)
            try await fixture.publish(study)
            let account = try await fixture.makeAccount()
            let first = try await fixture.store.enrol(
                fixture.draft(account, study: study, levels: Self.levels(0)), now: .start
            ).enrolment
            let other = try #require(study.arms.map(\.code).first { $0 != first.arm })
            func change(to arm: String, hours: Int) async throws -> String {
                try await fixture.store.changeArm(
                    of: first.id, to: arm, because: "because", by: account, study: study, requestID: "r",
                    now: Instant.start.plus(hours: hours)
                ).arm
            }

            #expect(try await change(to: other, hours: 1) == other)
            #expect(try await change(to: other, hours: 2) == other)

            let changes = try await fixture.store.listArmChanges(of: first.id)
            #expect(
                changes == [
                    ArmChange(
                        ordinal: 1, from: first.arm, to: other, reason: "because", by: account,
                        at: Instant.start.plus(hours: 1))
                ])
            #expect(try await fixture.store.findEnrolment(first.id)?.arm == other)
            #expect(
                try await fixture.value(
                    "select count(*) as value from audit.entry where action = 'arm_changed'", as: Int.self)
                    == 1)
            let balance = AllocationBalance(
                study, try await fixture.store.countAllocations(study.code),
                moves: try await fixture.store.countArmMoves(study.code))
            #expect(balance.all.counts == balance.arms.map { $0 == other ? 1 : 0 })
            #expect(balance.moves == [.init(from: first.arm, to: other, participants: 1)])

            // The next participant has the next position. The first counts in the new arm, so the former arm is
            // preferred.
            let next = try await fixture.store.enrol(
                fixture.draft(try await fixture.makeAccount(), study: study, levels: Self.levels(0)),
                now: .start)
            #expect(next.isNew)
            let allocations = try await allocations(fixture)
            #expect(allocations.map(\.position) == [0, 1])
            let basis = try JSONReader.read(allocations[1].basis)
            #expect(basis["preferred"] == [.string(first.arm)])

            #expect(try await change(to: first.arm, hours: 3) == first.arm)
            #expect(try await fixture.store.countArmMoves(study.code) == [])
            #expect(try await fixture.store.listArmChanges(of: first.id).map(\.ordinal) == [1, 2])
        }
    }

    @Test func `a participant is never planned by a study version that the enrolment does not follow`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let study = StudyFixture.make()
            try await fixture.publish(study)
            let account = try await fixture.makeAccount()
            let enrolment = try await fixture.store.enrol(
                fixture.draft(account, study: study), now: .start
            ).enrolment
            let other = enrolment.arm == "control" ? "experimental" : "control"

            await #expect(throws: StudyVersionMismatch.self) {
                _ = try await fixture.store.changeArm(
                    of: enrolment.id, to: other, because: "because", by: account,
                    study: StudyFixture.make(version: "1.1.0"), requestID: nil, now: .start)
            }

            #expect(try await fixture.store.findEnrolment(enrolment.id)?.arm == enrolment.arm)
            #expect(try await fixture.store.listArmChanges(of: enrolment.id) == [])
        }
    }

    @Test func `another arm has another plan, and open occasions do not change`() async throws {
        try await StoreFixture.with { fixture in
            var study = StudyFixture.make()
            let both = study.schedules
            study.schedules = both.map { schedule in
                var schedule = schedule
                schedule.arms = ["experimental"]
                return schedule
            }
            try await fixture.publish(study)
            let account = try await fixture.makeAccount()
            let enrolment = try await fixture.store.enrol(
                fixture.draft(account, study: study), now: .start
            ).enrolment
            func change(to arm: String, at now: Instant) async throws {
                _ = try await fixture.store.changeArm(
                    of: enrolment.id, to: arm, because: "because", by: account, study: study, requestID: nil,
                    now: now)
            }
            try await change(to: "experimental", at: .start)
            let planned = try await fixture.evenings(of: enrolment.id)
            let open = try #require(planned.first)
            let now = open.window.openAt

            try await change(to: "control", at: now)

            let left = try await fixture.evenings(of: enrolment.id)
            #expect(left.filter { $0.exclusion == nil }.map(\.id) == [open.id])
            #expect(left.filter { $0.exclusion == .cancelled }.count == planned.count - 1)
            try await change(to: "experimental", at: now)
            let again = try await fixture.evenings(of: enrolment.id)
            #expect(again.filter { $0.exclusion == nil }.map(\.id) == planned.map(\.id))
        }
    }
}
