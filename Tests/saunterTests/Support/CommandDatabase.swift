import SaunterTesting

/// A database of its own for one test of commands, with a data directory for the keys.
struct CommandDatabase {
    let scratch: Scratch
    private let database: TestDatabase

    /// Runs the body, and drops the database whatever comes of it.
    static func with(_ body: (CommandDatabase) async throws -> Void) async throws {
        let database = CommandDatabase(scratch: try Scratch(), database: try await TestCluster.makeDatabase())
        do {
            try await body(database)
        } catch {
            try await database.database.drop()
            throw error
        }
        try await database.database.drop()
    }

    var environment: [String: String] {
        ["SAUNTER_DATABASE_URL": database.connectionString, "SAUNTER_DATA_DIR": scratch.path]
    }

    /// One command on this database.
    func saunter(_ arguments: [String], _ more: [String: String] = [:]) async throws -> CommandRun {
        try await CommandRun.saunter(arguments, environment: environment.merging(more) { $1 })
    }

    /// The same, with the study published before.
    func publish() async throws {
        let run = try await saunter(["publish", SourceTree.study])
        guard run.status == 0 else { throw TestingFault("publish failed: \(run.errors)") }
    }
}
