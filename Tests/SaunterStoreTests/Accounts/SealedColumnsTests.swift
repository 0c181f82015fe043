import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

/// What an attacker who has the database but not the key can read.
@Suite struct SealedColumnsTests {
    static let canaries = ["canary-mail", "Canary Name", "canary-code"]
    static let key: [UInt8] = Array("canary-signing-key-of-32-bytes!!".utf8)

    @Test func `a dump of the database contains no name, address, mail or signing key`() async throws {
        try await StoreFixture.with { fixture in
            try await Self.insertSecrets(fixture)

            let dump = try await fixture.dump()

            #expect(dump.contains("COPY identity.account"))
            #expect(dump.contains("visible-hash"))
            for canary in Self.canaries {
                #expect(!dump.lowercased().contains(canary.lowercased()), "\(canary)")
                #expect(!dump.contains(Self.hex(Array(canary.utf8))), "\(canary) in hexadecimal")
                #expect(
                    !dump.contains(Data(canary.utf8).base64EncodedString().dropLast(4)), "\(canary) in base64"
                )
            }
            #expect(!dump.contains(Self.hex(Self.key)))
        }
    }

    @Test func `another key decrypts nothing and finds no account`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await Self.insertSecrets(fixture)
            let withOtherKey = Store(
                fixture.url, secrets: StoreSecrets(master: Array(repeating: 8, count: 32)),
                logger: StoreFixture.logger)

            #expect(try await withOtherKey.findAccount(email: "canary-mail@example.org") == nil)
            await #expect(throws: UnsealFault.self) { try await withOtherKey.findAccount(id) }
            await withOtherKey.close()
        }
    }

    @Test func `a sealed value that was copied to another account cannot be decrypted`() async throws {
        try await StoreFixture.with { fixture in
            let id = try await Self.insertSecrets(fixture)
            let other = try await fixture.makeAccount(name: "Other")
            try await fixture.run(
                """
                update identity.account set name_sealed = (select name_sealed from identity.account where account_id = $1)
                where account_id = $2
                """, [.id(id), .id(other)])

            await #expect(throws: UnsealFault.self) { try await fixture.store.findAccount(other) }
        }
    }

    @Test func `the same name is sealed differently each time`() async throws {
        try await StoreFixture.with { fixture in
            _ = try await fixture.makeAccount(name: "Same")
            _ = try await fixture.makeAccount(name: "Same")

            let sealed: Int = try await fixture.value(
                "select count(distinct name_sealed) as value from identity.account")
            #expect(sealed == 2)
        }
    }

    @discardableResult
    private static func insertSecrets(_ fixture: StoreFixture) async throws -> AccountID {
        var account = AccountsTests.account("canary-mail@example.org", name: "Canary Name")
        account.passwordHash = "visible-hash"
        try await fixture.store.insert(account)
        try await fixture.store.insertPasswordReset(
            codeHash: [1, 2, 3], account: account.id, message: ["code": "canary-code"], now: .start,
            expiresAt: Instant.start.plus(hours: 1))
        _ = try await fixture.store.rotateSigningKeys(newestSince: .start, now: .start) {
            StoredSigningKey(id: "k1", key: key, createdAt: .start, retiresAt: Instant.start.plus(days: 1))
        }
        return account.id
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }
}
