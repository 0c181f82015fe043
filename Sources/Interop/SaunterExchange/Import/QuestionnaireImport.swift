import SaunterCore

/// Imports questionnaires of one format, file by file and in memory. The command `import` and the route of drafts use
/// the same import.
package struct QuestionnaireImport: Sendable {
    /// The formats that can be imported.
    package enum Format: String, Sendable, CaseIterable {
        case fhir, redcap, xlsform
    }

    /// The largest number of questionnaires in one file.
    static let maximumQuestionnaires = 1000

    private let format: Format
    private let allowsFreeText: Bool
    /// Code -> version that replaces the version of the file.
    private let versions: [String: String]
    /// The folders of the instruments that were imported so far.
    private var folders: Set<String> = []

    /// - Parameters:
    ///   - allowsFreeText: for FHIR; see `FHIRImport.read`.
    ///   - versions: the code of an instrument -> the version that it gets in place of that of the file.
    package init(_ format: Format, allowsFreeText: Bool = false, versions: [String: String] = [:]) {
        self.format = format
        self.allowsFreeText = allowsFreeText
        self.versions = versions
    }

    /// The questionnaires of a file, each with its instrument or the reason why it cannot be imported. If the file
    /// itself cannot be read, there is one reason. An instrument in the same folder as an earlier one is an error.
    /// - Parameter name: the name of the instrument if the file does not contain one; usually the file name.
    package mutating func read(_ bytes: [UInt8], name: String) -> [Result<ImportedInstrument, ImportError>] {
        do throws(ImportError) {
            return try results(bytes, name).map { result in
                guard case .success(let instrument) = result else { return result }
                guard folders.insert(instrument.folder).inserted else {
                    return .failure(
                        ImportError(
                            location: "",
                            detail: "an earlier questionnaire of this import has the same folder "
                                + instrument.folder))
                }
                return result
            }
        } catch {
            return [.failure(error)]
        }
    }

    private func results(_ bytes: [UInt8], _ name: String) throws(ImportError) -> [Result<
        ImportedInstrument, ImportError
    >] {
        switch format {
        case .fhir:
            try FHIRImport.read(bytes, name: name, allowsFreeText: allowsFreeText, versions: versions)
        case .redcap: try REDCapImport.read(bytes, versions: versions)
        case .xlsform: try XLSFormImport.read(bytes, name: name, versions: versions)
        }
    }
}
