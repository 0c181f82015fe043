import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct AccountsTests {
    static func account(_ email: String, name: String = "Ada Löwe", id: AccountID = AccountID(UUID()))
        -> Account
    {
        Account(
            id: id, email: email, name: name, passwordHash: "$argon2id$x", zone: Zone("Europe/Berlin"),
            language: "de",
            createdAt: .start)
    }

    @Test func `an account is found by its address and its id, as stored`() async throws {
        try await StoreFixture.with { fixture in
            let written = Self.account("ada@example.org")
            try await fixture.store.insert(written)

            let byEmail = try #require(try await fixture.store.findAccount(email: "ada@example.org"))
            let byID = try #require(try await fixture.store.findAccount(written.id))

            for found in [byEmail, byID] {
                #expect(found.id == written.id)
                #expect(found.email == "ada@example.org")
                #expect(found.name == "Ada Löwe")
                #expect(found.passwordHash == "$argon2id$x")
                #expect(found.zone == Zone("Europe/Berlin"))
                #expect(found.language == "de")
                #expect(found.createdAt == .start)
            }
        }
    }

    @Test func `an unknown account is not found`() async throws {
        try await StoreFixture.with { fixture in
            let byEmail = try await fixture.store.findAccount(email: "nobody@example.org")
            let byID = try await fixture.store.findAccount(AccountID(UUID()))

            #expect(byEmail == nil)
            #expect(byID == nil)
        }
    }

    @Test(arguments: ["ada@example.org", "ADA@Example.ORG", "Ada@example.org"])
    func `an address is taken in any letter case`(email: String) async throws {
        try await StoreFixture.with { fixture in
            try await fixture.store.insert(Self.account("ada@example.org"))

            await #expect(throws: AccountFault.emailTaken) {
                try await fixture.store.insert(Self.account(email))
            }

            #expect(try await fixture.count("identity.account") == 1)
            #expect(try await fixture.store.findAccount(email: email) != nil)
        }
    }

    @Test func `equal letters in different Unicode compositions are one address`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.store.insert(Self.account("l\u{F6}we@example.org"))

            await #expect(throws: AccountFault.emailTaken) {
                try await fixture.store.insert(Self.account("lo\u{308}we@example.org"))
            }
        }
    }

    @Test func `only one of many concurrent registrations of an address succeeds`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        do {
                            try await fixture.store.insert(Self.account("ada@example.org"))
                            return false
                        } catch AccountFault.emailTaken {
                            return true
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(taken.filter { $0 }.count == 7)
            #expect(try await fixture.count("identity.account") == 1)
        }
    }

    @Test func `a profile is changed completely, and the old address becomes free`() async throws {
        try await StoreFixture.with { fixture in
            let account = Self.account("ada@example.org")
            try await fixture.store.insert(account)

            let changed = try await fixture.store.updateProfile(of: account.id, now: .start) {
                $0.email = "grace@example.org"
                $0.name = "Grace"
                $0.zone = nil
                $0.language = "en"
            }

            #expect(changed?.name == "Grace")
            let found = try #require(try await fixture.store.findAccount(account.id))
            #expect(found.email == "grace@example.org")
            #expect(found.name == "Grace")
            #expect(found.zone == nil)
            #expect(found.language == "en")
            #expect(found.passwordHash == account.passwordHash)
            #expect(try await fixture.store.findAccount(email: "ada@example.org") == nil)
            try await fixture.store.insert(Self.account("ada@example.org"))
        }
    }

    @Test func `a changed profile cannot use the address of another account`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.store.insert(Self.account("ada@example.org"))
            let other = Self.account("grace@example.org")
            try await fixture.store.insert(other)

            await #expect(throws: AccountFault.emailTaken) {
                try await fixture.store.updateProfile(of: other.id, now: .start) {
                    $0.email = "ADA@example.org"
                }
            }

            #expect(try await fixture.store.findAccount(other.id)?.email == "grace@example.org")
        }
    }

    @Test func `concurrent changes of different members of a profile are both kept`() async throws {
        try await StoreFixture.with { fixture in
            let account = Self.account("ada@example.org")
            try await fixture.store.insert(account)

            let changed = try await fixture.whileLocked(
                "select from identity.account where account_id = $1 for update", [.id(account.id)],
                action: {
                    try await fixture.store.updateProfile(of: account.id, now: .start) { $0.name = "Grace" }
                },
                meanwhile: {
                    try await $0.run(
                        "update identity.account set language = 'fr' where account_id = $1", [.id(account.id)]
                    )
                })

            #expect(changed?.name == "Grace")
            #expect(changed?.language == "fr")
        }
    }

    @Test func `a hash with newer parameters replaces only the verified hash`() async throws {
        try await StoreFixture.with { fixture in
            let account = Self.account("ada@example.org")
            try await fixture.store.insert(account)

            try await fixture.store.replacePasswordHash(account.id, "another", by: "stale")
            #expect(try await fixture.store.findAccount(account.id)?.passwordHash == account.passwordHash)

            try await fixture.store.replacePasswordHash(account.id, account.passwordHash, by: "newer")
            #expect(try await fixture.store.findAccount(account.id)?.passwordHash == "newer")
        }
    }

    @Test func `roles are granted, changed and removed per study`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await fixture.makeAccount()
            let store = fixture.store
            try await store.upsert(Grant(role: .researcher, study: "walks"), for: id, now: .start)
            try await store.upsert(
                Grant(role: .researcher, study: "walks", fullExport: true), for: id, now: .start)
            try await store.upsert(Grant(role: .coordinator, study: "walks"), for: id, now: .start)
            try await store.upsert(Grant(role: .admin, study: "*"), for: id, now: .start)
            #expect(
                try await Set(store.listGrants(id)) == [
                    Grant(role: .researcher, study: "walks", fullExport: true),
                    Grant(role: .coordinator, study: "walks"),
                    Grant(role: .admin, study: "*"),
                ])

            _ = try await store.revoke(.researcher, study: "walks", of: id, by: .system, now: .start)
            _ = try await store.revoke(.coordinator, study: "other", of: id, by: .system, now: .start)

            #expect(try await store.listGrants(id).map(\.role) == [.admin, .coordinator])
            #expect(try await store.listGrants(AccountID(UUID())).isEmpty)
        }
    }
}
