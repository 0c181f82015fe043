/// Plots means, or medians with quartiles, over the weeks of a study.
package struct TrajectoryPlot {
    /// The mean or the median of one week.
    package struct Point {
        /// Week 1 begins with the enrolment.
        package var week: Int
        /// The mean or the median.
        package var mean: Double
        /// The lower end of the interval of the mean, or the lower quartile; nil if it is undefined.
        package var lower: Double?
        /// The upper end of the interval of the mean, or the upper quartile; nil if it is undefined.
        package var upper: Double?
        /// The number of participants.
        package var count: Int

        package init(week: Int, mean: Double, lower: Double?, upper: Double?, count: Int) {
            self.week = week
            self.mean = mean
            self.lower = lower
            self.upper = upper
            self.count = count
        }
    }

    /// How the lower and the upper value of a point are drawn.
    package enum Spread {
        /// A line from one to the other, for intervals of means.
        case line
        /// A box around the middle half of the values, for quartiles.
        case box
    }

    /// The means or medians of all participants or of one group.
    package struct Course {
        /// The name in the legend; nil if the plot has only one course.
        package var name: String?
        /// In order of weeks.
        package var points: [Point]

        package init(name: String?, points: [Point]) {
            self.name = name
            self.points = points
        }
    }

    /// The texts of a plot.
    package struct Words {
        /// What is measured, above the vertical axis.
        package var value: String
        /// The unit of time, below the horizontal axis.
        package var time: String
        /// A number in words.
        package var number: (Double) -> String
        /// A point in words, with its mean and its count. The name of the course is added if it has one.
        package var point: (Point) -> String

        package init(
            value: String, time: String, number: @escaping (Double) -> String,
            point: @escaping (Point) -> String
        ) {
            self.value = value
            self.time = time
            self.number = number
            self.point = point
        }
    }

    /// The number of styles of courses in the page's style sheet. Each has its own dashes, so that courses differ
    /// without colours.
    package static let styleCount = 4

    private static let boxWidth = 7.0

    /// The plot as an `svg` element: means with their intervals, or medians with their quartiles. The courses have
    /// different styles and are next to each other.
    /// - Parameter description: the finding in words; nil for none.
    package static func text(
        _ courses: [Course], spread: Spread = .line, title: String, description: String? = nil, words: Words
    ) -> String {
        let legend = courses.compactMap(\.name)
        var svg = SVG(
            width: 340, height: 182 + 14 * Double(legend.count), title: title, description: description)
        let all = courses.flatMap(\.points)
        let x = Axis(all.map { Double($0.week) }, start: 50, end: 320)
        let values = all.flatMap { [$0.mean, $0.lower, $0.upper].compactMap(\.self) }
        let y = Axis(values, start: 136, end: 14)
        for tick in y.ticks {
            svg.drawLine([(40, y.position(tick)), (330, y.position(tick))], class: "grid")
            svg.drawText(words.number(tick), 36, y.position(tick) + 4, anchor: "end")
        }
        svg.drawText(words.value, 2, 9, anchor: "start")
        svg.drawText(words.time, 185, 174)
        let weeks = Set(all.map(\.week)).sorted()
        let step = max(1, weeks.count / 8)
        for (index, week) in weeks.enumerated() where index % step == 0 {
            svg.drawText(String(week), x.position(Double(week)), 155)
        }
        for (index, course) in courses.enumerated() {
            let style = "style\(index % styleCount)"
            let shift = (spread == .box ? boxWidth + 2 : 4) * (Double(index) - Double(courses.count - 1) / 2)
            draw(
                course, spread, into: &svg, style: style, x: { x.position(Double($0)) + shift }, y: y,
                words)
            guard let name = course.name else { continue }
            let height = 188 + 14 * Double(index)
            svg.drawLine([(50, height - 3), (74, height - 3)], class: "course \(style)")
            svg.drawText(name, 80, height, anchor: "start")
        }
        return svg.text
    }

    private static func draw(
        _ course: Course, _ spread: Spread, into svg: inout SVG, style: String, x: (Int) -> Double, y: Axis,
        _ words: Words
    ) {
        svg.drawLine(
            course.points.map { (x($0.week), y.position($0.mean)) }, class: "course \(style)")
        for point in course.points {
            let centre = x(point.week)
            if let lower = point.lower, let upper = point.upper {
                switch spread {
                case .line:
                    svg.drawLine(
                        [(centre, y.position(lower)), (centre, y.position(upper))],
                        class: "interval \(style)")
                case .box:
                    svg.drawBox(
                        centre - boxWidth / 2, y.position(upper), boxWidth,
                        y.position(lower) - y.position(upper), class: "box \(style)")
                }
            }
            svg.drawDot(
                centre, y.position(point.mean), class: "mean \(style)",
                hint: (course.name.map { "\($0), " } ?? "") + words.point(point))
        }
    }
}
