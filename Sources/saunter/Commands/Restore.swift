import ArgumentParser
import Foundation
import Logging
import SaunterCore
import SaunterStore

/// Puts a backup back into an empty database.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fill an empty database from a backup.",
        discussion: """
            The database is that of the data directory, which must be new, or the one that SAUNTER_DATABASE_URL names, which must \
            hold nothing. The master key under which the backup was made must be in its place: the data directory's own, or \
            the file that SAUNTER_MASTER_KEY_FILE names. Either all of the backup is there afterwards, or nothing.

            Whoever follows the changes of a study gets everything once more; what came after the backup is lost, so they \
            should begin their copy anew. Reminders that went out after the backup may go out again.

            Examples:
              saunter restore /backups/saunter-2026-11-21 --data-dir ./new
              saunter restore /backups/saunter-2026-11-21 --check-only
            """)

    @Argument(help: "The file that saunter backup wrote.") var file: String
    @Flag(help: "Restore it into a PostgreSQL that is thrown away, compare, and change nothing.")
    var checkOnly = false
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let logger = Logger.command(settings)
        let master = try MasterKey.load(from: settings.masterKeyPath)
        if checkOnly {
            let copies = try await Rehearsal(settings: settings, master: master, logger: logger).run(file)
            return copies.report(as: json, file: file, isChecked: true)
        }
        // As a server: nobody else may use the data directory meanwhile.
        let copies = try await DatabaseUse(settings: settings, purpose: .server, logger: logger).run { url in
            try await Backup(of: url, master: master, logger: logger).restore(
                from: file, for: .service, now: .current(), progress: { $0.show("restored") }
            ).copies
        }
        Terminal.endProgress()
        // COPY has counted the rows, and each table's digest was compared on its way in.
        copies.report(as: json, file: file, isChecked: true)
    }
}
