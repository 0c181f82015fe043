import SaunterCore
import SaunterStore

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
