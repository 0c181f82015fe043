import SaunterCore

/// Why a questionnaire cannot be imported.
package struct ImportError: Error, Sendable, Hashable {
    /// Where the reason is in the file, as in `Remark`; empty if it concerns the complete file.
    package let location: String
    /// A sentence or phrase in English for the user.
    package let detail: String

    /// - Parameter location: as in `Remark`.
    package init(location: String, detail: String) {
        self.location = location
        self.detail = detail
    }

    /// The error for a questionnaire with too many items.
    /// - Parameters:
    ///   - form: the name of the questionnaire in the file.
    ///   - location: the first item above the limit.
    init(tooManyItemsIn form: String, location: String) {
        self.init(
            location: location,
            detail: "\(form.prefix(60)) has more than \(Questionnaire.maximumItems) items")
    }

    /// Location and detail on one line.
    package var text: String { location.isEmpty ? detail : "\(location): \(detail)" }
}

/// A questionnaire that was imported from another format, as the files of an instrument.
package struct ImportedInstrument: Sendable, Hashable {
    /// The questionnaire, read from `files`.
    package let questionnaire: Questionnaire
    /// Path relative to the pack folder, such as `instruments/who_5/1.0.0/questionnaire.yaml` -> text.
    package let files: [String: String]
    /// Every part that is stored without effect, or asked in another way.
    package let remarks: [Remark]

    /// The folder of the files, such as `instruments/who_5/1.0.0`.
    package var folder: String { "instruments/\(questionnaire.code)/\(questionnaire.version)" }
}
