import SaunterFigures
import SaunterStatistics

/// Plots a score over the weeks of a study.
enum TrajectoryPlot {
    /// The means of all participants or of one arm.
    struct Course {
        /// The name in the legend; nil if the plot has only one course.
        let arm: String?
        let weeks: [ScoreWeek]
    }

    /// The number of styles of courses in the page's style sheet.
    private static let styleCount = 4

    /// Means with their 95 % intervals. The courses of arms have different styles and are next to each other.
    static func text(_ courses: [Course], title: String) -> String {
        let legend = courses.compactMap(\.arm)
        var svg = SVG(
            width: 340, height: 182 + 14 * Double(legend.count), title: "\(title) by week of the study")
        let all = courses.flatMap(\.weeks)
        let x = Axis(all.map { Double($0.week) }, start: 50, end: 320)
        let values = all.flatMap { week in
            [week.interval.mean, week.interval.lower, week.interval.upper].compactMap(\.self)
        }
        let y = Axis(values, start: 136, end: 14)
        for tick in y.ticks {
            svg.drawLine([(40, y.position(tick)), (330, y.position(tick))], class: "grid")
            svg.drawText(HTML.number(tick), 36, y.position(tick) + 4, anchor: "end")
        }
        svg.drawText("mean score", 2, 9, anchor: "start")
        svg.drawText("week of the study", 185, 174)
        let weeks = Set(all.map(\.week)).sorted()
        let step = max(1, weeks.count / 8)
        for (index, week) in weeks.enumerated() where index % step == 0 {
            svg.drawText(String(week), x.position(Double(week)), 155)
        }
        for (index, course) in courses.enumerated() {
            let style = "style\(index % styleCount)"
            let shift = 4 * (Double(index) - Double(courses.count - 1) / 2)
            draw(course, into: &svg, style: style, x: { x.position(Double($0)) + shift }, y: y)
            guard let arm = course.arm else { continue }
            let height = 188 + 14 * Double(index)
            svg.drawLine([(50, height - 3), (74, height - 3)], class: "course \(style)")
            svg.drawText(arm, 80, height, anchor: "start")
        }
        return svg.text
    }

    private static func draw(
        _ course: Course, into svg: inout SVG, style: String, x: (Int) -> Double, y: Axis
    ) {
        svg.drawLine(
            course.weeks.map { (x($0.week), y.position($0.interval.mean)) }, class: "course \(style)")
        for week in course.weeks {
            let centre = x(week.week)
            if let lower = week.interval.lower, let upper = week.interval.upper {
                svg.drawLine(
                    [(centre, y.position(lower)), (centre, y.position(upper))], class: "interval \(style)")
            }
            let mean = "\(HTML.number(week.interval.mean)), n = \(week.interval.count)"
            svg.drawDot(
                centre, y.position(week.interval.mean), class: "mean \(style)",
                hint: (course.arm.map { "\($0), " } ?? "") + "week \(week.week): \(mean)")
        }
    }
}
