import ArgumentParser
import Foundation
import SaunterPacks

/// The program: one command of many, and how it ends.
@main
struct Saunter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "saunter",
        abstract: "Runs longitudinal questionnaire-and-walking studies from packs of YAML.",
        discussion: """
            Exit status: 0 done, 1 the work failed or found faults, 2 wrong usage.

            \(Setting.help)
            """,
        version: Version.current,
        subcommands: [
            Serve.self, Migrate.self, Check.self, Publish.self, Balance.self, Occasions.self, Simulate.self,
            AccountCommand.self,
            Remind.self, BackupCommand.self, Restore.self, Erasures.self,
            ImportQuestionnaires.self, Convert.self, ImportWalk.self, MakeCohort.self, ShowConfiguration.self,
            Doctor.self, Healthcheck.self,
        ])

    /// Runs the command that the arguments name.
    static func main() async {
        // A reader that goes away (`saunter check … | head`) ends a write with an error instead of this
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

    /// The argument parser's own status for wrong usage is 64; here it is 2, and so for settings that
    /// cannot be used.
    private static func end(with error: any Error) -> Never {
        if let fault = error as? SettingsFault {
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

/// The version of this program.
enum Version {
    static let current = "0.1.0"
}
