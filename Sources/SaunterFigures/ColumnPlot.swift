/// Plots counts of days or hours as columns. A column can have a part, such as the answered ones of all occasions,
/// which is drawn filled inside the outline of the whole.
package struct ColumnPlot {
    /// One column.
    package struct Column {
        /// The name below the axis, and in the tooltip.
        package var label: String
        /// The height of the column.
        package var count: Int
        /// The filled part of the column; nil if it is filled completely.
        package var part: Int?

        package init(label: String, count: Int, part: Int? = nil) {
            self.label = label
            self.count = count
            self.part = part
        }
    }

    private static let width = 480.0
    private static let bottom = 170.0
    /// The maximum number of names below the axis.
    private static let labels = 6

    /// The plot as an `svg` element.
    /// - Parameters:
    ///   - description: the finding in words.
    ///   - hint: a column in words.
    package static func text(
        _ columns: [Column], title: String, description: String, hint: (Column) -> String
    ) -> String {
        var svg = SVG(width: width, height: bottom + 30, title: title, description: description)
        let y = Axis([0] + columns.map { Double(max(1, $0.count)) }, start: bottom, end: 14)
        for tick in y.ticks where tick == tick.rounded() {
            svg.drawLine([(50, y.position(tick)), (width - 16, y.position(tick))], class: "grid")
            svg.drawText(String(Int(tick)), 44, y.position(tick) + 5, anchor: "end")
        }
        guard !columns.isEmpty else { return svg.text }
        let step = (width - 66) / Double(columns.count)
        let gap = step > 4 ? 1.5 : 0
        for (index, column) in columns.enumerated() {
            let left = 50 + step * Double(index)
            func draw(_ count: Int, class name: String) {
                svg.drawBox(
                    left + gap / 2, y.position(Double(count)), step - gap, bottom - y.position(Double(count)),
                    class: name, hint: hint(column))
            }
            if column.part != nil { draw(column.count, class: "whole") }
            draw(column.part ?? column.count, class: "bar")
        }
        svg.drawLine([(50, bottom), (width - 16, bottom)], class: "axis")
        let every = max(1, (columns.count + labels - 1) / labels)
        for index in stride(from: 0, to: columns.count, by: every) {
            svg.drawText(columns[index].label, 50 + step * (Double(index) + 0.5), bottom + 20)
        }
        return svg.text
    }
}
