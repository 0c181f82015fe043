import SaunterCore

/// What a mail that is not a reminder contains besides its text. A member that the kind of mail does not have is empty.
package struct AccountMailFacts: Sendable {
    /// The code that proves that the recipient reads the mail.
    package var code: String
    /// The title of the study.
    package var study: String
    /// The code of the study, for addresses of pages.
    package var studyCode: String
    /// The role for which the recipient was invited.
    package var role: String
    /// The page of the study's own app on which the recipient sets a new password; nil for the page of this server.
    package var resetPage: String?

    /// - Parameters:
    ///   - message: the content of a queued mail.
    ///   - resetLink: the link `reset` of the recipient's studies, with the placeholder `{{code}}`.
    package init(_ message: JSON, resetLink: String? = nil) {
        code = message["code"]?.string ?? ""
        study = message["study"]?.string ?? ""
        studyCode = message["study_code"]?.string ?? ""
        role = message["role"]?.string ?? ""
        let known = code
        resetPage = resetLink.map { TextTemplate.fill($0, ["code": known]) }
    }
}
