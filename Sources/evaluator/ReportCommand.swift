import ArgumentParser
import Foundation
import SaunterCore
import SaunterEvaluation
import SaunterPacks

/// Evaluates what was measured: reliability, items, sheets, courses.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report reliability, item statistics and courses of scores.",
        discussion: """
            Writes report.csv (a row per figure), report_sheets.csv (a row per sheet), report.json and report.html, a page that prints and \
            needs no internet, into a new folder.

            In a table each column named like an item holds its values, as for `evaluator score`; participant_id, study_day, seconds (or \
            started_at and submitted_at) and sheet_id are used where they are there.

            Examples:
              evaluator report --study mindful-walking --out report
              evaluator report --study mindful-walking --out november --from 2026-11-01 --arm experimental --questionnaire pss_10
              evaluator report --questionnaire Questionnaires/instruments/pss_10/1.0.0 --input sheets.csv --out report
            """)

    @Option(help: "Report this study, from the database.") var study: String?
    @Option(
        name: .customLong("questionnaire"),
        help: ArgumentHelp(
            "With --study: only this questionnaire, by its code; may be repeated. With --input: the folder of one version of an instrument, whose key scores the table."
        ))
    var questionnaires: [String] = []
    @Option(help: "The table of answers, CSV with a header; - is standard input.") var input: String?
    @Option(help: "The folder to make.") var out: String
    @Option(
        name: .customLong("blank"),
        help: "A cell that means a blank besides the empty one, such as NA; may be repeated.")
    var blanks: [String] = []
    @OptionGroup var part: PartOptions
    @OptionGroup var options: DatabaseOptions

    func validate() throws {
        if study != nil, input != nil || !blanks.isEmpty {
            throw ValidationError("--study reports what is stored; it goes with neither --input nor --blank")
        }
        if study == nil, questionnaires.count != 1 || input == nil {
            throw ValidationError("give --study, or one --questionnaire with --input")
        }
        if study == nil, !part.isEmpty {
            throw ValidationError("--from, --to and --arm are of a --study")
        }
    }

    func run() async throws {
        do {
            let report: StudyReport
            if let study {
                report = try await options.withPool(role: "saunter_export") { pool in
                    let reader = StudyReader(pool: pool)
                    let report = try await reader.report(
                        study: study, filters: part.filters(questionnaires: questionnaires)
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
            Terminal.line("\(out): \(report.sheetCount) sheets; open \(out)/report.html")
        } catch let fault as DatasetFault where fault.isWrongUsage {
            Terminal.endProgress()
            throw UsageFault(fault.description)
        }
    }

    private func tableReport() throws -> StudyReport {
        let questionnaire = questionnaires.first ?? ""
        guard let place = PackPlace(directory: questionnaire),
            case .instrument(let code, let version) = place.kind
        else {
            throw UsageFault(
                "\(questionnaire) is not the folder of one version of an instrument (…/instruments/<code>/<version>)"
            )
        }
        let pack = try InstrumentPack.read(
            PackFiles.load(directory: questionnaire), code: code, version: version)
        guard pack.questionnaire.scoring != nil else {
            throw UsageFault("\(code) \(version) has no scoring key")
        }
        let source = try Source(input ?? "-")
        do {
            return try ReportTable(pack.questionnaire, blanks: Set(blanks)).report(
                CSVReader { try source.next() })
        } catch let faults as CellFaults {
            for fault in faults.list { Terminal.note(fault.description) }
            Terminal.error("\(faults.list.count) faults; no report was made")
            throw ExitCode.failure
        }
    }
}
