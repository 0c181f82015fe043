/// The id of a QuestionnaireResponse. A sheet id is unique only within its enrolment, and a FHIR id has at most 64
/// characters, so the id consists of the hexadecimal digits of both.
package struct FHIRResponseID {
    /// The id: 64 hexadecimal digits.
    package let text: String

    /// Makes the id from ids as in the dataset.
    init(_ enrolment: String, _ sheet: String) {
        text = String(enrolment.dropFirst() + sheet.dropFirst()).replacing("-", with: "")
    }

    /// The ids of enrolment and sheet. Nil if the text is not such an id.
    package static func read(_ text: String) -> (enrolment: String, sheet: String)? {
        guard text.utf8.count == 64,
            let enrolment = uuid(text.prefix(32)), let sheet = uuid(text.suffix(32))
        else { return nil }
        return ("E\(enrolment)", "S\(sheet)")
    }

    private static func uuid(_ digits: Substring) -> String? {
        let isPlain = digits.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        guard isPlain else { return nil }
        let letters = Array(digits)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(letters[$0]) }.joined(separator: "-")
    }
}
