import Logging
import Postgres
import SaunterCore

/// A decrypted private key that signs access tokens.
package struct StoredSigningKey: Sendable {
    /// The `kid` in the header of the tokens that the key signs.
    package var id: String
    /// Raw Ed25519 private key, 32 bytes.
    package var key: [UInt8] { secret.revealed }
    private let secret: Secret<[UInt8]>
    /// When the key was created, by the server's clock.
    package var createdAt: Instant
    /// From this instant on, the key verifies no token.
    package var retiresAt: Instant

    /// Creates a key from its 32 raw bytes. Logs and descriptions do not show the bytes.
    package init(id: String, key: [UInt8], createdAt: Instant, retiresAt: Instant) {
        self.id = id
        secret = Secret(key)
        self.createdAt = createdAt
        self.retiresAt = retiresAt
    }
}

extension Store {
    /// Whether the database was filled under a master key. Then only this key can be used.
    package static func isKeyed(_ url: ConnectionString, logger: Logger) async throws -> Bool {
        let store = Store(url, secrets: StoreSecrets(master: []), connections: 2, logger: logger)
        do {
            let isKeyed = try await !store.identity.query(Statements.tokens["find_key_check"], []).isEmpty
            await store.close()
            return isKeyed
        } catch {
            await store.close()
            throw error
        }
    }

    /// Stores a digest of the master key at the first call, and compares it at every later call.
    /// - Returns: false if the database was filled under another key. Its sealed values cannot be decrypted, and new
    ///   values could not be decrypted with the right key.
    package func confirmMasterKey() async throws -> Bool {
        _ = try await identity.query(
            Statements.tokens["insert_key_check"], ["digest": .bytes(secrets.masterKeyDigest)])
        return try await identity.query(Statements.tokens["find_key_check"], []).one()
            .get("digest", as: [UInt8].self) == secrets.masterKeyDigest
    }

    /// All valid keys, the newest last. If the newest key was created before `newestSince`, the function stores the key
    /// that `make` returns. Servers that do so at the same time use the same key. Retired keys are deleted. Keys
    /// created more than a day in the future are deleted too, because the clock was wrong.
    package func rotateSigningKeys(
        newestSince: Instant, now: Instant, make: @Sendable () -> StoredSigningKey
    ) async throws -> [StoredSigningKey] {
        try await identity.writeRetrying { transaction in
            _ = try await transaction.query(Statements.tokens["lock_signing_keys"], [])
            _ = try await transaction.query(
                Statements.tokens["delete_retired_signing_keys"],
                ["now": .instant(now), "latest": .instant(now.adding(seconds: 86_400))])
            var keys = try await transaction.query(Statements.tokens["list_signing_keys"], []).map { row in
                let id: String = try row.get("key_id")
                return StoredSigningKey(
                    id: id, key: try secrets.openKey(row.get("key_sealed"), id: id),
                    createdAt: try row.instant("created_at"), retiresAt: try row.instant("retires_at"))
            }
            if keys.last.map({ $0.createdAt < newestSince }) ?? true {
                let key = make()
                _ = try await transaction.query(
                    Statements.tokens["insert_signing_key"],
                    [
                        "key_id": .text(key.id),
                        "key_sealed": .bytes(try secrets.sealKey(key.key, id: key.id)),
                        "created_at": .instant(key.createdAt),
                        "retires_at": .instant(key.retiresAt),
                    ])
                keys.append(key)
            }
            return keys
        }
    }
}
