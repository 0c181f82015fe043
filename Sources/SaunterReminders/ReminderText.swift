import SaunterCore
import SaunterStore

/// Fills the words of a study's mail. The values are plain text and stand in plain text: nothing is interpreted, and what looks like a
/// placeholder in a value stays as it is.
package enum ReminderText {
    package static func fill(_ template: String, _ values: [String: String]) -> String {
        var result = ""
        var rest = template[...]
        while let open = rest.firstRange(of: "{{") {
            result += rest[..<open.lowerBound]
            rest = rest[open.upperBound...]
            guard let close = rest.firstRange(of: "}}") else {
                result += "{{"
                break
            }
            let name = rest[..<close.lowerBound].filter { $0 != " " }
            result += values[String(name)] ?? "{{\(rest[..<close.lowerBound])}}"
            rest = rest[close.upperBound...]
        }
        return result + rest
    }

    /// Subject and body of a message in the participant's language: the words for the daily mail where it is part of it, else those about single
    /// occasions, where the study has them.
    package static func message(
        _ contents: MessageContents, study: Study, enrolment: Enrolment, name: String, url: String
    ) -> (subject: String, body: String) {
        let text = words(of: study, for: enrolment)
        var titles: [String] = []
        for occasion in contents.occasions {
            let title =
                study.questionnaire(occasion.questionnaire)?.text(in: enrolment.language).title
                ?? occasion.questionnaire
            if !titles.contains(title) { titles.append(title) }
        }
        var values = [
            "name": name, "study": text?.title ?? study.code, "count": String(contents.occasions.count),
            "titles": titles.map { "- \($0)" }.joined(separator: "\n"), "url": url,
        ]
        var subject = text?.reminderSubject ?? "{{study}}"
        var body = text?.reminderBody ?? "{{titles}}"
        if !contents.isDaily {
            values["closes"] = closing(contents, study: study, enrolment: enrolment)
            if let own = text?.promptSubject, !own.isEmpty { subject = own }
            if let own = text?.promptBody, !own.isEmpty { body = own }
        }
        // Words of rules that no occasion asks for stand alone, or below the others.
        let notices = contents.notices.compactMap { text?.notices[$0] }
        if contents.occasions.isEmpty, let first = notices.first {
            (subject, body) = (first.title, first.text)
        }
        for notice in contents.occasions.isEmpty ? notices.dropFirst() : notices[...] {
            body += "\n\n" + notice.text
        }
        return (line(fill(subject, values)), fill(body, values))
    }

    /// A subject is one line, and no mail goes out with another: a name that was taken before that was asked of names must not cost its owner every
    /// message.
    static func line(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { MailText.isSafe(String($0)) ? $0 : " " }))
    }

    static func words(of study: Study, for enrolment: Enrolment) -> StudyText? {
        language(of: study, for: enrolment).flatMap { study.text[$0] }
    }

    /// The participant's language where the study is written in it, else the study's first.
    static func language(of study: Study, for enrolment: Enrolment) -> String? {
        study.text[enrolment.language] != nil ? enrolment.language : study.languages.first
    }

    /// Subject and body of the mail that carries a reset code.
    package static func passwordReset(code: String, language: String?, url: String) -> (
        subject: String, body: String
    ) {
        if language?.hasPrefix("de") == true {
            return (
                "Neues Passwort für Saunter",
                """
                Jemand hat für diese Adresse ein neues Passwort angefordert.

                Ihr Code: \(code)

                Er gilt eine Stunde und nur einmal. Geben Sie ihn in der App ein (\(url)).
                Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.

                """
            )
        }
        return (
            "A new password for Saunter",
            """
            Somebody asked for a new password for this address.

            Your code: \(code)

            It works once, for one hour. Enter it in the app (\(url)).
            If this was not you, there is nothing to do: your password stays as it is.

            """
        )
    }
}
