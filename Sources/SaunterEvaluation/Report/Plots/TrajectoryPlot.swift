import SaunterStatistics

/// Plots a score over the weeks of a study.
enum TrajectoryPlot {
    /// Means with their 95 % intervals.
    static func text(_ weeks: [ScoreWeek], title: String) -> String {
        var svg = SVG(width: 340, height: 182, title: "\(title) by week of the study")
        let x = Axis(weeks.map { Double($0.week) }, start: 50, end: 320)
        let values = weeks.flatMap { week in
            [week.interval.mean, week.interval.lower, week.interval.upper].compactMap(\.self)
        }
        let y = Axis(values, start: 136, end: 14)
        for tick in y.ticks {
            svg.line([(40, y.position(tick)), (330, y.position(tick))], class: "grid")
            svg.text(HTML.number(tick), 36, y.position(tick) + 4, anchor: "end")
        }
        svg.line(weeks.map { (x.position(Double($0.week)), y.position($0.interval.mean)) }, class: "course")
        svg.text("mean score", 2, 9, anchor: "start")
        svg.text("week of the study", 185, 174)
        let step = max(1, weeks.count / 8)
        for (index, week) in weeks.enumerated() {
            let centre = x.position(Double(week.week))
            if let lower = week.interval.lower, let upper = week.interval.upper {
                svg.line([(centre, y.position(lower)), (centre, y.position(upper))], class: "interval")
            }
            svg.dot(
                centre, y.position(week.interval.mean), class: "mean",
                hint: "week \(week.week): \(HTML.number(week.interval.mean)), n = \(week.interval.count)")
            if index % step == 0 { svg.text(String(week.week), centre, 155) }
        }
        return svg.text
    }
}
