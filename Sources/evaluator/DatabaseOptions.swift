import ArgumentParser
import Foundation
import Logging
import Postgres
import PrivateCluster
import SaunterStore

/// Opens the database of a command.
struct DatabaseOptions: ParsableArguments {
    @Option(help: "The database, as a libpq URI or key=value string. Default: SAUNTER_DATABASE_URL.")
    var database: String?

    /// Runs the body with a pool of a role, and closes it afterwards.
    func withPool<Result>(role: String, _ body: (Pool) async throws -> Result) async throws -> Result {
        try await withConnection { connection, logger in
            try await Self.use(connection, role, logger, body)
        }
    }

    /// The same with two roles, for work that needs permissions of both.
    func withPools<Result>(
        _ first: String, _ second: String, _ body: (Pool, Pool) async throws -> Result
    ) async throws -> Result {
        try await withConnection { connection, logger in
            try await Self.use(connection, first, logger) { one in
                try await Self.use(connection, second, logger) { try await body(one, $0) }
            }
        }
    }

    private func withConnection<Result>(
        _ body: (ConnectionString, Logger) async throws -> Result
    ) async throws -> Result {
        var logger = Logger(label: "evaluator") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        if let text = try configuredURL() { return try await body(try connection(text), logger) }
        let environment = ProcessInfo.processInfo.environment
        let directory = environment["SAUNTER_DATA_DIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "./.saunter"
        // Without this check, `PrivateCluster` would create an empty database, which is useless for an evaluation.
        guard FileManager.default.fileExists(atPath: directory) else {
            throw UsageFault(
                "there is no data directory \(directory): set SAUNTER_DATABASE_URL or SAUNTER_DATA_DIR, or use --database"
            )
        }
        return try await PrivateCluster(directory: directory, logger: logger).run(as: .command) {
            try await body(try connection($0), logger)
        }
    }

    /// The database in the option or the environment; nil if neither is set.
    private func configuredURL() throws -> String? {
        if let database { return database }
        let environment = ProcessInfo.processInfo.environment
        let variable = "SAUNTER_DATABASE_URL"
        do throws(SecretFileFault) {
            if let url = try SecretFile.read(for: variable, in: environment) { return url }
        } catch {
            throw UsageFault(error.description)
        }
        return environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func connection(_ text: String) throws -> ConnectionString {
        do {
            return try ConnectionString(text)
        } catch {
            throw UsageFault("\(error)")
        }
    }

    private static func use<Result>(
        _ connection: ConnectionString, _ role: String, _ logger: Logger,
        _ body: (Pool) async throws -> Result
    ) async throws -> Result {
        let pool = Pool(
            connectionString: connection, size: 2, role: role, name: "evaluator",
            applicationName: "saunter-evaluator",
            statementTimeout: nil, logger: logger)
        do {
            let result = try await body(pool)
            await pool.close()
            return result
        } catch {
            await pool.close(grace: .zero)
            throw error
        }
    }
}
