import SaunterCore

/// Part of a questionnaire that a conversion could not carry over unchanged, and what it did with that part.
package struct Remark: Sendable, Hashable {
    /// Where the part is in the file: a JSON Pointer, `sheet!B7`, or `line 7, Field Type`. In an export: the part of
    /// the instrument, such as `who_5/scoring.yaml`.
    package let location: String
    /// A sentence or phrase in English for the user.
    package let detail: String

    /// Location and detail on one line.
    package var text: String { "\(location): \(detail)" }
    /// `{"place": …, "detail": …}`.
    package var json: JSON { ["place": .string(location), "detail": .string(detail)] }
}
