import ArgumentParser
import Foundation
import SaunterCore
import SaunterEvaluation
import SaunterPacks
import SaunterStore

/// Scores what is stored, or a table.
struct ScoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "score",
        abstract: "Score stored sheets, or a table of answers without any database.",
        discussion: """
            Stored sheets are scored by the key of the version that each was answered under, or of a later version of the same form; scores that \
            are there stay, missing ones are added. --report shows what the last re-scoring changed.

            In a table each column named like an item holds its values, item__code holds 1 or 0 where several options may be chosen, item__unit the \
            unit of a quantity that has several (as in the wide files of a dataset), a column named like a covariate of the key says what is known of the person, and every other column is \
            carried through. The output adds score_, reason_ and band_ columns per scale, exclusion_ and se_ where the key has them. \
            A cell at fault is named with its line and column, and its row is left out.

            Examples:
              evaluator score --study mindful-walking
              evaluator score --study mindful-walking --report
              evaluator score --questionnaire Questionnaires/instruments/pss_10/1.0.0 --input sheets.csv --output scores.csv
            """)

    @Option(help: "Score the stored sheets of this study.") var study: String?
    @Flag(help: "Show what the last re-scoring of the study changed, and score nothing.") var report = false
    @Option(help: "Folder of one version of an instrument, whose key scores the table.") var questionnaire:
        String?
    @Option(help: "The table of answers, CSV with a header; - is standard input.") var input: String?
    @Option(help: "Where the scores go. Default: standard output.") var output: String?
    @Option(
        name: .customLong("blank"),
        help: "A cell that means a blank besides the empty one, such as NA; may be repeated.")
    var blanks: [String] = []
    @OptionGroup var options: DatabaseOptions
    @Flag(help: "Print the report as JSON (on standard error where scores go to standard output).") var json =
        false

    func validate() throws {
        if study != nil, questionnaire != nil || input != nil || output != nil {
            throw ValidationError(
                "--study scores stored sheets; it goes with none of --questionnaire, --input and --output")
        }
        if report, study == nil { throw ValidationError("--report goes with --study") }
        if study == nil, questionnaire == nil || input == nil {
            throw ValidationError("give --study, or --questionnaire with --input")
        }
    }

    func run() async throws {
        if let study, report {
            try await showReport(study)
        } else if let study {
            try await scoreStored(study)
        } else if let questionnaire, let input {
            try scoreTable(questionnaire, input)
        }
    }

    private func scoreStored(_ study: String) async throws {
        do {
            let report = try await options.withPool(role: "saunter_research") { pool in
                try await StoredScoring(pool: pool).run(study: study) {
                    Terminal.progress("\($0) sheets scored")
                }
            }
            Terminal.endProgress()
            for line in report.damaged { Terminal.note(line) }
            Terminal.line(
                json
                    ? report.json.text
                    : "\(report.sheets) sheets, \(report.scored) of them lacked scores, \(report.rows) rows added"
            )
            guard report.damaged.isEmpty else { throw ExitCode.failure }
        } catch let fault as DatasetFault where fault.isWrongUsage {
            throw UsageFault(fault.description)
        }
    }

    private func showReport(_ study: String) async throws {
        let last = try await options.withPool(role: "saunter_research") { pool in
            try await StoredScoring(pool: pool).lastReport(study: study)
        }
        guard let last else { throw UsageFault("nothing of \(study) was ever scored again") }
        if json {
            Terminal.line(last.rescoring.json(last.scales).text)
        } else {
            for line in RescoringText(rescoring: last.rescoring, scales: last.scales).lines {
                Terminal.line(line)
            }
        }
    }

    private func scoreTable(_ path: String, _ input: String) throws {
        guard let place = PackPlace(directory: path), case .instrument(let code, let version) = place.kind
        else {
            throw UsageFault(
                "\(path) is not the folder of one version of an instrument (…/instruments/<code>/<version>)")
        }
        let pack = try InstrumentPack.read(PackFiles.load(directory: path), code: code, version: version)
        guard pack.questionnaire.scoring != nil else {
            throw UsageFault("\(code) \(version) has no scoring key")
        }
        let source = try Source(input)
        let target = try Target(output)
        let scoring = TableScoring(pack.questionnaire, blanks: Set(blanks))
        let report = try target.finish { write in
            try scoring.run(CSVReader { try source.next() }, write: write)
        } isWhole: {
            $0.faultCount == 0
        }
        for fault in report.faults { Terminal.note(fault.description) }
        if report.faultCount > report.faults.count {
            Terminal.note("and \(report.faultCount - report.faults.count) faults more")
        }
        let summary = json ? report.json.text : Self.summary(report)
        output == nil || output == "-" ? Terminal.note(summary) : Terminal.line(summary)
        guard report.faultCount == 0 else { throw ExitCode.failure }
    }

    private static func summary(_ report: TableScoring.Report) -> String {
        let cleared =
            report.clearedCount == 0
            ? "" : ", \(report.clearedCount) answers to items that were not shown passed over"
        return "\(report.rows) rows scored, \(report.faultCount) faults\(cleared)"
    }
}
