import ArgumentParser
import Console
import Foundation
import Logging
import PrivateCluster
import SaunterCore
import SaunterStore

/// Applies the database migrations.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Apply the database migrations.",
        discussion: """
            Every server does this when it starts; a lock prevents several servers from migrating at the same time. There are no down migrations.

            Example: SAUNTER_DATABASE_URL=postgresql://saunter@db/saunter saunter migrate
            """)

    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let logger = Logger.command(settings)
        let applied = try await DatabaseSession(settings: settings, user: .command, logger: logger).run {
            url in
            try await Migrations.apply(to: url, logger: logger)
        }
        if json {
            Terminal.line(JSON.object(["applied": .array(applied.map(JSON.string))]).text)
        } else {
            for name in applied { Terminal.line("applied \(name)") }
            if applied.isEmpty { Terminal.line("the database is up to date") }
        }
    }
}
