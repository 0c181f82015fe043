import SaunterCore

/// What an import could not take over as it was, and what became of it.
package struct Remark: Sendable, Hashable {
    /// Where it stands in the file: a JSON Pointer, `sheet!B7`, or `line 7, Field Type`.
    package let place: String
    /// For people, in English.
    package let detail: String

    package var text: String { "\(place): \(detail)" }
    package var json: JSON { ["place": .string(place), "detail": .string(detail)] }
}

/// Why a questionnaire was not imported.
package struct ImportRefusal: Error, Sendable, Hashable {
    /// As in `Remark`.
    package let place: String
    package let detail: String

    package init(place: String, detail: String) {
        self.place = place
        self.detail = detail
    }

    package var text: String { place.isEmpty ? detail : "\(place): \(detail)" }
}

/// A questionnaire of another format as the files of an instrument.
package struct ImportedInstrument: Sendable, Hashable {
    package let questionnaire: Questionnaire
    /// Path below the folder that holds `instruments` -> text.
    package let files: [String: String]
    /// Everything that is only kept, or asked in another way.
    package let remarks: [Remark]
}
