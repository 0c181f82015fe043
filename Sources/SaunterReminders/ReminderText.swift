import SaunterCore
import SaunterStore

/// Fills the templates of a study's messages. Values are inserted as plain text and are not interpreted. A placeholder
/// inside a value is not replaced.
package enum ReminderText {
    /// Subject and body of a message in the participant's language. Uses the template of the daily mail if the message
    /// contains a daily reminder; otherwise the template for single occasions, if the study has one.
    package static func message(
        _ contents: MessageContents, study: Study, enrolment: Enrolment, name: String, url: String
    ) -> (subject: String, body: String) {
        message(
            occasions: contents.occasions, isDaily: contents.isDaily,
            notificationCodes: contents.notificationCodes, sentAt: contents.sentAt, study: study,
            language: enrolment.language, zone: enrolment.zone, name: name, url: url)
    }

    private static func message(
        occasions: [Occasion], isDaily: Bool, notificationCodes: [String], sentAt: Instant, study: Study,
        language: String, zone: Zone, name: String, url: String
    ) -> (subject: String, body: String) {
        let text = study.text[language] ?? study.languages.first.flatMap { study.text[$0] }
        var titles: [String] = []
        for occasion in occasions {
            let title =
                study.questionnaire(occasion.questionnaire)?.text(in: language).title
                ?? occasion.questionnaire
            if !titles.contains(title) { titles.append(title) }
        }
        var values = [
            "name": name, "study": text?.title ?? study.code, "count": String(occasions.count),
            "titles": titles.map { "- \($0)" }.joined(separator: "\n"), "url": url,
        ]
        var subject = text?.reminderSubject ?? "{{study}}"
        var body = text?.reminderBody ?? "{{titles}}"
        if !isDaily {
            values["closes"] =
                occasions.map(\.window.closeAt).min().map {
                    closingTime(
                        $0, sentAt: sentAt, zone: zone,
                        language: study.text[language] != nil ? language : study.languages.first)
                } ?? ""
            if let template = text?.occasionSubject, !template.isEmpty { subject = template }
            if let template = text?.occasionBody, !template.isEmpty { body = template }
        }
        // Texts of notification rules are used alone or are appended to the text about occasions.
        let notifications = notificationCodes.compactMap { text?.notificationTexts[$0] }
        if occasions.isEmpty, let first = notifications.first {
            (subject, body) = (first.title, first.text)
        }
        for notification in occasions.isEmpty ? notifications.dropFirst() : notifications[...] {
            body += "\n\n" + notification.text
        }
        return (singleLine(TextTemplate.fill(subject, values)), TextTemplate.fill(body, values))
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

extension ReminderText {
    /// Subject and body of a planned message to a participant who is not stored; see `message`.
    package static func message(
        _ planned: PlannedMessage, study: Study, language: String, zone: Zone, name: String, url: String
    ) -> (subject: String, body: String) {
        message(
            occasions: planned.occasions,
            isDaily: planned.reminders.contains { $0.key.kind == .dueToday },
            notificationCodes: planned.reminders.compactMap(\.key.notificationCode), sentAt: planned.at,
            study: study, language: language, zone: zone, name: name, url: url)
    }
}

extension ReminderText {
    /// Subject and body of a notification. Nil if the study has no text for this code.
    package static func notificationText(
        _ code: String, study: Study, enrolment: Enrolment, name: String, url: String
    ) -> (subject: String, body: String)? {
        notificationText(code, study: study, language: enrolment.language, name: name, url: url)
    }

    /// The same in a language.
    package static func notificationText(
        _ code: String, study: Study, language: String, name: String, url: String
    ) -> (subject: String, body: String)? {
        let text = study.text[language] ?? study.languages.first.flatMap { study.text[$0] }
        guard let notification = text?.notificationTexts[code] else { return nil }
        let values = ["name": name, "study": text?.title ?? study.code, "url": url]
        return (TextTemplate.fill(notification.title, values), TextTemplate.fill(notification.text, values))
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
            return (
                TextTemplate.fill(notification.title, values), TextTemplate.fill(notification.text, values)
            )
        }
        if let text, !text.notificationSubject.isEmpty {
            return (
                TextTemplate.fill(text.notificationSubject, values),
                TextTemplate.fill(text.notificationBody, values)
            )
        }
        switch enrolment.language.prefix(2) {
        case "de": return ("Es gibt etwas zu tun", "In der App steht, was.")
        case "en": return ("There is something to do", "The app says what.")
        // In other languages, use the study's text: the participant can read it, unlike a neutral text in German or
        // English.
        default: return (TextTemplate.fill(text?.reminderSubject ?? "{{study}}", values), "")
        }
    }
}

extension ReminderText {
    /// The local time when the first occasion closes, for example `21:00`. If it closes on another day than the day of
    /// sending, the day precedes the time. Empty without occasions.
    static func closingTime(of contents: MessageContents, study: Study, enrolment: Enrolment) -> String {
        guard let closes = contents.occasions.map(\.window.closeAt).min() else { return "" }
        return closingTime(
            closes, sentAt: contents.sentAt, zone: enrolment.zone,
            language: language(of: study, for: enrolment))
    }

    /// - Parameter language: the language of the surrounding text. In other languages than German and English the day
    /// is numeric.
    static func closingTime(_ closes: Instant, sentAt: Instant, zone: Zone, language: String?) -> String {
        let (date, time, _) = zone.local(of: closes)
        let clock = LocalTime(hour: time.hour, minute: time.minute)?.description ?? ""
        guard date != zone.local(of: sentAt).date else { return clock }
        let (day, month) = (date.weekday - 1, date.components.month - 1)
        return switch language?.prefix(2) {
        case "de": "\(germanDays[day]), \(date.components.day). \(germanMonths[month]), \(clock)"
        case "en": "\(englishDays[day]) \(date.components.day) \(englishMonths[month]), \(clock)"
        default: "\(date) \(clock)"
        }
    }

    private static let germanDays = [
        "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag",
    ]
    private static let germanMonths = [
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
        "November", "Dezember",
    ]
    private static let englishDays = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    private static let englishMonths = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ]
}

extension ReminderText {
    /// Subject and body of a rule's message, with the participant's name.
    package static func filled(_ message: InboxMessage, name: String) -> (subject: String, body: String) {
        (
            singleLine(TextTemplate.fill(message.subject, ["name": name])),
            TextTemplate.fill(message.body, ["name": name])
        )
    }

    /// The same with the page to which the message leads.
    static func mail(_ message: InboxMessage, name: String, url: String) -> (subject: String, body: String) {
        let text = filled(message, name: name)
        return (text.subject, "\(text.body)\n\n\(url)\n")
    }
}
