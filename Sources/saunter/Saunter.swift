import ArgumentParser
import Console
import Foundation
import SaunterPacks

/// The program `saunter`: runs one subcommand and sets the exit status.
@main
struct Saunter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "saunter",
        abstract: "Runs longitudinal questionnaire-and-walking studies from packs of YAML.",
        discussion: """
            Exit status: 0 success, 1 the command failed or found faults, 2 wrong usage: the command line or a setting is invalid.

            \(Setting.help)
            """,
        version: Version.current,
        subcommands: [
            Serve.self, Migrate.self, Check.self, Publish.self, Balance.self, Occasions.self, Variables.self,
            Rules.self,
            Simulate.self, FormVectors.self,
            NewStudy.self, PrintQuestionnaire.self, CreateEnrolmentCodes.self, AccountCommand.self,
            StudyCommand.self, Audit.self,
            Remind.self, BackupCommand.self, Restore.self, Erasures.self,
            ImportQuestionnaires.self, Convert.self, ImportWalk.self, CreateCohort.self,
            ShowConfiguration.self,
            Doctor.self, Healthcheck.self,
        ])

    /// Runs the command that the arguments name.
    static func main() async {
        // If the reader closes the pipe (`saunter check … | head`), the write fails instead of ending this process.
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

    /// Ends the process. The status is 2 for wrong usage and for invalid settings; ArgumentParser's default is 64.
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
            Terminal.error(FileErrorMessage.text(error) ?? "\(error)")
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
