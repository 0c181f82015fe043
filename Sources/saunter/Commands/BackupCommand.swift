import ArgumentParser
import Console
import Foundation
import Logging
import PrivateCluster
import SaunterCore
import SaunterStore

/// Writes the complete database into one encrypted file, and checks the file.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write the complete database into one encrypted file, and check the file.",
        discussion: """
            The server can run meanwhile; the file is one snapshot. Only the master key of this server can decrypt it: keep a \
            copy of that key, separate from the backups. Export files are not part of the backup; create them again.

            The command restores the new file into a temporary PostgreSQL and compares it. This needs as much space in the \
            folder for temporary files as the database.

            Example: saunter backup --out /backups/saunter-2026-11-21
            """)

    @Option(help: "The file to write; it must not exist.") var out: String
    @Flag(inversion: .prefixedNo, help: "Restore the file into a temporary PostgreSQL, and compare.")
    var check = true
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let logger = Logger.command(settings)
        try await StoreSession(settings: settings, user: .command, logger: logger).run {
            store, url, master in
            let copies = try await Backup(of: url, master: master, logger: logger).write(
                to: out, program: Version.current, now: .current(), progress: { $0.show("copied") })
            Terminal.endProgress()
            if check {
                try await BackupVerification(settings: settings, master: Secret(master), logger: logger).run(
                    out)
            }
            try await store.record(
                AuditEntry(
                    actor: .system, action: "backed_up",
                    detail: ["rows": .int(copies.rowCount), "checked": .bool(check)]), at: .current())
            copies.report(as: json, file: out, isChecked: check)
        }
    }
}

extension TableCopy {
    /// Shows the progress of this table.
    func show(_ what: String) {
        Terminal.progress("\(what) \(name): \(rows) rows")
    }
}

extension [TableCopy] {
    var rowCount: Int { reduce(0) { $0 + $1.rows } }

    /// Prints every table as JSON, or one line with the totals.
    func report(as json: Bool, file: String, isChecked: Bool) {
        if json {
            let tables = map { copy -> JSON in
                ["name": .string(copy.name), "rows": .int(copy.rows), "sha256": .string(copy.sha256)]
            }
            Terminal.line(
                JSON.object([
                    "file": .string(file), "rows": .int(rowCount), "checked": .bool(isChecked),
                    "tables": .array(tables),
                ]).text)
        } else {
            Terminal.line(
                "\(file): \(rowCount) rows of \(count) tables\(isChecked ? ", restored and compared" : ", not checked")"
            )
        }
    }
}
