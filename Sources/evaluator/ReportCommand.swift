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
              evaluator report --questionnaire Questionnaires/instruments/pss_10/1.0.0 --input sheets.csv --out report
            """)

    @Option(help: "Folder of one version of an instrument, whose key scores the table.") var questionnaire:
        String
    @Option(help: "The table of answers, CSV with a header; - is standard input.") var input: String
    @Option(help: "The folder to make.") var out: String
    @Option(
        name: .customLong("blank"),
        help: "A cell that means a blank besides the empty one, such as NA; may be repeated.")
    var blanks: [String] = []

    func run() async throws {
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
        let source = try Source(input)
        let report: StudyReport
        do {
            report = try ReportTable(pack.questionnaire, blanks: Set(blanks)).report(
                CSVReader { try source.next() })
        } catch let faults as CellFaults {
            for fault in faults.list { Terminal.note(fault.description) }
            Terminal.error("\(faults.list.count) faults; no report was made")
            throw ExitCode.failure
        }
        try write(report)
    }

    private func write(_ report: StudyReport) throws {
        do {
            try report.write(to: out)
        } catch let fault as DatasetFault where fault.isWrongUsage {
            throw UsageFault(fault.description)
        }
        Terminal.line("\(out): \(report.sheetCount) sheets; open \(out)/report.html")
    }
}
