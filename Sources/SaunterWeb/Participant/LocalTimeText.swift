import Foundation
import SaunterCore

/// Writes instants and dates as people read them in a language and a time zone.
struct LocalTimeText {
    private let locale: Locale
    private let zone: TimeZone

    /// - Parameter zone: the id of an IANA time zone; UTC if it is not known.
    init(language: String, zone: String) {
        locale = Locale(identifier: language)
        self.zone = TimeZone(identifier: zone) ?? .gmt
    }

    /// The time of day: 17:00.
    func time(_ instant: Instant) -> String { text(instant, "HH:mm") }

    /// The day and the time of day: Mon 21 Nov, 17:00.
    func dayAndTime(_ instant: Instant) -> String { text(instant, "EEEMMMdHHmm") }

    /// The same, with the year if it is not the present one: Mon 21 Nov 2025, 17:00.
    func dayAndTime(_ instant: Instant, now: Instant) -> String {
        let isThisYear = text(instant, "yyyy") == text(now, "yyyy")
        return isThisYear ? dayAndTime(instant) : text(instant, "EEEMMMdyyyyHHmm")
    }

    /// The day: Monday 21 November.
    func day(_ instant: Instant) -> String { text(instant, "EEEEMMMMd") }

    /// A local date, such as `2026-11-21`, in words. The text itself if it is not a date.
    func day(_ date: String) -> String { words(for: date, "EEEEMMMMd") }

    /// The day of a local date, with the year if it is not the present one.
    func day(_ date: String, now: Instant) -> String {
        date.prefix(5) == text(now, "yyyy") + "-" ? day(date) : words(for: date, "EEEEMMMMdyyyy")
    }

    /// The local date of an instant, with the year if it is not the present one.
    func day(of instant: Instant, now: Instant) -> String {
        let isThisYear = text(instant, "yyyy") == text(now, "yyyy")
        return text(instant, isThisYear ? "EEEEMMMMd" : "EEEEMMMMdyyyy")
    }

    /// The last local date before an instant at which something ends. The end of a day is the midnight after it.
    func lastDay(before end: Instant, now: Instant) -> String {
        day(of: end.adding(milliseconds: -1), now: now)
    }

    /// A local date in few letters, such as `21 Nov`. The text itself if it is not a date.
    func shortDay(_ date: String) -> String { words(for: date, "MMMd") }

    /// A local date with its year, such as `21 Nov 2026`. The text itself if it is not a date.
    func date(_ date: String) -> String { words(for: date, "yyyyMMMd") }

    /// The time if the instant is on the same local day as `now`; otherwise the day and the time.
    func short(_ instant: Instant, now: Instant) -> String {
        text(instant, "yyyyMMdd") == text(now, "yyyyMMdd") ? time(instant) : dayAndTime(instant)
    }

    private init(locale: Locale, zone: TimeZone) {
        self.locale = locale
        self.zone = zone
    }

    private func words(for date: String, _ template: String) -> String {
        guard let date = LocalDate(date) else { return date }
        let noon = Instant(milliseconds: Int64(date.days) * 86_400_000 + 43_200_000)
        return LocalTimeText(locale: locale, zone: .gmt).text(noon, template)
    }

    private func text(_ instant: Instant, _ template: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = locale
        formatter.timeZone = zone
        formatter.setLocalizedDateFormatFromTemplate(template)
        return formatter.string(from: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000))
    }
}

extension JSON {
    /// The instant of an RFC 3339 text; nil for any other value.
    var instant: Instant? { string.flatMap { Instant($0) } }
}
