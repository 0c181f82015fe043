import SaunterCore
import SaunterStatistics

/// The mean score of one week of the study, each person counting once, with its 95 % interval.
struct ScoreWeek: Sendable, Hashable {
    /// 1 is that of the enrolment.
    let week: Int
    let interval: MeanInterval

    /// By week; sheets without a person count each for itself, those without a day or before enrolment not at
    /// all.
    static func all(_ sheets: [ReportSheet], scale: Int) -> [ScoreWeek] {
        var weeks: [Int: [String: [Double]]] = [:]
        for (place, sheet) in sheets.enumerated() {
            guard let day = sheet.day, day >= 0, let score = sheet.scores[scale] else { continue }
            weeks[day / 7 + 1, default: [:]][sheet.person ?? "#\(place)", default: []].append(score)
        }
        return weeks.sorted { $0.key < $1.key }.compactMap { week, people in
            let means = people.sorted { $0.key < $1.key }.compactMap { _, scores in
                Estimate { () throws(Gap) in try MeanInterval(scores).mean }.value
            }
            return Estimate { () throws(Gap) in try MeanInterval(means) }.value.map {
                ScoreWeek(week: week, interval: $0)
            }
        }
    }

    var json: JSON {
        [
            "week": .int(week), "people": .int(interval.count), "mean": .double(interval.mean),
            "lower": .optional(interval.lower, JSON.double),
            "upper": .optional(interval.upper, JSON.double),
        ]
    }
}
