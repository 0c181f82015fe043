import ArgumentParser
import Console
import Foundation
import Logging
import PrivateCluster
import SaunterCore
import SaunterStore

/// Restores a backup into an empty database.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fill an empty database from a backup.",
        discussion: """
            The target is the database in SAUNTER_DATABASE_URL, which must be empty, otherwise the database of the data directory, \
            which must be new. The master key of the backup must be in the file in SAUNTER_MASTER_KEY_FILE, otherwise in the data \
            directory. The restore is atomic.

            Clients of the change feed of a study receive everything again. Changes after the backup are lost, so these clients \
            must discard their copy; devices receive the same instruction from the server. Reminders that were sent after the backup may be sent \
            again. People who were erased after the backup are in the database again until you run saunter erasures --again.

            If PostgreSQL itself restored the database to an earlier time (point-in-time recovery), run this command with \
            --recovered before a server uses the database. Then the same rules apply.

            Examples:
              saunter restore /backups/saunter-2026-11-21 --data-dir ./new
              saunter restore /backups/saunter-2026-11-21 --check-only
              saunter restore --recovered
            """)

    @Argument(help: "The file that saunter backup wrote.") var file: String?
    @Flag(help: "Restore into a temporary PostgreSQL, compare, and change nothing.")
    var checkOnly = false
    @Flag(help: "Restore nothing: PostgreSQL itself has recovered the database.")
    var recovered = false
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard (file == nil) == recovered, !(recovered && checkOnly) else {
            throw ValidationError("give the file of a backup, or only --recovered")
        }
    }

    func run() async throws {
        let settings = try options.settings()
        let logger = Logger.command(settings)
        let master = try MasterKey.load(from: settings.masterKeyPath)
        guard let file else {
            return try await DatabaseSession(settings: settings, user: .server, logger: logger).run {
                url in
                try await Backup(of: url, master: master, logger: logger).recordRecovery(now: .current())
                Terminal.line(json ? #"{"recovered":true}"# : "recorded the recovery of the database")
            }
        }
        if checkOnly {
            let copies = try await BackupVerification(
                settings: settings, master: Secret(master), logger: logger
            ).run(
                file)
            return copies.report(as: json, file: file, isChecked: true)
        }
        // Uses the data directory as a server does, so that no other process can use it meanwhile.
        let (contents, copies) = try await DatabaseSession(
            settings: settings, user: .server, logger: logger
        )
        .run {
            url in
            try await Backup(of: url, master: master, logger: logger).restore(
                from: file, for: .service, now: .current(), progress: { $0.show("restored") })
        }
        Terminal.endProgress()
        // COPY has counted the rows, and the digest of each table was compared during the restore.
        copies.report(as: json, file: file, isChecked: true)
        Terminal.note(
            "People erased after \(contents.madeAt) are in the database again: run saunter erasures --again LIST."
        )
    }
}
