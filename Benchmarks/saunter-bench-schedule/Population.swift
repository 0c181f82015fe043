import Foundation
import Logging
import Postgres
import SaunterTesting

/// A database with a growing number of enrolments, filled by one statement for each table.
struct Population {
    /// A file of statements, and which of them fill the tables.
    struct Filling {
        /// The name of the file in this folder.
        let file: String
        /// Statements without parameters, which run first.
        var preparation: [String] = []
        /// Statements whose parameters are the numbers of the first and of the last new enrolment.
        let tables: [String]

        static let reminders = Filling(
            file: "population.sql", preparation: ["study", "version"],
            tables: ["enrolments", "occasions", "reminders"])
        static let rules = Filling(
            file: "rules.sql",
            tables: [
                "enrolments", "zones", "versions", "occasions", "sheets", "messages", "reminders",
                "decisions",
                "selections",
            ])
    }

    private let owner: Pool
    private let filling: Filling
    private let statements: [String: Statement]
    private var enrolled = 0

    init(_ url: ConnectionString, _ filling: Filling = .reminders, logger: Logger) throws {
        owner = Pool(connectionString: url, size: 1, name: "owner", statementTimeout: nil, logger: logger)
        self.filling = filling
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: filling.file)
        var statements: [String: Statement] = [:]
        for part in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "-- name: ")
            .dropFirst()
        {
            guard let end = part.firstIndex(of: "\n") else { continue }
            let name = String(part[..<end])
            statements[name] = Statement(name: name, sql: String(part[end...]))
        }
        self.statements = statements
    }

    /// Adds enrolments until there are `size`, without triggers and foreign keys, which would slow this down.
    mutating func grow(to size: Int) async throws {
        let span: Arguments = [.int4(Int32(clamping: enrolled + 1)), .int4(Int32(clamping: size))]
        try await runWithoutTriggers(filling.preparation.map { ($0, []) } + filling.tables.map { ($0, span) })
        enrolled = size
        try await settle()
    }

    /// Makes `count` enrolments due, which were not due before.
    func makeBusy(_ count: Int) async throws {
        try await runWithoutTriggers([("busy", [.int4(Int32(clamping: count))])])
        try await settle()
    }

    private func runWithoutTriggers(_ names: [(String, Arguments)]) async throws {
        let calls = try names.map { (try statement($0.0), $0.1) }
        try await owner.write { connection in
            try await connection.execute(
                script: "set session_replication_role = replica; set work_mem = '256MB'")
            for (statement, parameters) in calls { _ = try await connection.query(statement, parameters) }
            try await connection.execute(script: "set session_replication_role = origin")
        }
    }

    /// Vacuums and writes a checkpoint, so that PostgreSQL does not do it during a measurement.
    private func settle() async throws {
        _ = try await query("vacuum")
        _ = try await query("checkpoint")
    }

    /// The rows of a statement of the file.
    func query(_ name: String) async throws -> Rows { try await owner.query(try statement(name), []) }

    private func statement(_ name: String) throws -> Statement {
        guard let statement = statements[name] else {
            throw TestingFault("\(filling.file) has no statement \(name)")
        }
        return statement
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

    /// Executes a statement with the generic plan that PostgreSQL keeps for a prepared statement, and returns the lines
    /// of the plan with the pages that were read.
    /// - Parameter arguments: SQL literals.
    func plan(of statement: Statement, _ arguments: [String]) async throws -> [String] {
        try await owner.write { connection in
            let types = statement.parameters.map(\.type).joined(separator: ", ")
            try await connection.execute(
                script: """
                    set local plan_cache_mode = force_generic_plan;
                    prepare explained (\(types)) as \(statement.sql)
                    """)
            let explain = Statement(
                name: "explain",
                sql: "explain (analyze, buffers, costs off, timing off, summary off) execute explained ("
                    + arguments.joined(separator: ", ") + ")")
            let lines = try await connection.query(explain, []).map {
                try $0.get("QUERY PLAN", as: String.self)
            }
            try await connection.execute(script: "deallocate explained")
            return lines
        }
    }

    func close() async { await owner.close() }
}
