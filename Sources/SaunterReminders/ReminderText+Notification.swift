import SaunterCore
import SaunterStore

extension ReminderText {
    /// Subject and body of a notification. Nil if the study has no text for this code.
    package static func notificationText(
        _ code: String, study: Study, enrolment: Enrolment, name: String, url: String
    ) -> (subject: String, body: String)? {
        let text = studyText(of: study, for: enrolment)
        guard let notification = text?.notificationTexts[code] else { return nil }
        let values = ["name": name, "study": text?.title ?? study.code, "url": url]
        return (fill(notification.title, values), fill(notification.text, values))
    }

    /// The text that a device shows. Other people may see it, so the default text names neither the study nor the
    /// questionnaire. A notification always has a text from the study.
    static func pushText(
        _ contents: MessageContents, study: Study, enrolment: Enrolment
    ) -> (subject: String, body: String) {
        let text = studyText(of: study, for: enrolment)
        let values = [
            "study": text?.title ?? study.code, "count": String(contents.occasions.count),
            "closes": closingTime(of: contents, study: study, enrolment: enrolment), "name": "", "url": "",
        ]
        if contents.occasions.isEmpty,
            let notification = contents.notificationCodes.lazy.compactMap({ text?.notificationTexts[$0] })
                .first
        {
            return (fill(notification.title, values), fill(notification.text, values))
        }
        if let text, !text.notificationSubject.isEmpty {
            return (fill(text.notificationSubject, values), fill(text.notificationBody, values))
        }
        switch enrolment.language.prefix(2) {
        case "de": return ("Es gibt etwas zu tun", "In der App steht, was.")
        case "en": return ("There is something to do", "The app says what.")
        // In other languages, use the study's text: the participant can read it, unlike a neutral text in German or
        // English.
        default: return (fill(text?.reminderSubject ?? "{{study}}", values), "")
        }
    }
}
