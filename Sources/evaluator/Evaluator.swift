import ArgumentParser
import Foundation
import SaunterPacks

/// The program: batch scoring, datasets and reports.
@main
struct Evaluator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluator",
        abstract: "Scores answer sheets, makes datasets and reports.",
        discussion: """
            Exit status: 0 done, 1 the work failed or found faults, 2 wrong usage.

            The database is the one of --database, else of SAUNTER_DATABASE_URL (or the file SAUNTER_DATABASE_URL_FILE), else the private \
            one under SAUNTER_DATA_DIR (default ./.saunter), whether its server runs or not.
            """,
        version: "0.1.0",
        subcommands: [Export.self, ScoreCommand.self, ReportCommand.self])

    /// Runs the command that the arguments name.
    static func main() async {
        // A reader that goes away (`evaluator score … | head`) ends a write with an error instead of this
        // process.
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

    /// The argument parser's own status for wrong usage is 64; here it is 2.
    private static func end(with error: any Error) -> Never {
        if let fault = error as? UsageFault {
            Terminal.error(fault.description)
            Foundation.exit(2)
        }
        switch exitCode(for: error) {
        case .validationFailure:
            Terminal.note(fullMessage(for: error))
            Foundation.exit(2)
        case .failure where !(error is ExitCode):
            Terminal.error(FileRefusal.text(error) ?? "\(error)")
            Foundation.exit(1)
        default:
            exit(withError: error)
        }
    }
}

/// The caller asked for something that cannot be: exit status 2.
struct UsageFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
