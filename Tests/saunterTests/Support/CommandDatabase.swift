import SaunterTesting

/// A separate database for one test of commands, with a data directory for the keys.
struct CommandDatabase {
    let folder: TestFolder
    private let database: TestDatabase

    /// Runs the body, and drops the database, also after an error.
    static func with(_ body: (CommandDatabase) async throws -> Void) async throws {
        let database = CommandDatabase(
            folder: try TestFolder(), database: try await TestCluster.makeDatabase())
        do {
            try await body(database)
        } catch {
            try await database.database.drop()
            throw error
        }
        try await database.database.drop()
    }

    var environment: [String: String] {
        ["SAUNTER_DATABASE_URL": database.connectionString, "SAUNTER_DATA_DIR": folder.path]
    }

    /// Runs one command with this database.
    func saunter(_ arguments: [String], _ more: [String: String] = [:]) async throws -> CommandRun {
        try await CommandRun.saunter(arguments, environment: environment.merging(more) { $1 })
    }

    /// Publishes the study `mindful-walking`.
    func publish() async throws {
        let run = try await saunter(["publish", SourceTree.study])
        guard run.status == 0 else { throw TestingFault("publish failed: \(run.errors)") }
    }
}
