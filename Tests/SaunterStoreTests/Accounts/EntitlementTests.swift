import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct EntitlementTests {
    private static func purchase(
        _ original: String, bought days: Int = 0, until: Int = 30, signed: Int? = nil, revoked: Int? = nil,
        notice: UUID = Purchase.noNotice
    ) -> Purchase {
        Purchase(
            provider: "app_store", originalTransaction: original, study: "walks", code: "premium",
            purchasedAt: Instant.start.plus(days: days), validUntil: Instant.start.plus(days: until),
            revokedAt: revoked.map { Instant.start.plus(days: $0) },
            signedAt: Instant.start.plus(days: signed ?? days), notice: notice)
    }

    @Test func `the stored state is the newest one in every order of arrival`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol()
            let account = try #require(try await fixture.account(of: enrolment.id))
            let notice = UUID()
            let states = [
                Self.purchase("%", bought: 0, until: 30), Self.purchase("%", bought: 30, until: 60),
                Self.purchase("%", bought: 30, until: 60, signed: 40, revoked: 40, notice: notice),
                Self.purchase("%", bought: 0, until: 30, signed: 50),
            ]
            let newest = states[2]
            for (number, order) in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 2, 2, 0, 1, 3]].enumerated()
            {
                for (step, index) in order.enumerated() {
                    var state = states[index]
                    state.originalTransaction = "original-\(number)"
                    try await fixture.store.store(
                        state, claimedBy: step == order.count - 1 ? account : nil, now: .start)
                }
            }

            let owned = try await fixture.store.listEntitlements(of: enrolment.id)
            #expect(owned.count == 4)
            #expect(
                owned.allSatisfy { $0.validUntil == newest.validUntil && $0.revokedAt == newest.revokedAt })
            #expect(owned.allSatisfy { $0.validFrom == .start && $0.source == .appStore })
        }
    }

    @Test func `a purchase belongs to one account, also if two claim it at once`() async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            var accounts: [AccountID] = []
            for _ in 0..<6 { accounts.append(try await fixture.makeAccount()) }

            let claims = await withTaskGroup(of: Bool.self) { group in
                for account in accounts {
                    group.addTask {
                        do {
                            try await fixture.store.store(
                                Self.purchase("one"), claimedBy: account, now: .start)
                            return true
                        } catch {
                            return false
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }

            #expect(claims.filter { $0 }.count == 1)
            await #expect(throws: ConcurrentErasure.self) {
                try await fixture.store.store(
                    Self.purchase("two"), claimedBy: AccountID(UUID()), now: .start)
            }
        }
    }

    @Test func `a gift is changed, ended and given again, and needs an account`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.enrol().id
            let entry = StoreFixture.entry("entitlement_given")
            func give(until: Instant?, at now: Instant) async throws -> EntitlementGrant {
                try await fixture.store.give(
                    "premium", to: id, until: until, why: "A prize.", audit: entry, now: now)
            }
            func revoke(at now: Instant) async throws -> Bool {
                try await fixture.store.revokeGift(
                    "premium", of: id, why: "A mistake.", audit: entry, now: now)
            }
            let later = Instant.start.plus(days: 1)

            #expect(try await give(until: Instant.start.plus(days: 9), at: .start).validFrom == .start)
            #expect(try await give(until: nil, at: later).validFrom == .start)
            #expect(try await revoke(at: later))
            #expect(try await !revoke(at: later))
            #expect(try await fixture.store.listEntitlements(of: id).codes(at: later) == [])
            #expect(try await give(until: nil, at: later.plus(days: 1)).validFrom == later.plus(days: 1))
            #expect(try await fixture.store.listEntitlements(of: id).count == 1)
            await #expect(throws: ConcurrentErasure.self) {
                _ = try await fixture.store.give(
                    "premium", to: EnrolmentID(UUID()), until: nil, why: "?", audit: entry, now: .start)
            }
        }
    }

    @Test func `an erasure deletes what the account had in the study, and an erased account has nothing`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let ada = try await fixture.enrol()
            let ben = try await fixture.enrol()
            for (enrolment, name) in [(ada, "a"), (ben, "b")] {
                let account = try #require(try await fixture.account(of: enrolment.id))
                try await fixture.store.store(Self.purchase(name), claimedBy: account, now: .start)
            }
            let account = try #require(try await fixture.account(of: ben.id))

            try await fixture.store.erase(ada, audit: StoreFixture.entry("erased"), now: .start)
            #expect(try await fixture.store.findPurchase("a", from: "app_store") == nil)
            #expect(try await fixture.store.findPurchase("b", from: "app_store")?.study == "walks")

            _ = try await fixture.store.erase(
                account: account, enrolments: [ben], audit: StoreFixture.entry("erased"), now: .start)
            let rows: Int = try await fixture.run("select count(*)::int as n from identity.entitlement").one()
                .get("n")
            #expect(rows == 0)
        }
    }

    @Test func `what moves to another account keeps its state and belongs to it alone`() async throws {
        try await StoreFixture.with { fixture in
            let (source, target) = (try await fixture.makeAccount(), try await fixture.makeAccount())
            try await fixture.store.store(Self.purchase("one"), claimedBy: source, now: .start)

            try await fixture.store.clerk.write {
                try await fixture.store.moveEntitlements(from: source, to: target, now: .start, in: $0)
            }

            #expect(try await fixture.store.listEntitlements(of: source) == [])
            let moved = try await fixture.store.listEntitlements(of: target)
            #expect(moved.map(\.grant.validUntil) == [Instant.start.plus(days: 30)])
            await #expect(throws: PurchaseTaken.self) {
                try await fixture.store.store(Self.purchase("one"), claimedBy: source, now: .start)
            }
        }
    }

    @Test func `the research and export roles cannot read entitlements, and the table has no transaction`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let account = try await fixture.makeAccount()
            try await fixture.store.store(Self.purchase("canary-4711"), claimedBy: account, now: .start)
            let read = Statement(name: "read_entitlements", sql: "select code from identity.entitlement")

            await #expect(throws: DatabaseError.self) { _ = try await fixture.store.research.query(read, []) }
            await #expect(throws: DatabaseError.self) { _ = try await fixture.store.export.query(read, []) }
            #expect(try await fixture.tables(containing: "canary-4711") == [])
        }
    }
}

extension StoreFixture {
    /// The account of an enrolment.
    fileprivate func account(of enrolment: EnrolmentID) async throws -> AccountID? {
        try await run(
            "select account_id from identity.membership where enrolment_id = '\(enrolment)'"
        ).oneOrNone()?.id("account_id")
    }
}
