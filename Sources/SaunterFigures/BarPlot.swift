/// Plots one horizontal bar for each value, in groups. Each bar has its name and its value as text, so that no bar
/// needs a colour.
package struct BarPlot {
    /// One bar.
    package struct Bar {
        /// The name beside the bar.
        package var label: String
        /// Nil if there is no value.
        package var value: Double?

        package init(label: String, value: Double?) {
            self.label = label
            self.value = value
        }
    }

    /// Bars under one heading.
    package struct Group {
        /// The heading; nil for none.
        package var name: String?
        package var bars: [Bar]

        package init(name: String?, bars: [Bar]) {
            self.name = name
            self.bars = bars
        }
    }

    private static let width = 360.0
    private static let row = 34.0
    private static let heading = 26.0
    /// The number of letters of a label and of a heading that fit.
    private static let (labelLength, headingLength) = (18, 44)

    /// The plot as an `svg` element.
    /// - Parameters:
    ///   - description: the finding in words; nil for none.
    ///   - number: a value in words.
    package static func text(
        _ groups: [Group], title: String, description: String? = nil, number: (Double) -> String
    ) -> String {
        let bars = groups.flatMap(\.bars)
        let headings = groups.count { $0.name != nil }
        var svg = SVG(
            width: width, height: Double(bars.count) * row + Double(headings) * heading + 8, title: title,
            description: description)
        let x = Axis([0] + bars.compactMap(\.value), start: 140, end: width - 44)
        var top = 6.0
        for group in groups {
            if let name = group.name {
                svg.drawText(String(name.prefix(headingLength)), 8, top + 17, anchor: "start")
                top += heading
            }
            for bar in group.bars {
                draw(bar, x, top, number, into: &svg)
                top += row
            }
        }
        return svg.text
    }

    private static func draw(
        _ bar: Bar, _ x: Axis, _ top: Double, _ number: (Double) -> String, into svg: inout SVG
    ) {
        svg.drawText(String(bar.label.prefix(labelLength)), 132, top + 17, anchor: "end")
        guard let value = bar.value else { return }
        let zero = x.position(0)
        svg.drawBox(
            min(zero, x.position(value)), top, abs(x.position(value) - zero), row - 12, class: "bar",
            hint: "\(bar.label): \(number(value))")
        svg.drawText(number(value), max(zero, x.position(value)) + 6, top + 17, anchor: "start")
    }
}
