/// Plots moments on lines of time, one line for each kind, such as the versions of a study and the editions of its
/// library.
package struct MomentPlot {
    /// The moments of one kind.
    package struct Row {
        /// The name above the line.
        package var name: String
        /// In any order. `at` is in any unit that all rows share.
        package var points: [(label: String, hint: String, at: Double)]

        package init(name: String, points: [(label: String, hint: String, at: Double)]) {
            self.name = name
            self.points = points
        }
    }

    private static let width = 480.0
    private static let side = 24.0
    private static let rowHeight = 64.0
    /// The least distance between two labels, and the width of a letter, in pixels.
    private static let gap = 8.0
    private static let letter = 8.0

    /// The plot as an `svg` element. A label without space is left out; its point has a tooltip.
    /// - Parameters:
    ///   - first: the first moment of all rows in words.
    ///   - last: the last one; not shown if it has the same words.
    package static func text(
        _ rows: [Row], title: String, description: String, first: String, last: String
    ) -> String {
        let bottom = rowHeight * Double(rows.count)
        var svg = SVG(width: width, height: bottom + 28, title: title, description: description)
        let axis = Axis(rows.flatMap { $0.points.map(\.at) }, start: side, end: width - side)
        for (index, row) in rows.enumerated() {
            let top = rowHeight * Double(index)
            svg.drawText(row.name, 0, top + 16, anchor: "start")
            svg.drawLine([(0, top + 52), (width, top + 52)], class: "axis")
            let labels = labels(row, axis)
            for (number, point) in row.points.enumerated() {
                let x = axis.position(point.at)
                svg.drawDot(x, top + 52, class: index == 0 ? "mean" : "mean style1", hint: point.hint)
                if labels.contains(number) { svg.drawText(point.label, x, top + 42) }
            }
        }
        svg.drawText(first, 0, bottom + 18, anchor: "start")
        if last != first { svg.drawText(last, width, bottom + 18, anchor: "end") }
        return svg.text
    }

    /// The indices of the points whose labels have space. The newest ones have priority.
    private static func labels(_ row: Row, _ axis: Axis) -> Set<Int> {
        var kept: Set<Int> = []
        var limit = Double.infinity
        for (index, point) in row.points.enumerated().sorted(by: { $0.element.at > $1.element.at }) {
            let half = Double(point.label.count) * letter / 2
            let x = axis.position(point.at)
            guard x + half + gap <= limit, x - half >= 0 || kept.isEmpty else { continue }
            kept.insert(index)
            limit = x - half
        }
        return kept
    }
}
