import ArgumentParser
import Console
import SaunterCore
import SaunterPacks

/// Checks packs on disk.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check packs: every fault with its file and line.",
        discussion: """
            Reads instruments and studies, and runs the worked cases of every scoring key. Needs no database.

            Example: saunter check Questionnaires
            """)

    @Argument(help: "Folders of packs, files in packs, or folders to search for packs.")
    var paths: [String]
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        let report = PackCheck.run(paths: paths)
        if json {
            Terminal.line(report.json.text)
        } else {
            for fault in report.faults { Terminal.line(fault.description) }
            for hint in report.hints { Terminal.line(hint.hintLine) }
            for line in report.lines { Terminal.line(line) }
            Terminal.line(report.summary)
        }
        guard report.faults.isEmpty else { throw ExitCode.failure }
    }
}

extension PackReport {
    /// The report as JSON.
    fileprivate var json: JSON {
        [
            "studies": .int(studyCount), "instruments": .int(instrumentCount),
            "worked_cases": .int(vectorCount),
            "burden": .array(burden.map { .string($0.text) }),
            "libraries": .array(libraries.map { .string($0.text) }),
            "faults": .array(faults.map(\.json)), "hints": .array(hints.map(\.json)),
        ]
    }
}

extension PackFault {
    /// The line for a hint, which is not a fault.
    var hintLine: String { "\(file):\(line): hint: \(message)" }
}
