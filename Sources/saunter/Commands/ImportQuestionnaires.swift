import ArgumentParser
import Console
import Foundation
import SaunterCore
import SaunterExchange

/// Converts questionnaires in other formats to instruments.
struct ImportQuestionnaires: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Convert questionnaires in FHIR, REDCap or XLSForm format to instruments.",
        discussion: """
            Reads FHIR Questionnaires and Bundles of them (JSON of R4; also the answer options of STU3 and R5), REDCap data dictionaries \
            (CSV; each form becomes an instrument) and XLSForms (.xlsx or CSV). Parts without an effect in Saunter are preserved in \
            the instrument or reported with their location. Without --out the command writes nothing and only reports the result. If \
            a questionnaire cannot be imported or written, the command reports the reason, continues with the others, and ends with \
            status 1.

            Example: saunter import --from fhir phq.json --out Questionnaires
            Example: saunter import --from redcap dictionary.csv
            """)

    @Option(help: "The format of the files: fhir, redcap or xlsform.") var from: QuestionnaireImport.Format
    @Argument(help: "The files.") var files: [String]
    @Option(help: "The parent of the folder instruments, which is created if it is missing.") var out: String?
    @Flag(
        help: """
            FHIR: import a choice whose options are not in the file as a text question. Without it, such a questionnaire is refused.
            """)
    var allowFreeText = false
    @Flag(help: "Print JSON.") var json = false

    private static let maximumBytes = 64 << 20

    func run() throws {
        var counts = Counts()
        var list: [JSON] = []
        var reader = QuestionnaireImport(from, allowsFreeText: allowFreeText)
        for file in files {
            let results = Self.results(of: file, &reader)
            counts.files += 1
            for result in results { list.append(report(result, of: file, &counts)) }
        }
        if json {
            Terminal.line(
                JSON.object([
                    "files": .int(counts.files), "imported": .int(counts.imported),
                    "refused": .int(counts.refused), "questionnaires": .array(list),
                ]).text)
        } else {
            let files = counts.files == 1 ? "1 file" : "\(counts.files) files"
            let imported = counts.imported == 1 ? "1 questionnaire" : "\(counts.imported) questionnaires"
            Terminal.line("\(files): \(imported) imported, \(counts.refused) refused")
        }
        if counts.refused > 0 { throw ExitCode.failure }
    }

    private struct Counts {
        var files = 0
        var imported = 0
        var refused = 0
    }

    private static func results(
        of file: String, _ reader: inout QuestionnaireImport
    ) -> [Result<ImportedInstrument, ImportError>] {
        do throws(ImportError) {
            let bytes = try read(file)
            return reader.read(bytes, name: URL(filePath: file).deletingPathExtension().lastPathComponent)
        } catch {
            return [.failure(error)]
        }
    }

    private static func read(_ file: String) throws(ImportError) -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: file),
            let data = try? handle.read(upToCount: maximumBytes + 1) ?? Data()
        else { throw ImportError(location: "", detail: "the file cannot be read") }
        guard data.count <= maximumBytes else {
            throw ImportError(location: "", detail: "the file is larger than \(maximumBytes >> 20) MiB")
        }
        return Array(data)
    }

    private func report(
        _ result: Result<ImportedInstrument, ImportError>, of file: String, _ counts: inout Counts
    ) -> JSON {
        do throws(ImportError) {
            let instrument = try result.get()
            let folder = instrument.folder
            if let out { try InstrumentFolder.write(instrument.files, into: out, folder: folder) }
            counts.imported += 1
            if !json {
                for remark in instrument.remarks { Terminal.line("\(file): \(remark.text)") }
                let verb = out == nil ? "would become" : "became"
                Terminal.line("\(file): \(verb) \(folder)")
            }
            return [
                "file": .string(file), "instrument": .string(folder),
                "questions": .int(instrument.questionnaire.questions.count),
                "remarks": .array(instrument.remarks.map(\.json)),
            ]
        } catch {
            counts.refused += 1
            if !json { Terminal.line("\(file): refused: \(error.text)") }
            return ["file": .string(file), "refused": .string(error.text)]
        }
    }
}

extension QuestionnaireImport.Format: ExpressibleByArgument {}
