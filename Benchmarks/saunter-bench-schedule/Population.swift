import Foundation
import Logging
import Postgres

/// A database with a growing number of enrolments, filled by one statement for each table.
struct Population {
    private let owner: Pool
    private var statements: [String: Statement] = [:]
    private var enrolled = 0

    init(_ url: ConnectionString, logger: Logger) throws {
        owner = Pool(connectionString: url, size: 1, name: "owner", statementTimeout: nil, logger: logger)
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "population.sql")
        for part in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "-- name: ")
            .dropFirst()
        {
            guard let end = part.firstIndex(of: "\n") else { continue }
            let name = String(part[..<end])
            statements[name] = Statement(name: name, sql: String(part[end...]))
        }
    }

    /// Adds enrolments until there are `size`, without triggers and foreign keys, which would slow this down.
    mutating func grow(to size: Int) async throws {
        let span: Arguments = [.int4(Int32(clamping: enrolled + 1)), .int4(Int32(clamping: size))]
        let filling: [(String, Arguments)] =
            [("study", []), ("version", [])] + ["enrolments", "occasions", "reminders"].map { ($0, span) }
        let calls = filling.compactMap { name, parameters in statements[name].map { ($0, parameters) } }
        try await owner.write { connection in
            try await connection.execute(
                script: "set session_replication_role = replica; set work_mem = '256MB'")
            for (statement, parameters) in calls { _ = try await connection.query(statement, parameters) }
            try await connection.execute(script: "set session_replication_role = origin")
        }
        enrolled = size
        try await settle()
    }

    /// Makes `count` enrolments due: their plans run out, and their reminder time is reached.
    func makeBusy(_ count: Int) async throws {
        try await run("busy", [.int4(Int32(clamping: count))])
        try await settle()
    }

    /// Vacuums and writes a checkpoint, so that PostgreSQL does not do it during a measurement.
    private func settle() async throws {
        try await run("vacuum")
        try await run("checkpoint")
    }

    private func run(_ name: String, _ parameters: Arguments = []) async throws {
        guard let statement = statements[name] else { return }
        _ = try await owner.query(statement, parameters)
    }

    /// Runs the body while another transaction holds an old snapshot, like a large export.
    func withOldSnapshot<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await owner.read(isolation: .repeatableRead) { connection in
            try await connection.execute(script: "select count(*) from research.study")
            return try await body()
        }
    }

    func close() async { await owner.close() }
}
