import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct InvitationTests {
    private static let study = "walks"

    private static func invitation(
        _ email: String, role: Role = .researcher, fullExport: Bool? = nil, seesArms: Bool? = nil
    ) -> Invitation {
        Invitation(
            study: study, titles: [("en", "Slow walks"), ("de", "Langsames Gehen")], email: email,
            name: "Ben Hill", role: role, fullExport: fullExport, seesArms: seesArms, language: "de")
    }

    // MARK: The rule

    @Test(
        arguments: [
            (false, false, Invitation.Effect.offer(.invitation)), (false, true, .offer(.roleOffered)),
            (true, false, .offer(.roleDenied)), (true, true, .offer(.roleDenied)),
        ])
    func `the mail follows from the account, and a participant gets no role`(
        isEnrolled: Bool, isProven: Bool, expected: Invitation.Effect
    ) {
        let effect = Self.invitation("ben@example.org").effect(
            present: nil, isEnrolled: isEnrolled, isProven: isProven)

        #expect(effect == expected)
    }

    @Test(
        arguments: [
            (nil, nil, Invitation.Effect.none), (true, nil, .none), (nil, false, .none),
            (false, nil, .change(Grant(role: .researcher, study: "walks"))),
            (nil, true, .change(Grant(role: .researcher, study: "walks", fullExport: true, seesArms: true))),
        ] as [(Bool?, Bool?, Invitation.Effect)])
    func `an account that has the role keeps permissions that are not stated`(
        fullExport: Bool?, seesArms: Bool?, expected: Invitation.Effect
    ) {
        let invitation = Self.invitation("ben@example.org", fullExport: fullExport, seesArms: seesArms)
        let present = Grant(role: .researcher, study: Self.study, fullExport: true)

        #expect(invitation.effect(present: present, isEnrolled: false, isProven: true) == expected)
    }

    @Test func `the title of the study is in the language of the account, or in the first one`() {
        let invitation = Self.invitation("ben@example.org")

        #expect(invitation.title(in: "de-AT") == "Langsames Gehen")
        #expect(invitation.title(in: "fr") == "Slow walks" && invitation.title(in: nil) == "Slow walks")
    }

    // MARK: The database

    @Test func `an unknown address gets an account without a password, and the role with its first login`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let email = "Ben-\(UUID())@example.org"
            let code = RandomToken.make()
            try await invite(Self.invitation(email, seesArms: true), code: code, store)

            let account = try #require(try await store.findAccount(email: email))
            #expect(account.passwordHash == PasswordHash.none.text && account.name == "Ben Hill")
            #expect(try await !PasswordHasher().verify("!", against: PasswordHash.none))
            #expect(try await store.listGrants(account.id).isEmpty)
            #expect(try await store.listRoles(of: Self.study).map(\.state) == [.invited])
            let mail = try #require(
                try await store.claimOutgoingMail(now: .start, leaseUntil: .maximum))
            #expect(mail.kind == .invitation && mail.message["code"]?.string == code.text)
            #expect(mail.message["study"]?.string == "Langsames Gehen", "in the language of the new account")

            let week = Instant.start.adding(seconds: 7 * 86_400)
            #expect(
                try await store.resetPassword(
                    codeHash: code.digest, passwordHash: "hash", now: week) == nil)
            #expect(
                try await store.resetPassword(
                    codeHash: code.digest, passwordHash: "hash", now: week.adding(milliseconds: -1)) != nil)
            #expect(try await store.listGrants(account.id).isEmpty)
            try await logIn(account.id, store)

            #expect(
                try await store.listGrants(account.id) == [
                    Grant(role: .researcher, study: Self.study, seesArms: true)
                ])
            #expect(try await store.listRoles(of: Self.study).map(\.state) == [.active])
        }
    }

    @Test func `the list shows what was typed until the account logs in`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let id = try await fixture.makeAccount(name: "Known Person")
            let known = try #require(try await store.findAccount(id))
            let typed = try #require(known.email).uppercased()
            try await invite(Self.invitation(typed), store)

            let invited = try #require(try await store.listRoles(of: Self.study).first)
            #expect(invited.email == typed && invited.name == "Ben Hill")
            #expect(invited.account == id && invited.id != id.uuid)
            #expect(try await store.listGrants(known.id).isEmpty)
            try await logIn(known.id, store)

            let active = try #require(try await store.listRoles(of: Self.study).first)
            #expect(active.email == known.email && active.name == known.name && active.state == .active)
            #expect(active.id == id.uuid)
        }
    }

    @Test func `an account that took the address before, without proof, does not get the role`() async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let id = try await fixture.makeAccount(isVerified: false)
            let account = try #require(try await store.findAccount(id))
            try await invite(Self.invitation(try #require(account.email)), store)

            try await logIn(id, store)
            #expect(try await store.listGrants(id).isEmpty)
            let other = RandomToken.make()
            _ = try await store.updateProfile(of: id, code: other, now: .start) {
                $0.email = "mallory-\(UUID())@example.org"
            }
            #expect(try await store.verifyEmail(codeHash: other.digest, of: id, now: .start))
            try await logIn(id, store)

            #expect(try await store.listGrants(id).isEmpty)
        }
    }

    @Test func `a removed invitation gives no role, and an account without use is deleted`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let id = try await fixture.makeAccount(name: "Known Person")
            let known = try #require(try await store.findAccount(id))
            let unknown = "ben-\(UUID())@example.org"
            for email in [try #require(known.email), unknown] {
                try await invite(Self.invitation(email), store)
            }
            let made = try #require(try await store.findAccount(email: unknown)).id
            for id in [known.id, made] {
                #expect(
                    try await store.revoke(
                        .researcher, study: Self.study, of: id, by: .system, now: .start))
                #expect(
                    try await !store.revoke(
                        .researcher, study: Self.study, of: id, by: .system, now: .start))
            }
            try await logIn(known.id, store)

            #expect(try await store.listGrants(known.id).isEmpty)
            #expect(try await store.findAccount(made) == nil)
            #expect(try await store.findAccount(known.id) != nil)
        }
    }

    @Test func `a second invitation keeps the permissions of the first, and replaces its code`() async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let email = "ben-\(UUID())@example.org"
            let (first, second) = (RandomToken.make(), RandomToken.make())
            try await invite(Self.invitation(email, fullExport: true), code: first, store)
            try await invite(Self.invitation(email), code: second, store)

            #expect(
                try await store.resetPassword(codeHash: first.digest, passwordHash: "a", now: .start) == nil)
            #expect(
                try await store.resetPassword(codeHash: second.digest, passwordHash: "b", now: .start) != nil)
            #expect(try await store.listRoles(of: Self.study).map(\.grant.fullExport) == [true])
        }
    }

    @Test func `concurrent invitations of one address make one account`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let email = "ben-\(UUID())@example.org"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for role in [Role.researcher, .coordinator, .editor] {
                    group.addTask { try await invite(Self.invitation(email, role: role), store) }
                }
                try await group.waitForAll()
            }

            let roles = try await store.listRoles(of: Self.study)
            #expect(roles.count == 3 && Set(roles.map(\.account)).count == 1)
        }
    }

    @Test func `of two coordinators who leave at the same time one stays, while participants are active`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let accounts = [try await fixture.makeAccount(), try await fixture.makeAccount()]
            for id in accounts {
                try await store.grant(
                    Grant(role: .coordinator, study: Self.study), to: id, by: .system, now: .start)
            }
            _ = try await fixture.enrol()
            let removed = try await withThrowingTaskGroup(of: AccountID?.self) { group in
                for id in accounts {
                    group.addTask {
                        do {
                            return try await leave(id, store) ? id : nil
                        } catch RoleRemovalFault.lastCoordinator {
                            return nil
                        }
                    }
                }
                var ids: [AccountID] = []
                for try await id in group { if let id { ids.append(id) } }
                return ids
            }

            #expect(removed.count == 1)
            let left = try #require(try await store.listRoles(of: Self.study).first?.account)
            #expect(!removed.contains(left))
            await #expect(throws: RoleRemovalFault.self) { try await leave(left, store) }
        }
    }

    @Test func `the last coordinator leaves a study without participants`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let id = try await fixture.makeAccount()
            try await store.grant(
                Grant(role: .coordinator, study: Self.study), to: id, by: .system, now: .start)

            #expect(try await leave(id, store))
            #expect(try await store.listRoles(of: Self.study).isEmpty)
        }
    }

    @Test func `a participant of the study stays invited, and gets no role`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            _ = try await fixture.enrol()
            let id: AccountID = try await fixture.owner.query(
                Statement(name: "member", sql: "select account_id from identity.membership"), []
            ).one().id("account_id")
            let account = try #require(try await store.findAccount(id))
            try await invite(Self.invitation(try #require(account.email)), store)
            try await logIn(id, store)

            #expect(try await store.listGrants(id).isEmpty)
            #expect(try await store.listRoles(of: Self.study).map(\.state) == [.invited])
            let mail = try await store.claimOutgoingMail(now: .start, leaseUntil: .maximum)
            #expect(mail?.kind == .roleDenied)
        }
    }

    private func leave(_ id: AccountID, _ store: Store) async throws -> Bool {
        try await store.revoke(
            .coordinator, study: Self.study, of: id, by: .account(id), keepsCoordinator: true, now: .start)
    }

    private func invite(_ invitation: Invitation, code: RandomToken = .make(), _ store: Store) async throws {
        try await store.invite(invitation, code: code, by: .system, requestID: nil, now: .start)
    }

    private func logIn(_ id: AccountID, _ store: Store) async throws {
        let account = try #require(try await store.findAccount(id))
        let isInserted = try await store.insertFamily(
            UUID(), of: id, verified: account.passwordHash, tokenHash: RandomToken.make().digest,
            now: .start, expiresAt: .start.adding(seconds: 86_400))
        #expect(isInserted)
    }
}
