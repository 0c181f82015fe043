import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

/// When participants had an entitlement: `research.entitlement_period`, which datasets contain.
@Suite struct EntitlementPeriodTests {
    private static let study: Study = {
        var study = StudyFixture.study
        study.accounts = AccountPolicy(kinds: [.anonymous, .registered])
        study.entitlements = [Entitlement(code: "premium")]
        return study
    }()

    private static func day(_ number: Int) -> Instant { Instant.start.plus(days: number) }

    private static func purchase(
        _ original: String, from: Int, to: Int, signed: Int? = nil, revoked: Int? = nil
    ) -> Purchase {
        Purchase(
            provider: "app_store", originalTransaction: original, study: "walks", code: "premium",
            purchasedAt: day(from), validUntil: day(to), revokedAt: revoked.map(day),
            signedAt: day(signed ?? from), notice: Purchase.noNotice)
    }

    /// Runs a test with an account that is enrolled in the study.
    private static func with(
        _ body: (StoreFixture, AccountID, EnrolmentID) async throws -> Void
    ) async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            try await fixture.publish(study)
            let account = try await fixture.makeAccount()
            let enrolment = try await fixture.store.enrol(fixture.draft(account, study: study), now: .start)
            try await body(fixture, account, enrolment.enrolment.id)
        }
    }

    /// The recorded states, such as `app_store 0 30 -`: the days of beginning, end and revocation.
    private static func states(_ fixture: StoreFixture, of enrolment: EnrolmentID) async throws -> [String] {
        func days(_ column: String) -> String {
            "coalesce(round(extract(epoch from \(column) - '\(Instant.start)'::timestamptz) / 86400)::text, '-')"
        }
        return try await fixture.values(
            """
            select concat_ws(' ', source, \(days("valid_from")), \(days("valid_until")), \(days("revoked_at"))) as value
            from research.entitlement_period where enrolment_id = '\(enrolment)'
            order by valid_from, recorded_at
            """)
    }

    private static func codes(
        _ fixture: StoreFixture, of enrolment: EnrolmentID, on number: Int
    ) async throws -> Set<String> {
        try await fixture.store.listEntitlements(of: enrolment, at: day(number)).codes(at: day(number))
    }

    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2, 1], [0, 2, 1, 0]])
    func `a gap before a renewal does not count, in every order of arrival`(order: [Int]) async throws {
        try await Self.with { fixture, account, enrolment in
            let transactions = [
                Self.purchase("one", from: 0, to: 30), Self.purchase("one", from: 30, to: 60),
                Self.purchase("one", from: 100, to: 130),
            ]

            for index in order {
                try await fixture.store.store(transactions[index], claimedBy: account, now: Self.day(100))
            }

            #expect(
                try await Self.states(fixture, of: enrolment) == [
                    "app_store 0 30 -", "app_store 30 60 -", "app_store 100 130 -",
                ])
            // Three days of grace after day 60.
            for (number, codes) in [
                (-1, []), (10, ["premium"]), (59, ["premium"]), (62, ["premium"]), (63, []), (99, []),
                (100, ["premium"]), (140, []),
            ] as [(Int, Set<String>)] {
                #expect(try await Self.codes(fixture, of: enrolment, on: number) == codes, "\(number)")
            }
        }
    }

    @Test func `a refund ends its period only, and keeps the states before it`() async throws {
        try await Self.with { fixture, account, enrolment in
            let store = fixture.store
            try await store.store(Self.purchase("one", from: 0, to: 30), claimedBy: account, now: .start)
            try await store.store(Self.purchase("one", from: 30, to: 60), now: Self.day(30))
            try await store.store(
                Self.purchase("one", from: 30, to: 60, signed: 40, revoked: 40), now: Self.day(40))
            // A refund of the first month, which arrives twice and before the same transaction without it.
            let refund = Self.purchase("one", from: 0, to: 30, signed: 50, revoked: 5)
            for state in [refund, refund, Self.purchase("one", from: 0, to: 30)] {
                try await store.store(state, now: Self.day(50))
            }

            #expect(
                try await Self.states(fixture, of: enrolment) == [
                    "app_store 0 30 -", "app_store 0 30 5", "app_store 30 60 -", "app_store 30 60 40",
                ])
            #expect(try await Self.codes(fixture, of: enrolment, on: 20) == [])
            #expect(try await Self.codes(fixture, of: enrolment, on: 39) == ["premium"])
            #expect(try await Self.codes(fixture, of: enrolment, on: 45) == [])
        }
    }

    @Test func `gifts are recorded with their changes, and a repeated one only once`() async throws {
        try await Self.with { fixture, _, enrolment in
            let entry = StoreFixture.entry("entitlement_given")
            for until in [9, 9, 12] {
                _ = try await fixture.store.give(
                    "premium", to: enrolment, until: Self.day(until), why: "A prize.", audit: entry,
                    now: .start.adding(milliseconds: Int64(until)))
            }
            _ = try await fixture.store.revokeGift(
                "premium", of: enrolment, why: "A mistake.", audit: entry, now: Self.day(2))
            _ = try await fixture.store.give(
                "premium", to: enrolment, until: nil, why: "Again.", audit: entry, now: Self.day(5))

            #expect(
                try await Self.states(fixture, of: enrolment) == [
                    "gift 0 9 -", "gift 0 12 -", "gift 0 12 2", "gift 5 - -",
                ])
            #expect(try await Self.codes(fixture, of: enrolment, on: 1) == ["premium"])
            #expect(try await Self.codes(fixture, of: enrolment, on: 3) == [])
            #expect(try await Self.codes(fixture, of: enrolment, on: 6) == ["premium"])
        }
    }

    @Test func `an enrolment has what its account bought before, and an erasure removes it`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish(Self.study)
            let account = try await fixture.makeAccount()
            try await fixture.store.store(
                Self.purchase("one", from: -2, to: 28), claimedBy: account, now: .start)

            let made = try await fixture.store.enrol(fixture.draft(account, study: Self.study), now: .start)

            let enrolment = made.enrolment
            #expect(try await Self.states(fixture, of: enrolment.id) == ["app_store -2 28 -"])
            try await fixture.store.erase(enrolment, audit: StoreFixture.entry("erased"), now: .start)
            #expect(try await fixture.count("research.entitlement_period") == 0)
        }
    }

    @Test func `an adoption keeps the periods and adds those of the other account`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish(Self.study)
            let source = Account(anonymous: AccountID(UUID()), zone: nil, language: "en", createdAt: .start)
            try await fixture.store.insert(source)
            let owner = try await fixture.makeAccount()
            let target = try #require(try await fixture.store.findAccount(owner))
            let made = try await fixture.store.enrol(
                fixture.draft(source.id, study: Self.study), now: .start)
            try await fixture.store.store(
                Self.purchase("own", from: 0, to: 30), claimedBy: source.id, now: .start)
            try await fixture.store.store(
                Self.purchase("other", from: 10, to: 40), claimedBy: owner, now: .start)

            _ = try await fixture.store.adopt(anonymous: source.id, by: target, now: Self.day(10))

            let enrolment = made.enrolment.id
            #expect(
                try await Self.states(fixture, of: enrolment) == ["app_store 0 30 -", "app_store 10 40 -"])
            // Later notices are about the account that has the purchase now.
            try await fixture.store.store(
                Self.purchase("own", from: 0, to: 30, signed: 12, revoked: 12), now: Self.day(12))
            #expect(
                try await Self.states(fixture, of: enrolment) == [
                    "app_store 0 30 -", "app_store 0 30 12", "app_store 10 40 -",
                ])
        }
    }

    @Test func `notices, claims, gifts and an erasure at the same time leave nothing behind`() async throws {
        try await Self.with { fixture, account, enrolment in
            let stored = try #require(try await fixture.store.findEnrolment(enrolment))
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        do {
                            let purchase = Self.purchase("one", from: number, to: number + 30)
                            switch number % 3 {
                            case 0: try await fixture.store.store(purchase, now: .start)
                            case 1: try await fixture.store.store(purchase, claimedBy: account, now: .start)
                            default:
                                _ = try await fixture.store.give(
                                    "premium", to: enrolment, until: nil, why: "?",
                                    audit: StoreFixture.entry("entitlement_given"), now: .start)
                            }
                        } catch is ConcurrentErasure {
                        } catch {
                            Issue.record(error)
                        }
                    }
                }
                group.addTask {
                    do {
                        try await fixture.store.erase(
                            stored, audit: StoreFixture.entry("erased"), now: .start)
                    } catch {
                        Issue.record(error)
                    }
                }
            }

            #expect(try await fixture.count("research.entitlement_period") == 0)
            #expect(try await fixture.count("identity.membership") == 0)
        }
    }

    @Test func `purchases that no account claims are deleted when they cannot matter any more`() async throws
    {
        try await Self.with { fixture, account, _ in
            var endless = Self.purchase("endless", from: 0, to: 0)
            endless.validUntil = nil
            var refunded = endless
            refunded.originalTransaction = "refunded"
            refunded.revokedAt = .start
            try await fixture.store.store(Self.purchase("ended", from: 0, to: 30), now: .start)
            try await fixture.store.store(Self.purchase("long", from: 0, to: 400), now: .start)
            try await fixture.store.store(endless, now: .start)
            try await fixture.store.store(refunded, now: .start)
            try await fixture.store.store(
                Self.purchase("owned", from: 0, to: 30), claimedBy: account, now: .start)
            func left(on number: Int) async throws -> [String] {
                try await fixture.store.deleteExpiredIdentityRows(now: Self.day(number))
                var left: [String] = []
                for name in ["ended", "long", "endless", "refunded", "owned"] {
                    let found = try await fixture.store.findPurchase(name, from: "app_store")
                    if found != nil { left.append(name) }
                }
                return left
            }

            #expect(try await left(on: 400) == ["ended", "long", "endless", "refunded", "owned"])
            #expect(try await left(on: 431) == ["long", "refunded", "owned"])
            // Its first transaction would open the content again.
            #expect(try await left(on: 5000) == ["refunded", "owned"])
        }
    }
}
