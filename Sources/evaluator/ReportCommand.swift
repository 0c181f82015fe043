import ArgumentParser
import Console
import Foundation
import SaunterCore
import SaunterEvaluation

/// Reports reliability, item statistics, sheets and the scores over time.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report reliability, item statistics and scores over time.",
        discussion: """
            Writes these files into a new folder: report.csv (one row for each statistic), report_sheets.csv (one row for each sheet), \
            report.json and report.html. The page report.html can be printed and needs no internet connection.

            A table has the same form as for `evaluator score`: a column with the name of an item contains its values. The columns \
            participant_id, arm, study_day, seconds (or started_at and submitted_at) and sheet_id are optional; the report uses \
            them if they exist.

            If there are two or more arms, the report also shows the scores of each arm: distribution, mean by week and descriptive \
            statistics. A sheet without an arm belongs to none of them. A report of a study also shows the participant flow: enrolled, \
            allocated, stopped, excluded, erased and analysed participants.

            With --blinded, the letters A, B, … replace the codes of arms. The arms get their letters in the order of a digest of \
            the study and the code, so the letters do not reveal the alphabetical order of the codes. They are the same in each \
            report of the study until it gets another arm. For a study, the key of the digest is derived from the server's master \
            key, so the letters cannot be computed from the codes. For a table, the code of the instrument is the key, and the \
            table itself shows the arms. A blinded report can still reveal an arm by what differs between arms: their sizes, or a \
            questionnaire that only one arm answers.

            The sheets of one participant are sorted by submitted_at, then by study_day, then by started_at. The order of the rows \
            has no effect on the statistics. The command writes no report if the order of two sheets of a participant is \
            ambiguous: they are equal in all these columns, or a column that must sort them is blank in only one of them. A column \
            that is blank in both sheets is skipped. A table without participant_id, or with one sheet per participant, needs no \
            order.

            Examples:
              evaluator report --study mindful-walking --out report
              evaluator report --study mindful-walking --out november --from 2026-11-01 --arm experimental --questionnaire pss_10
              evaluator report --study mindful-walking --out blinded --blinded
              evaluator report --questionnaire Questionnaires/instruments/pss_10/1.0.0 --input sheets.csv --out report
            """)

    @Option(help: "The study in the database.") var study: String?
    @Option(
        name: .customLong("questionnaire"),
        help: ArgumentHelp(
            "With --study: the code of a questionnaire to report; repeatable. With --input: the folder of one version of an instrument; its scoring key scores the table."
        ))
    var questionnaires: [String] = []
    @Option(help: "The table of answers, a CSV file with a header; - reads standard input.")
    var input: String?
    @Option(help: "The new folder.") var out: String
    @Option(
        name: .customLong("blank"), parsing: .unconditionalSingleValue,
        help: "A text that marks a blank, such as NA, in addition to an empty cell; repeatable.")
    var blanks: [String] = []
    @Flag(help: "Replace the codes of arms by letters.") var blinded = false
    @OptionGroup var filter: FilterOptions
    @OptionGroup var masterKey: MasterKeyOption
    @OptionGroup var options: DatabaseOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        if study != nil, input != nil || !blanks.isEmpty {
            throw ValidationError(
                "--study reports stored sheets; it cannot be combined with --input or --blank")
        }
        if study == nil, questionnaires.count != 1 || input == nil {
            throw ValidationError("give --study, or one --questionnaire with --input")
        }
        if study == nil, !filter.isEmpty {
            throw ValidationError("--from, --to and --arm need --study")
        }
        if blinded, !filter.arms.isEmpty {
            throw ValidationError(
                "--blinded cannot be combined with --arm, because the report names its arms")
        }
    }

    func run() async throws {
        do {
            let report: StudyReport
            if let study {
                let blindingSecret = blinded ? try masterKey.releaseSecret()(study) : nil
                report = try await options.withPool(role: "saunter_export") { pool in
                    let reader = StudyReportReader(pool: pool)
                    let report = try await reader.report(
                        study: study, filters: filter.filters(questionnaires: questionnaires),
                        blindingSecret: blindingSecret
                    ) { Terminal.progress($0) }
                    try report.write(to: out)
                    try await reader.record(report)
                    return report
                }
                Terminal.endProgress()
            } else {
                report = try tableReport()
                try report.write(to: out)
            }
            let result: JSON = ["folder": .string(out), "sheets": .int(report.sheetCount)]
            Terminal.line(
                json ? result.text : "\(out): \(report.sheetCount) sheets; open \(out)/report.html")
        } catch let fault as DatasetFault where fault.isWrongUsage {
            Terminal.endProgress()
            throw UsageFault(fault.description)
        }
    }

    private func tableReport() throws -> StudyReport {
        let questionnaire = try ScoredInstrument.read(at: questionnaires.first ?? "")
        let table = try TableInput(input ?? "-")
        do {
            return try ReportTable(
                questionnaire, blanks: Set(blanks), isBlinded: blinded
            ).report(CSVReader { try table.next() })
        } catch let faults as CellFaults {
            for fault in faults.list { Terminal.note(fault.description) }
            Terminal.error("\(faults.list.count) faults; no report was written")
            throw ExitCode.failure
        }
    }
}
