import ArgumentParser
import Console
import Foundation
import SaunterPacks

/// The program `evaluator`: batch scoring, datasets and reports.
@main
struct Evaluator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluator",
        abstract: "Scores answer sheets, exports datasets and creates reports.",
        discussion: """
            Exit status: 0 success, 1 the command failed or found faults, 2 wrong usage: the command line or a setting is invalid.

            The command uses the database in --database. Without this option it uses the database in SAUNTER_DATABASE_URL or in the \
            file SAUNTER_DATABASE_URL_FILE. If none of them is set, it uses the private database in SAUNTER_DATA_DIR (default \
            ./.saunter), whether or not a server runs.
            """,
        version: "0.1.0",
        subcommands: [Export.self, ScoreCommand.self, ReportCommand.self])

    /// Runs the command that the arguments name.
    static func main() async {
        // If the reader closes the pipe (`evaluator score … | head`), the write fails instead of ending this process.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// Ends the process. The status is 2 for wrong usage; ArgumentParser's default is 64.
    private static func end(with error: any Error) -> Never {
        Terminal.endProgress()
        if let fault = error as? UsageFault {
            Terminal.error(fault.description)
            Foundation.exit(2)
        }
        switch exitCode(for: error) {
        case .validationFailure:
            Terminal.note(fullMessage(for: error))
            Foundation.exit(2)
        case .failure where !(error is ExitCode):
            Terminal.error(FileErrorMessage.text(error) ?? "\(error)")
            Foundation.exit(1)
        default:
            exit(withError: error)
        }
    }
}

/// The command line or a setting is invalid in itself: exit status 2. Faults that depend on files or on the database
/// are `CommandFault`.
struct UsageFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
