import SaunterCore
import SaunterStatistics

/// The mean score in one week of the study with its 95 % interval, the median and the quartiles. Each participant
/// counts once.
struct ScoreWeek: Sendable, Hashable {
    /// Week 1 begins with the enrolment.
    let week: Int
    let interval: MeanInterval
    /// Of the participants' means; nil if they are undefined.
    var quartiles: Quartiles?

    /// All weeks in order. A sheet without a participant counts alone. Sheets without a study day or before the
    /// enrolment are ignored.
    static func all(_ sheets: [ReportSheet], scale: Int) -> [ScoreWeek] {
        var weeks: [Int: [String: [Double]]] = [:]
        for (index, sheet) in sheets.enumerated() {
            guard let day = sheet.day, day >= 0, let score = sheet.scores[scale] else { continue }
            weeks[day / 7 + 1, default: [:]][sheet.pseudonym ?? "#\(index)", default: []].append(score)
        }
        return weeks.sorted { $0.key < $1.key }.compactMap { week, participants in
            let means = participants.sorted { $0.key < $1.key }.compactMap { _, scores in
                Estimate { () throws(UndefinedStatistic) in try MeanInterval(scores).mean }.value
            }
            return Estimate { () throws(UndefinedStatistic) in try MeanInterval(means) }.value.map {
                let quartiles = Estimate { () throws(UndefinedStatistic) in try Quartiles(means) }.value
                return ScoreWeek(week: week, interval: $0, quartiles: quartiles)
            }
        }
    }

    var json: JSON {
        [
            "week": .int(week), "people": .int(interval.count), "mean": .double(interval.mean),
            "lower": .optional(interval.lower, JSON.double),
            "upper": .optional(interval.upper, JSON.double),
            "median": .optional(quartiles?.median, JSON.double),
            "lower_quartile": .optional(quartiles?.lower, JSON.double),
            "upper_quartile": .optional(quartiles?.upper, JSON.double),
        ]
    }
}
