import ArgumentParser
import Foundation
import Logging
import SaunterCore
import SaunterStore

/// Writes everything that the database holds into one encrypted file.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write everything that the database holds into one encrypted file, and try it out.",
        discussion: """
            The server goes on meanwhile; the file holds one moment. It opens with the master key of this server and with \
            nothing else: keep a copy of that key, away from the backups. Files of exports are not in it; they can be made again.

            The new file is restored into a PostgreSQL of its own, which is thrown away, and compared; that takes as much room \
            in the folder for temporary files as the database.

            Example: saunter backup --out /backups/saunter-2026-11-21
            """)

    @Option(help: "The file to write; it must not be there yet.") var out: String
    @Flag(inversion: .prefixedNo, help: "Restore the file into a PostgreSQL of its own, and compare.")
    var check = true
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let logger = Logger.command(settings)
        try await StoreUse(settings: settings, purpose: .command, logger: logger).run { store, url, master in
            let copies = try await Backup(of: url, master: master, logger: logger).write(
                to: out, program: Version.current, now: .current(), progress: { $0.show("copied") })
            Terminal.endProgress()
            if check {
                try await Rehearsal(settings: settings, master: master, logger: logger).run(out)
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
    /// Tells whoever watches.
    func show(_ what: String) {
        Terminal.progress("\(what) \(name): \(rows) rows")
    }
}

extension [TableCopy] {
    var rowCount: Int { reduce(0) { $0 + $1.rows } }

    /// What was copied, table by table as JSON, else in a line.
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
