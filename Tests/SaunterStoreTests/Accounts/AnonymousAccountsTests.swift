import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct AnonymousAccountsTests {
    private static let study: Study = {
        var study = StudyFixture.study
        study.accounts = AccountPolicy(kinds: [.anonymous, .registered], anonymousKeptDays: 30)
        return study
    }()
    private static let second: Study = {
        var study = StudyFixture.make(code: "second")
        study.accounts = AccountPolicy(kinds: [.anonymous, .registered])
        return study
    }()
    private static let push = "https://push.example.net/device"

    /// A new anonymous account with a login.
    private func start(_ fixture: StoreFixture) async throws -> (id: AccountID, family: UUID) {
        let account = Account(anonymous: AccountID(UUID()), zone: nil, language: "de", createdAt: .start)
        try await fixture.store.insert(account)
        let family = UUID()
        let isInserted = try await fixture.store.insertFamily(
            family, of: account.id, verified: account.passwordHash,
            tokenHash: Array(account.id.description.utf8),
            now: .start, expiresAt: Instant.start.adding(seconds: account.kind.loginSeconds))
        #expect(isInserted)
        return (account.id, family)
    }

    private func registration(of id: AccountID, email: String = "ada@example.org") -> Account {
        var account = Account(anonymous: id, zone: nil, language: nil, createdAt: .start)
        account.email = email
        account.name = "Ada Canary"
        account.passwordHash = "hash"
        return account
    }

    @Test func `an anonymous account has no address, and enrols only where it is admitted`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish(Self.study)
            try await fixture.publish(StudyFixture.make(code: "closed"))
            let id = try await start(fixture).id

            let found = try #require(try await fixture.store.findAccount(id))
            #expect(found.kind == .anonymous && found.email == nil && found.name.isEmpty)
            #expect(found.passwordHash == PasswordHash.none.text && found.language == "de")
            await #expect(throws: AccountKindNotAdmitted(kind: .anonymous)) {
                try await fixture.store.enrol(
                    fixture.draft(id, study: StudyFixture.make(code: "closed")), now: .start)
            }
            let enrolled = try await fixture.store.enrol(fixture.draft(id, study: Self.study), now: .start)
            #expect(enrolled.isNew)
            let recipient = try #require(try await fixture.store.findRecipient(of: enrolled.enrolment.id))
            #expect(recipient.email == nil && !recipient.isEmailVerified)
            let kind = try await fixture.run("select account_kind from research.enrolment").one()
            #expect(try kind.get("account_kind") == "anonymous")
        }
    }

    @Test(arguments: [
        "insert into identity.account (account_id, kind, name_sealed, created_at) values (gen_random_uuid(), 'registered', '', now())",
        "insert into identity.account (account_id, kind, name_sealed, created_at) values (gen_random_uuid(), 'anonymous', '', now())",
        "insert into identity.account (account_id, kind, name_sealed, created_at, used_at, password_hash) values (gen_random_uuid(), 'anonymous', '', now(), now(), 'x')",
    ])
    func `the database rejects an account between the kinds`(sql: String) async throws {
        try await StoreFixture.with { fixture in
            await #expect(throws: DatabaseError.self) { try await fixture.run(sql) }
        }
    }

    @Test func `a registration keeps the enrolments and the login, and happens once`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish(Self.study)
            let (id, family) = try await start(fixture)
            let enrolment = try await fixture.store.enrol(fixture.draft(id, study: Self.study), now: .start)
                .enrolment.id
            let account = registration(of: id)

            // Two requests at the same time: one registers.
            let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        try await fixture.store.register(
                            anonymous: account, code: .make(), keeping: family, now: .start) != nil
                    }
                }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }

            #expect(outcomes.filter { $0 }.count == 1)
            let found = try #require(try await fixture.store.findAccount(email: "ADA@example.org"))
            #expect(found.id == id && found.kind == .registered && found.emailVerifiedAt == nil)
            #expect(try await fixture.store.listMemberships(id).map(\.enrolment) == [enrolment])
            #expect(try await fixture.count("identity.outgoing_mail") == 1)
            let row = try await fixture.run(
                "select used_at is null as is_cleared from identity.account"
            ).one()
            #expect(try row.get("is_cleared"))
            let login = try await fixture.run(
                "select revoked_at is null and expires_at = created_at + interval '90 days' as lives from identity.token_family"
            ).one()
            #expect(try login.get("lives"))
        }
    }

    @Test func `a registration with the address of another account changes nothing`() async throws {
        try await StoreFixture.with { fixture in
            _ = try await fixture.makeAccount(email: "ada@example.org")
            let (id, family) = try await start(fixture)

            await #expect(throws: AccountFault.emailTaken) {
                try await fixture.store.register(
                    anonymous: registration(of: id), code: .make(), keeping: family, now: .start)
            }
            #expect(try await fixture.store.findAccount(id)?.kind == .anonymous)
        }
    }

    @Test func `an adoption moves enrolments and devices, and ends the anonymous account`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish(Self.study)
            try await fixture.publish(Self.second)
            let (id, family) = try await start(fixture)
            let enrolment = try await fixture.store.enrol(fixture.draft(id, study: Self.study), now: .start)
                .enrolment.id
            let device = PushSubscriptionID(UUID())
            _ = try await fixture.store.register(
                StoredPushSubscription(
                    account: id, id: device, content: ["endpoint": "e"], registeredAt: .start),
                endpoint: Self.push)
            try await fixture.store.store(
                Purchase(
                    provider: "app_store", originalTransaction: "one", study: Self.study.code,
                    code: "premium",
                    purchasedAt: .start, validUntil: Instant.start.adding(seconds: 86_400), revokedAt: nil,
                    signedAt: .start, notice: Purchase.noNotice),
                claimedBy: id, now: .start)
            let owner = try await fixture.makeAccount(email: "ada@example.org")
            let other = try await fixture.store.enrol(
                fixture.draft(owner, study: Self.second), now: .start
            ).enrolment.id
            let target = try #require(try await fixture.store.findAccount(owner))

            let adopted = try #require(
                try await fixture.store.adopt(anonymous: id, by: target, now: .start))

            #expect(adopted.moved == [enrolment] && adopted.ended == [family])
            #expect(
                Set(try await fixture.store.listMemberships(owner).map(\.enrolment)) == [enrolment, other])
            #expect(try await fixture.store.findAccount(id) == nil)
            #expect(try await fixture.store.listEntitlements(of: enrolment).map(\.code) == ["premium"])
            #expect(try await fixture.store.listPushSubscriptions(owner).map(\.id) == [device])
            #expect(try await fixture.store.listFamilies(revokedSince: .start).contains(family))
            let verified = try await fixture.run(
                "select count(*)::int as value from research.enrolment where email_verified"
            ).one()
            #expect(try verified.get("value") == 2)
            // A repetition, by a token that is still valid on another server.
            #expect(try await fixture.store.adopt(anonymous: id, by: target, now: .start) == nil)
        }
    }

    @Test func `an adoption changes nothing if both are enrolled, or if the password was changed`()
        async throws
    {
        try await StoreFixture.with { fixture in
            try await fixture.publish(Self.study)
            let id = try await start(fixture).id
            let enrolment = try await fixture.store.enrol(fixture.draft(id, study: Self.study), now: .start)
                .enrolment.id
            let owner = try await fixture.makeAccount(email: "ada@example.org")
            _ = try await fixture.store.enrol(fixture.draft(owner, study: Self.study), now: .start)
            var target = try #require(try await fixture.store.findAccount(owner))

            await #expect(throws: AdoptionFault.alreadyEnrolled(studies: ["walks"])) {
                try await fixture.store.adopt(anonymous: id, by: target, now: .start)
            }
            target.passwordHash = "former"
            await #expect(throws: AdoptionFault.passwordChanged) {
                try await fixture.store.adopt(anonymous: id, by: target, now: .start)
            }
            // A registered account adopts no other one.
            let third = try await fixture.makeAccount()
            target.passwordHash = "hash"
            await #expect(throws: AdoptionFault.alreadyRegistered) {
                try await fixture.store.adopt(anonymous: third, by: target, now: .start)
            }
            #expect(try await fixture.store.listMemberships(id).map(\.enrolment) == [enrolment])
        }
    }

    @Test func `adoptions and enrolments at the same time leave one enrolment per study`() async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            try await fixture.publish(Self.study)
            let owner = try await fixture.makeAccount(email: "ada@example.org")
            let target = try #require(try await fixture.store.findAccount(owner))
            var ids: [AccountID] = []
            for _ in 0..<4 {
                let id = try await start(fixture).id
                _ = try await fixture.store.enrol(fixture.draft(id, study: Self.study), now: .start)
                ids.append(id)
            }

            await withTaskGroup(of: Void.self) { group in
                for id in ids {
                    group.addTask {
                        do {
                            _ = try await fixture.store.adopt(anonymous: id, by: target, now: .start)
                        } catch AdoptionFault.alreadyEnrolled(studies: ["walks"]) {
                        } catch {
                            Issue.record(error)
                        }
                    }
                }
            }

            #expect(try await fixture.store.listMemberships(owner).count == 1)
            #expect(try await fixture.count("identity.account") == 4)
        }
    }

    @Test func `the login of an anonymous account is extended by its use, others are not`() async throws {
        try await StoreFixture.with { fixture in
            let (id, _) = try await start(fixture)
            let later = Instant.start.plus(days: 300)
            let outcome = try await fixture.store.rotate(
                tokenHash: Array(id.description.utf8), successorHash: [1], now: later)

            guard case .rotated(id, .anonymous, _, let expiresAt) = outcome else {
                Issue.record("the token was refused")
                return
            }
            #expect(expiresAt == later.plus(days: 400))
            let unused = try await fixture.store.listUnusedAccounts(
                before: later.plus(days: 1), after: nil, limit: 10)
            #expect(unused.map(\.id) == [id] && unused.first?.usedAt == later)
            #expect(
                try await fixture.store.listUnusedAccounts(before: later, after: nil, limit: 10).isEmpty)
        }
    }

    @Test func `a login is replaced, and the former one ends at once`() async throws {
        try await StoreFixture.with { fixture in
            let account = try await fixture.makeAccount()
            let former = try await fixture.makeLogin(to: account)
            try await fixture.store.insertWebSession([7], of: former, now: .start, confirmedAt: nil)
            let stored = try #require(try await fixture.store.findAccount(account))

            let isReplaced = try await fixture.store.replaceLogin(
                former, of: stored, by: UUID(), tokenHash: [8], now: .start)

            #expect(isReplaced)
            #expect(try await fixture.store.findWebSession([7], now: .start) == nil)
            #expect(try await fixture.store.findWebSession([8], now: .start)?.account == account)
            #expect(try await fixture.store.listFamilies(revokedSince: .start) == [former])
        }
    }
}
