import SaunterCore
import SaunterStore

/// Fills the templates of a study's messages. Values are inserted as plain text and are not interpreted. A placeholder
/// inside a value is not replaced.
package enum ReminderText {
    package static func fill(_ template: String, _ values: [String: String]) -> String {
        var result = ""
        var remainder = template[...]
        while let open = remainder.firstRange(of: "{{") {
            result += remainder[..<open.lowerBound]
            remainder = remainder[open.upperBound...]
            guard let close = remainder.firstRange(of: "}}") else {
                result += "{{"
                break
            }
            let name = remainder[..<close.lowerBound].filter { $0 != " " }
            result += values[String(name)] ?? "{{\(remainder[..<close.lowerBound])}}"
            remainder = remainder[close.upperBound...]
        }
        return result + remainder
    }

    /// Subject and body of a message in the participant's language. Uses the template of the daily mail if the message
    /// contains a daily reminder; otherwise the template for single occasions, if the study has one.
    package static func message(
        _ contents: MessageContents, study: Study, enrolment: Enrolment, name: String, url: String
    ) -> (subject: String, body: String) {
        let text = studyText(of: study, for: enrolment)
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
            values["closes"] = closingTime(of: contents, study: study, enrolment: enrolment)
            if let template = text?.promptSubject, !template.isEmpty { subject = template }
            if let template = text?.promptBody, !template.isEmpty { body = template }
        }
        // Texts of notification rules are used alone or are appended to the text about occasions.
        let notifications = contents.notificationCodes.compactMap { text?.notificationTexts[$0] }
        if contents.occasions.isEmpty, let first = notifications.first {
            (subject, body) = (first.title, first.text)
        }
        for notification in contents.occasions.isEmpty ? notifications.dropFirst() : notifications[...] {
            body += "\n\n" + notification.text
        }
        return (singleLine(fill(subject, values)), fill(body, values))
    }

    /// Replaces control characters by spaces, because a subject must be one line. An old participant name may contain
    /// a line end, and the mail must still be sent.
    static func singleLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { MailText.isSafe(String($0)) ? $0 : " " }))
    }

    static func studyText(of study: Study, for enrolment: Enrolment) -> StudyText? {
        language(of: study, for: enrolment).flatMap { study.text[$0] }
    }

    /// The participant's language if the study supports it, otherwise the study's first language.
    static func language(of study: Study, for enrolment: Enrolment) -> String? {
        study.text[enrolment.language] != nil ? enrolment.language : study.languages.first
    }
}
