import SaunterStatistics

/// The course of a score over the weeks of a study.
enum TrajectoryPlot {
    /// Means with their 95 % intervals, over the range of the scale where it is declared.
    static func text(_ weeks: [ScoreWeek], title: String) -> String {
        var svg = SVG(width: 340, height: 170, title: "\(title) by week of the study")
        let x = Axis(weeks.map { Double($0.week) }, start: 50, end: 320)
        let reach = weeks.flatMap { week in
            [week.interval.mean, week.interval.lower, week.interval.upper].compactMap(\.self)
        }
        let y = Axis(reach, start: 136, end: 14)
        for tick in y.ticks {
            svg.line([(40, y.place(tick)), (330, y.place(tick))], class: "grid")
            svg.text(HTML.number(tick), 36, y.place(tick) + 4, anchor: "end")
        }
        svg.line(weeks.map { (x.place(Double($0.week)), y.place($0.interval.mean)) }, class: "course")
        let step = max(1, weeks.count / 8)
        for (place, week) in weeks.enumerated() {
            let at = x.place(Double(week.week))
            if let lower = week.interval.lower, let upper = week.interval.upper {
                svg.line([(at, y.place(lower)), (at, y.place(upper))], class: "interval")
            }
            svg.dot(
                at, y.place(week.interval.mean), class: "mean",
                hint: "week \(week.week): \(HTML.number(week.interval.mean)), n = \(week.interval.count)")
            if place % step == 0 { svg.text(String(week.week), at, 155) }
        }
        return svg.text
    }
}
