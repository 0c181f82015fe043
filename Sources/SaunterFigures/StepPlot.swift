/// Plots counts that only grow, such as enrolled participants over dates. Each course is a line of steps.
package struct StepPlot {
    /// The course of one group.
    package struct Course {
        /// The name in the legend; nil if the plot has only one course.
        package var name: String?
        /// The count from each day on, sorted by day. It is 0 before the first day.
        package var points: [(day: Int, total: Int)]

        package init(name: String?, points: [(day: Int, total: Int)]) {
            self.name = name
            self.points = points
        }
    }

    /// The number of styles of courses in the page's style sheet. Each has its own dashes, so that courses differ
    /// without colours.
    package static let styleCount = 6

    private static let width = 480.0
    private static let bottom = 200.0
    private static let legendRow = 20.0

    /// The plot as an `svg` element.
    /// - Parameters:
    ///   - lastDay: the day on which all courses end.
    ///   - target: a count that is drawn as a horizontal line with its name; nil for none.
    ///   - label: a day in words.
    package static func text(
        _ courses: [Course], lastDay: Int, target: (total: Int, name: String)? = nil, title: String,
        description: String, label: (Int) -> String
    ) -> String {
        var legend = courses.enumerated().compactMap { index, course in
            course.name.map { (name: $0, style: style(index)) }
        }
        if let target { legend.append((target.name, "goal")) }
        var svg = SVG(
            width: width, height: bottom + 34 + legendRow * Double(legend.count), title: title,
            description: description)
        var days = courses.flatMap { $0.points.map(\.day) } + [lastDay]
        // On the first day, the axis begins with the day before, when the count was 0.
        if Set(days).count == 1 { days.append(lastDay - 1) }
        let x = Axis(days.map(Double.init), start: 50, end: width - 16)
        let totals = courses.flatMap { $0.points.map(\.total) } + (target.map { [$0.total] } ?? [])
        let y = Axis(([0] + totals).map(Double.init), start: bottom, end: 14)
        drawGrid(x, y, days, label, into: &svg)
        if let target {
            let height = y.position(Double(target.total))
            svg.drawLine([(50, height), (width - 16, height)], class: "goal")
        }
        for (index, course) in courses.enumerated() {
            svg.drawLine(
                steps(course, lastDay).map { (x.position(Double($0.day)), y.position(Double($0.total))) },
                class: style(index))
        }
        for (index, entry) in legend.enumerated() {
            let height = bottom + 44 + legendRow * Double(index)
            svg.drawLine([(50, height - 5), (90, height - 5)], class: entry.style)
            svg.drawText(entry.name, 98, height, anchor: "start")
        }
        return svg.text
    }

    private static func style(_ index: Int) -> String { "step step\(index % styleCount + 1)" }

    private static func drawGrid(
        _ x: Axis, _ y: Axis, _ days: [Int], _ label: (Int) -> String, into svg: inout SVG
    ) {
        for tick in y.ticks where tick == tick.rounded() {
            svg.drawLine([(50, y.position(tick)), (width - 16, y.position(tick))], class: "grid")
            svg.drawText(String(Int(tick)), 44, y.position(tick) + 5, anchor: "end")
        }
        guard let first = days.min(), let last = days.max() else { return }
        svg.drawText(label(first), 50, bottom + 20, anchor: "start")
        if last > first { svg.drawText(label(last), width - 16, bottom + 20, anchor: "end") }
    }

    /// The corners of the line: from 0 on the first day up to the last day.
    private static func steps(_ course: Course, _ lastDay: Int) -> [(day: Int, total: Int)] {
        var corners: [(day: Int, total: Int)] = []
        for point in course.points {
            corners.append((point.day, corners.last?.total ?? 0))
            corners.append(point)
        }
        if let last = corners.last, last.day < lastDay { corners.append((lastDay, last.total)) }
        return corners
    }
}
