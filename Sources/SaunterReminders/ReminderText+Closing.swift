import SaunterCore
import SaunterStore

extension ReminderText {
    /// When the first of them closes, as a clock shows it, after the day where that is another one than the day of sending; empty where there are
    /// none.
    static func closing(_ contents: MessageContents, study: Study, enrolment: Enrolment) -> String {
        guard let closes = contents.occasions.map(\.window.closeAt).min() else { return "" }
        return closing(
            at: closes, sentAt: contents.at, zone: enrolment.zone,
            language: language(of: study, for: enrolment))
    }

    /// - Parameter language: of the words around it; the day is a number where it is none of those that these are written in.
    static func closing(at closes: Instant, sentAt: Instant, zone: Zone, language: String?) -> String {
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
