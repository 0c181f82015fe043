import Foundation
import SaunterCore

/// Converts times to the numbers that SPSS, Stata and Excel store.
enum StatisticsTime {
    /// Days from 1582-10-14, the epoch of SPSS, to 1970-01-01.
    private static let spssEpochDays = 141_428.0
    /// Days from 1960-01-01, the epoch of Stata, to 1970-01-01.
    private static let stataEpochDays = 3653.0
    /// Days from 1899-12-30, from which Excel counts, to 1970-01-01.
    private static let excelEpochDays = 25_569.0
    private static let millisecondsPerDay = 86_400_000.0
    /// 1900-03-01 up to but not including 10000-01-01: the days on which Excel's calendar is right.
    private static let excelRange = 61.0..<2_958_466.0

    /// The number for the text of a cell. Nil if the kind is not a time or the text is not valid.
    static func number(_ text: String, _ kind: StatisticsColumn.Kind, for program: StatisticsProgram)
        -> Double?
    {
        guard let milliseconds = milliseconds(text, kind) else { return nil }
        switch kind {
        case .date:
            let days = milliseconds / millisecondsPerDay
            return program == .spss ? (days + spssEpochDays) * 86_400 : days + stataEpochDays
        case .time: return program == .spss ? milliseconds / 1000 : milliseconds
        case .instant, .local:
            return program == .spss
                ? milliseconds / 1000 + spssEpochDays * 86_400
                : milliseconds + stataEpochDays * millisecondsPerDay
        case .string, .integer, .number, .boolean: return nil
        }
    }

    /// The days since 1899-12-30 for the text of a cell, or the share of a day for a time of day. Nil if the kind is
    /// not a time, or if Excel cannot represent the time.
    static func excelDays(_ text: String, _ kind: StatisticsColumn.Kind) -> Double? {
        guard let milliseconds = milliseconds(text, kind) else { return nil }
        let days = milliseconds / millisecondsPerDay
        if kind == .time { return days }
        return excelRange.contains(days + excelEpochDays) ? days + excelEpochDays : nil
    }

    /// The milliseconds since 1970-01-01, or since midnight for a time of day.
    private static func milliseconds(_ text: String, _ kind: StatisticsColumn.Kind) -> Double? {
        switch kind {
        case .date: return Instant(text + "T00:00:00.000Z").map { Double($0.milliseconds) }
        case .instant, .local:
            return Instant(kind == .local ? text + "Z" : text).map { Double($0.milliseconds) }
        case .time:
            let parts = text.split(separator: ":").compactMap { Double($0) }
            return parts.count == 3 ? (parts[0] * 3600 + parts[1] * 60 + parts[2]) * 1000 : nil
        case .string, .integer, .number, .boolean: return nil
        }
    }

    /// The creation time of a file: 12:00 on the UTC date of the snapshot. ReadStat converts the time to the local time
    /// zone of this machine, so this is the instant at which it is 12:00 there. Every time zone has this time once a
    /// day.
    static func stamp(_ asOf: Instant) -> time_t {
        var (moment, day) = (time_t(asOf.seconds), tm())
        gmtime_r(&moment, &day)
        day.tm_hour = 12
        (day.tm_min, day.tm_sec, day.tm_isdst) = (0, 0, -1)
        return mktime(&day)
    }

    /// The display format of the variable. Nil for the default.
    static func format(_ kind: StatisticsColumn.Kind, for program: StatisticsProgram) -> String? {
        switch (kind, program) {
        case (.date, .spss): "SDATE10"
        case (.instant, .spss), (.local, .spss): "DATETIME24.3"
        case (.time, .spss): "TIME8"
        case (.date, _): "%tdCCYY-NN-DD"
        case (.instant, _), (.local, _): "%tcCCYY-NN-DD!_HH:MM:SS.sss"
        case (.time, _): "%tcHH:MM:SS"
        case (.number, _), (.integer, _), (.boolean, _), (.string, _): nil
        }
    }
}
