import SaunterFigures
import SaunterStatistics

extension HistogramPlot.Words {
    /// The texts of the printed report.
    fileprivate static var report: Self {
        Self(count: "sheets", value: "score", number: HTML.number) { "\($0) to \($1)" }
    }
}

extension TrajectoryPlot.Words {
    /// The texts of the printed report.
    fileprivate static var report: Self {
        Self(value: "mean score", time: "week of the study", number: HTML.number) {
            "week \($0.week): \(HTML.number($0.mean)), n = \($0.count)"
        }
    }
}

extension Histogram {
    /// Bars over the range of the scale.
    func plot(title: String) -> String {
        HistogramPlot(lower: lower, width: width, counts: counts, hasOneValuePerBin: hasOneValuePerBin)
            .text(title: "Distribution of \(title)", words: .report)
    }
}

extension TrajectoryPlot.Course {
    /// - Parameter arm: the name in the legend; nil for all participants.
    init(arm: String?, weeks: [ScoreWeek]) {
        self.init(
            name: arm,
            points: weeks.map {
                TrajectoryPlot.Point(
                    week: $0.week, mean: $0.interval.mean, lower: $0.interval.lower,
                    upper: $0.interval.upper, count: $0.interval.count)
            })
    }
}

extension TrajectoryPlot {
    /// Mean scores by week with their 95 % intervals.
    static func text(_ courses: [Course], title: String) -> String {
        text(courses, title: "\(title) by week of the study", words: .report)
    }
}
