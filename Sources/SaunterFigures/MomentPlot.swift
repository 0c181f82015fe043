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
            for point in row.points {
                svg.drawDot(
                    axis.position(point.at), top + 52, class: index == 0 ? "mean" : "mean style1",
                    hint: point.hint)
            }
            for label in labels(row, axis) { svg.drawText(label.text, label.x, top + 42) }
        }
        svg.drawText(first, 0, bottom + 18, anchor: "start")
        if last != first { svg.drawText(last, width, bottom + 18, anchor: "end") }
        return svg.text
    }

    /// The labels that have space, with the positions of their middles. The newest ones have priority.
    private static func labels(_ row: Row, _ axis: Axis) -> [(text: String, x: Double)] {
        var kept: [(text: String, x: Double)] = []
        var limit = Double.infinity
        for point in row.points.sorted(by: { $0.at > $1.at }) {
            let half = Double(point.label.count) * letter / 2
            let x = max(half, min(axis.position(point.at), width - half))
            guard x + half + gap <= limit else { continue }
            kept.append((point.label, x))
            limit = x - half
        }
        return kept
    }
}
