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
            should begin their copy anew, and devices are told to. Reminders that went out after the backup may go out again. \
            Whoever was erased after it is there again until saunter erasures --again erases them once more.

            A database of your own that PostgreSQL itself brought back to a moment, by its archived log, is told so by --recovered \
            before a server uses it: then all of this holds there too.

            Examples:
              saunter restore /backups/saunter-2026-11-21 --data-dir ./new
              saunter restore /backups/saunter-2026-11-21 --check-only
              saunter restore --recovered
            """)

    @Argument(help: "The file that saunter backup wrote.") var file: String?
    @Flag(help: "Restore it into a PostgreSQL that is thrown away, compare, and change nothing.")
    var checkOnly = false
    @Flag(help: "Fill nothing: the database was brought back by PostgreSQL itself.")
    var recovered = false
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard (file == nil) == recovered, !(recovered && checkOnly) else {
            throw ValidationError("Name a backup's file, or say --recovered alone.")
        }
    }

    func run() async throws {
        let settings = try options.settings()
        let logger = Logger.command(settings)
        let master = try MasterKey.load(from: settings.masterKeyPath)
        guard let file else {
            return try await DatabaseUse(settings: settings, purpose: .server, logger: logger).run { url in
                try await Backup(of: url, master: master, logger: logger).noteRecovery(now: .current())
            }
        }
        if checkOnly {
            let copies = try await Rehearsal(settings: settings, master: master, logger: logger).run(file)
            return copies.report(as: json, file: file, isChecked: true)
        }
        // As a server: nobody else may use the data directory meanwhile.
        let (contents, copies) = try await DatabaseUse(settings: settings, purpose: .server, logger: logger)
            .run {
                url in
                try await Backup(of: url, master: master, logger: logger).restore(
                    from: file, for: .service, now: .current(), progress: { $0.show("restored") })
            }
        Terminal.endProgress()
        // COPY has counted the rows, and each table's digest was compared on its way in.
        copies.report(as: json, file: file, isChecked: true)
        Terminal.note(
            "Whoever was erased after \(contents.madeAt) is there again: saunter erasures --again LIST erases them once more."
        )
    }
}
