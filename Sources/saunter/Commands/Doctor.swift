import ArgumentParser
import Console
import Foundation
import SaunterCore
import SaunterStore

/// Checks everything that a server needs.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check everything that a server needs, and report what is missing.",
        discussion: "Changes nothing.\n\nExample: saunter doctor --json")

    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let findings = await ServerDiagnosis(settings: settings).findings()
        if json {
            let items = findings.map { finding -> JSON in
                [
                    "check": .string(finding.check), "state": .string(finding.state.rawValue),
                    "detail": .string(finding.detail),
                ]
            }
            Terminal.line(JSON.object(["items": .array(items)]).text)
        } else {
            var table = TextTable(["check", "state", "detail"])
            for finding in findings { table.append([finding.check, finding.state.rawValue, finding.detail]) }
            for line in table.lines { Terminal.line(line) }
        }
        guard !findings.contains(where: { $0.state == .fault }) else { throw ExitCode.failure }
    }
}
