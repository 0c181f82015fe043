import ArgumentParser
import Foundation
import Logging
import SaunterCore
import SaunterStore

/// Brings the database's tables up to date.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database up to date.",
        discussion: """
            Every start does this by itself; several servers that start at once take turns. Migrations go forward only.

            Example: SAUNTER_DATABASE_URL=postgresql://saunter@db/saunter saunter migrate
            """)

    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let logger = Logger.command(settings)
        let applied = try await DatabaseUse(settings: settings, purpose: .command, logger: logger).run {
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
