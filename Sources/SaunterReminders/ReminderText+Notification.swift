import SaunterCore
import SaunterStore

extension ReminderText {
    /// The words of a rule that no occasion asks for; nil where the study has none of that code.
    package static func notice(
        _ code: String, study: Study, enrolment: Enrolment, name: String, url: String
    ) -> (subject: String, body: String)? {
        let text = words(of: study, for: enrolment)
        guard let notice = text?.notices[code] else { return nil }
        let values = ["name": name, "study": text?.title ?? study.code, "url": url]
        return (fill(notice.title, values), fill(notice.text, values))
    }

    /// What a device shows. Others may see it, so that without words of the study's own it tells neither study nor questionnaire; a rule that no
    /// occasion asks for has words of its own always.
    static func notification(
        _ contents: MessageContents, study: Study, enrolment: Enrolment
    ) -> (subject: String, body: String) {
        let text = words(of: study, for: enrolment)
        let values = [
            "study": text?.title ?? study.code, "count": String(contents.occasions.count),
            "closes": closing(contents, study: study, enrolment: enrolment), "name": "", "url": "",
        ]
        if contents.occasions.isEmpty,
            let notice = contents.notices.lazy.compactMap({ text?.notices[$0] }).first
        {
            return (fill(notice.title, values), fill(notice.text, values))
        }
        if let text, !text.notificationSubject.isEmpty {
            return (fill(text.notificationSubject, values), fill(text.notificationBody, values))
        }
        switch enrolment.language.prefix(2) {
        case "de": return ("Es gibt etwas zu tun", "In der App steht, was.")
        case "en": return ("There is something to do", "The app says what.")
        // Words in a language that the participant reads, rather than neutral ones in another.
        default: return (fill(text?.reminderSubject ?? "{{study}}", values), "")
        }
    }
}
