import Foundation
import Postgres
import Testing

@testable import SaunterStore

extension StoreFixture {
    @discardableResult
    func run(_ sql: String, _ parameters: [Parameter] = []) async throws -> Rows {
        try await owner.query(Statement(name: "look", sql: sql), parameters)
    }

    /// The one value of the column `value`.
    func value<Value: PostgresDecodable>(
        _ sql: String, _ parameters: [Parameter] = [], as: Value.Type = Value.self
    ) async throws -> Value {
        try await run(sql, parameters).one().get("value")
    }

    /// The column `value` of every row.
    func values<Value: PostgresDecodable>(
        _ sql: String, _ parameters: [Parameter] = [], as: Value.Type = Value.self
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

    /// The tables that hold this text somewhere in some row, whatever the column.
    func tables(holding text: String) async throws -> [String] {
        var found: [String] = []
        for table in try await tables() {
            let count: Int = try await value(
                "select count(*) as value from \(table) t where strpos(t::text, $1) > 0", [.text(text)])
            if count > 0 { found.append(table) }
        }
        return found
    }

    /// How often PostgreSQL had to break a circle of waits. Ends the store: connections tell their counts when they close.
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

    /// Returns when this many connections of the store wait for a lock that somebody else holds.
    func awaitBlocked(_ wanted: Int) async throws {
        for _ in 0..<2_000 {
            let blocked: Int = try await value(
                """
                select count(*) as value from pg_stat_activity
                where datname = current_database() and application_name like 'saunter-%' and wait_event_type = 'Lock'
                """)
            if blocked >= wanted { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("nobody waited for the lock")
    }

    /// Does something while the rows of a statement stay locked, and once it waits for them does `meanwhile` in the lock's transaction.
    func holding<Value: Sendable>(
        _ lock: String, _ parameters: [Parameter] = [], blocks: Int = 1,
        act: @escaping @Sendable () async throws -> Value,
        meanwhile: (Transaction) async throws -> Void = { _ in }
    ) async throws -> Value {
        let task = try await owner.write { transaction in
            _ = try await transaction.query(Statement(name: "hold", sql: lock), parameters)
            let task = Task { try await act() }
            try await awaitBlocked(blocks)
            try await meanwhile(transaction)
            return task
        }
        return try await task.value
    }
}

extension Transaction {
    func run(_ sql: String, _ parameters: [Parameter] = []) async throws {
        _ = try await query(Statement(name: "meanwhile", sql: sql), parameters)
    }
}

extension Parameter {
    static func uuid(of text: String) -> Parameter { .uuid(UUID(uuidString: text)) }
}
