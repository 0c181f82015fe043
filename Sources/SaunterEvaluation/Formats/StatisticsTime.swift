import Foundation
import SaunterCore

/// Moments as statistics programs count them.
enum StatisticsTime {
    /// Days from 1582-10-14, SPSS's beginning, to 1970-01-01.
    private static let spssDays = 141_428.0
    /// Days from 1960-01-01, Stata's beginning, to 1970-01-01.
    private static let stataDays = 3653.0

    /// The number of a cell of a type that is a time; nil for a text that is none.
    static func number(_ text: String, _ type: ColumnType, for format: DatasetFormat) -> Double? {
        switch type {
        case .date:
            guard let day = Instant(text + "T00:00:00.000Z") else { return nil }
            let days = Double(day.milliseconds) / 86_400_000
            return format == .spss ? (days + spssDays) * 86_400 : days + stataDays
        case .instant, .local:
            guard let instant = Instant(type == .local ? text + "Z" : text) else { return nil }
            let milliseconds = Double(instant.milliseconds)
            return format == .spss
                ? milliseconds / 1000 + spssDays * 86_400 : milliseconds + stataDays * 86_400_000
        case .time:
            let parts = text.split(separator: ":").compactMap { Double($0) }
            guard parts.count == 3 else { return nil }
            let seconds = parts[0] * 3600 + parts[1] * 60 + parts[2]
            return format == .spss ? seconds : seconds * 1000
        case .string, .integer, .number, .boolean: return nil
        }
    }

    /// The moment that a file is said to be of: noon of the snapshot's day in UTC. ReadStat writes it by the clock on this machine's wall, so it is given
    /// the moment at which that shows noon, as it does once a day in every zone.
    static func stamp(_ asOf: Instant) -> time_t {
        var (moment, day) = (time_t(asOf.seconds), tm())
        gmtime_r(&moment, &day)
        day.tm_hour = 12
        (day.tm_min, day.tm_sec, day.tm_isdst) = (0, 0, -1)
        return mktime(&day)
    }

    /// How the program is to show it.
    static func format(_ type: ColumnType, for format: DatasetFormat) -> String? {
        switch (type, format) {
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
