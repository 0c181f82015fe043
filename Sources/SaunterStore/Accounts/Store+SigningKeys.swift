import Logging
import Postgres
import SaunterCore

/// A private key that signs access tokens, opened.
package struct StoredSigningKey: Sendable {
    package var id: String
    /// Raw Ed25519 private key, 32 bytes.
    package var key: [UInt8]
    package var createdAt: Instant
    /// From then on nothing is verified by it.
    package var retiresAt: Instant

    package init(id: String, key: [UInt8], createdAt: Instant, retiresAt: Instant) {
        self.id = id
        self.key = key
        self.createdAt = createdAt
        self.retiresAt = retiresAt
    }
}

extension Store {
    /// Whether a database was filled under some master key before: then only that one will do.
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

    /// Remembers the master key's digest the first time, and compares it ever after.
    /// - Returns: false when the database was filled under another key: nothing in it could be opened, and what was added would be lost to the
    ///   right one.
    package func confirmMasterKey() async throws -> Bool {
        _ = try await identity.query(Statements.tokens["insert_key_check"], [.bytes(secrets.check)])
        return try await identity.query(Statements.tokens["find_key_check"], []).one()
            .get("digest", as: [UInt8].self) == secrets.check
    }

    /// All keys in force, the newest last. When the newest was made before `newestSince`, the one that `make` gives is stored and becomes the newest;
    /// servers that do this at once agree on one. Retired keys are dropped,
    /// and those that were made more than a day from now: the clock was wrong then.
    package func rotateSigningKeys(
        newestSince: Instant, now: Instant, make: @Sendable () -> StoredSigningKey
    ) async throws -> [StoredSigningKey] {
        try await identity.writeRetrying { transaction in
            _ = try await transaction.query(Statements.tokens["lock_signing_keys"], [])
            _ = try await transaction.query(
                Statements.tokens["delete_retired_signing_keys"],
                [.instant(now), .instant(now.adding(seconds: 86_400))])
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
                        .text(key.id), .bytes(try secrets.sealKey(key.key, id: key.id)),
                        .instant(key.createdAt),
                        .instant(key.retiresAt),
                    ])
                keys.append(key)
            }
            return keys
        }
    }
}
