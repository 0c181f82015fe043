import Foundation
import Postgres
import Testing

@testable import SaunterStore

extension StoreFixture {
    @discardableResult
    func run(_ sql: String, _ parameters: Arguments = []) async throws -> Rows {
        try await owner.query(Statement(name: "look", sql: sql), parameters)
    }

    /// The one value of the column `value`.
    func value<Value: PostgresDecodable>(
        _ sql: String, _ parameters: Arguments = [], as: Value.Type = Value.self
    ) async throws -> Value {
        try await run(sql, parameters).one().get("value")
    }

    /// The column `value` of every row.
    func values<Value: PostgresDecodable>(
        _ sql: String, _ parameters: Arguments = [], as: Value.Type = Value.self
    ) async throws -> [Value] {
        try await run(sql, parameters).map { try $0.get("value") }
    }

    func count(_ table: String) async throws -> Int {
        try await value("select count(*) as value from \(table)")
    }

    /// Every table of Saunter as `schema.name`.
    func tables() async throws -> [String] {
        try await values(
            """
            select format('%I.%I', n.nspname, c.relname) as value from pg_class c
            join pg_namespace n on n.oid = c.relnamespace
            where n.nspname in ('identity', 'research', 'audit') and c.relkind in ('r', 'p') order by 1
            """)
    }

    /// The tables that contain this text in any column of any row.
    func tables(containing text: String) async throws -> [String] {
        var found: [String] = []
        for table in try await tables() {
            let count: Int = try await value(
                "select count(*) as value from \(table) t where strpos(t::text, $1) > 0", [.text(text)])
            if count > 0 { found.append(table) }
        }
        return found
    }

    /// The number of deadlocks in the database. Closes the store, because connections report their counts when they
    /// close.
    func deadlocks() async throws -> Int {
        await store.close()
        for _ in 0..<2_000 {
            let open: Int = try await value(
                """
                select count(*) as value from pg_stat_activity
                where datname = current_database() and application_name like 'saunter-%'
                """)
            if open == 0 { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        return try await value(
            "select deadlocks as value from pg_stat_database where datname = current_database()")
    }

    /// Returns when this many connections of the store wait for a lock of another connection.
    func waitUntilBlocked(_ wanted: Int) async throws {
        for _ in 0..<2_000 {
            let blocked: Int = try await value(
                """
                select count(*) as value from pg_stat_activity
                where datname = current_database() and application_name like 'saunter-%' and wait_event_type = 'Lock'
                """)
            if blocked >= wanted { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("no connection waited for the lock")
    }

    /// Runs `action` while the rows of a statement stay locked. When `action` waits for them, runs `meanwhile` in the
    /// transaction that holds the locks.
    func whileLocked<Value: Sendable>(
        _ lock: String, _ parameters: Arguments = [], blocks: Int = 1,
        action: @escaping @Sendable () async throws -> Value,
        meanwhile: (Transaction) async throws -> Void = { _ in }
    ) async throws -> Value {
        let task = try await owner.write { transaction in
            _ = try await transaction.query(Statement(name: "hold", sql: lock), parameters)
            let task = Task { try await action() }
            try await waitUntilBlocked(blocks)
            try await meanwhile(transaction)
            return task
        }
        return try await task.value
    }
}

extension Transaction {
    func run(_ sql: String, _ parameters: Arguments = []) async throws {
        _ = try await query(Statement(name: "meanwhile", sql: sql), parameters)
    }
}

extension Parameter {
    static func uuid(of text: String) -> Parameter { .uuid(UUID(uuidString: text)) }
}
