import ArgumentParser
import Console
import Foundation
import SaunterCore
import SaunterEvaluation
import SaunterStore

/// Scores stored sheets, or a table.
struct ScoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "score",
        abstract: "Score stored sheets, or score a table of answers without a database.",
        discussion: """
            With --study the command scores stored sheets by the scoring key of their version, or by the key of a later version with \
            the same items. It adds missing scores and keeps existing scores. --report shows what the last rescoring changed.

            With --input the command scores a table. A column with the name of an item contains its values. If several options can be \
            chosen, a column item__code contains 1 or 0 for each option. If a quantity has several units, item__unit contains the \
            unit. (The wide files of a dataset have the same form.) A column with the name of a covariate of the scoring key contains \
            the covariate of the participant. All other columns are copied. For each scale the output has the columns score_, \
            reason_ and band_, and also exclusion_ and se_ if the key defines them. The command reports each invalid cell with its \
            line, column and value, and omits its row. All other rows are written, also to the file of --output, and the exit \
            status is 1. If the header is invalid, nothing is written.

            Examples:
              evaluator score --study mindful-walking
              evaluator score --study mindful-walking --report
              evaluator score --questionnaire Questionnaires/instruments/pss_10/1.0.0 --input sheets.csv --output scores.csv
            """)

    @Option(help: "Score the stored sheets of this study.") var study: String?
    @Flag(help: "Only show what the last rescoring of the study changed.") var report = false
    @Option(help: "The folder of one version of an instrument; its scoring key scores the table.")
    var questionnaire: String?
    @Option(help: "The table of answers, a CSV file with a header; - reads standard input.")
    var input: String?
    @Option(help: "The file for the scores. Default: standard output.") var output: String?
    @Option(
        name: .customLong("blank"), parsing: .unconditionalSingleValue,
        help: "A text that marks a blank, such as NA, in addition to an empty cell; repeatable.")
    var blanks: [String] = []
    @OptionGroup var options: DatabaseOptions
    @Flag(help: "Print the report as JSON; on standard error if the scores are written to standard output.")
    var json = false

    func validate() throws {
        if study != nil, questionnaire != nil || input != nil || output != nil {
            throw ValidationError(
                "--study scores stored sheets; it cannot be combined with --questionnaire, --input or --output"
            )
        }
        if report, study == nil { throw ValidationError("--report needs --study") }
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
                try await StudyRescoring(pool: pool).run(study: study) {
                    Terminal.progress("\($0) sheets scored")
                }
            }
            Terminal.endProgress()
            for line in report.damaged { Terminal.note(line) }
            Terminal.line(
                json
                    ? report.json.text
                    : "\(report.sheets) sheets, \(report.scored) of them had missing scores, \(report.rows) rows added"
            )
            guard report.damaged.isEmpty else { throw ExitCode.failure }
        } catch let fault as DatasetFault where fault.isWrongUsage {
            throw UsageFault(fault.description)
        }
    }

    private func showReport(_ study: String) async throws {
        let last = try await options.withPool(role: "saunter_research") { pool in
            try await StudyRescoring(pool: pool).lastReport(study: study)
        }
        guard let last else { throw CommandFault("\(study) has no rescoring") }
        if json {
            Terminal.line(last.rescoring.json(last.scales).text)
        } else {
            for line in RescoringText(rescoring: last.rescoring, scales: last.scales).lines {
                Terminal.line(line)
            }
        }
    }

    private func scoreTable(_ path: String, _ input: String) throws {
        let questionnaire = try ScoredInstrument.read(at: path)
        let table = try TableInput(input)
        let scores = try TableOutput(output)
        let scoring = TableScoring(questionnaire, blanks: Set(blanks))
        let report = try scores.write { write in
            try scoring.run(CSVReader { try table.next() }, write: write)
        }
        for fault in report.faults { Terminal.note(fault.description) }
        if report.faultCount > report.faults.count {
            Terminal.note("and \(report.faultCount - report.faults.count) more faults")
        }
        let summary = json ? report.json.text : Self.summary(report)
        output == nil || output == "-" ? Terminal.note(summary) : Terminal.line(summary)
        guard report.faultCount == 0 else { throw ExitCode.failure }
    }

    private static func summary(_ report: TableScoring.Report) -> String {
        let cleared =
            report.clearedCount == 0
            ? "" : ", ignored \(report.clearedCount) answers to items that were not shown"
        let omitted = report.omittedRows == 0 ? "" : " in \(report.omittedRows) omitted rows"
        return "\(report.rows) rows scored, \(report.faultCount) faults\(omitted)\(cleared)"
    }
}
