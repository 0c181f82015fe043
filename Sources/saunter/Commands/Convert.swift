import ArgumentParser
import Console
import SaunterCore
import SaunterExchange

/// Writes instruments in formats of other products.
struct Convert: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case fhir, redcap
    }

    static let configuration = CommandConfiguration(
        abstract: "Write an instrument as a FHIR Questionnaire or a REDCap data dictionary.",
        discussion: """
            If the instrument was imported from the same format, unchanged parts are written as in the imported file. Standard error \
            lists what the format cannot express. Prints to standard output unless --out names a file.

            Example: saunter convert --to fhir Questionnaires/instruments/who_5/1.0.0
            Example: saunter convert --to redcap Questionnaires/studies/mindful-walking --out dictionary.csv
            """)

    @Option(help: "The format: fhir or redcap.") var to: Format
    @Argument(
        help: "The folder of one version of an instrument, or the folder of a study for all its instruments.")
    var path: String
    @Option(help: "The file to write; it must not exist.") var out: String?

    func run() throws {
        let instruments = try PackFolder.instruments(at: path)
        for instrument in instruments {
            let remarks =
                switch to {
                case .fhir: ExportRemarks.fhir(instrument.questionnaire)
                case .redcap: ExportRemarks.redcap(instrument.questionnaire)
                }
            for remark in remarks { Terminal.note(remark.text) }
        }
        let bytes: [UInt8]
        switch to {
        case .redcap: bytes = REDCapExport.csv(instruments)
        case .fhir:
            let resources = instruments.map {
                JSON.object(FHIRQuestionnaire.json($0.questionnaire, preserved: $0.preserved))
            }
            let entries = resources.map { JSON.object(["resource": $0]) }
            let document: JSON =
                resources.count == 1
                ? resources[0]
                : ["resourceType": "Bundle", "type": "collection", "entry": .array(entries)]
            bytes = document.bytes + [0x0A]
        }
        try DocumentOutput.write(bytes, to: out)
    }
}
