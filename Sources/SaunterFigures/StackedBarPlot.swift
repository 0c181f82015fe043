/// Plots the shares of the answers to several questions with the same options: one horizontal bar for each question.
/// The shares go from light to dark in the order of the options, and have an outline and their percentages, so that
/// they need no colour.
package struct StackedBarPlot {
    /// The answers to one question.
    package struct Bar {
        /// The question, above the bar.
        package var label: String
        /// The number of answers by option.
        package var counts: [Int]

        package init(label: String, counts: [Int]) {
            self.label = label
            self.counts = counts
        }
    }

    /// The texts of a plot.
    package struct Words {
        /// The number of answers to a question in words.
        package var total: (Int) -> String
        /// A share from 0 to 1 in words.
        package var share: (Double) -> String
        /// An option, its number of answers and its share in words.
        package var part: (String, Int, Double) -> String

        package init(
            total: @escaping (Int) -> String, share: @escaping (Double) -> String,
            part: @escaping (String, Int, Double) -> String
        ) {
            self.total = total
            self.share = share
            self.part = part
        }
    }

    private static let (left, length) = (8.0, 464.0)
    private static let (row, height, legendRow) = (60.0, 20.0, 20.0)
    /// The number of letters of a question and of an option that fit. The table beside has the whole texts.
    private static let (labelLength, optionLength) = (60, 64)
    /// The width from which a part has room for its percentage.
    private static let labelWidth = 34.0

    /// The plot as an `svg` element.
    /// - Parameters:
    ///   - options: the names of the options in their order.
    ///   - description: the finding in words; nil for none.
    package static func text(
        _ bars: [Bar], options: [String], title: String, description: String? = nil, words: Words
    ) -> String {
        let legend = Double(bars.count) * row + 8
        var svg = SVG(
            width: left * 2 + length, height: legend + Double(options.count) * legendRow, title: title,
            description: description)
        for (index, bar) in bars.enumerated() {
            draw(bar, options, top: Double(index) * row, words, into: &svg)
        }
        for (index, option) in options.enumerated() {
            let top = legend + Double(index) * legendRow
            svg.drawBox(left, top, 24, 12, class: "share", opacity: opacity(index, of: options.count))
            svg.drawText(shortened(option, optionLength), left + 32, top + 11, anchor: "start")
        }
        return svg.text
    }

    private static func draw(
        _ bar: Bar, _ options: [String], top: Double, _ words: Words, into svg: inout SVG
    ) {
        let total = bar.counts.reduce(0, +)
        svg.drawText(shortened(bar.label, labelLength), left, top + 14, anchor: "start")
        svg.drawText(words.total(total), left + length, top + 14, anchor: "end")
        guard total > 0 else { return }
        var earlier = 0
        for (index, (option, count)) in zip(options, bar.counts).enumerated() where count > 0 {
            let share = Double(count) / Double(total)
            let (start, width) = (left + length * Double(earlier) / Double(total), length * share)
            svg.drawBox(
                start, top + 20, width, height, class: "share", opacity: opacity(index, of: options.count),
                hint: words.part(option, count, share))
            if width >= labelWidth {
                svg.drawText(words.share(share), start + width / 2, top + 20 + height + 13)
            }
            earlier += count
        }
    }

    /// From 0.1 for the first option to 1 for the last one.
    private static func opacity(_ index: Int, of count: Int) -> Double {
        count > 1 ? 0.1 + 0.9 * Double(index) / Double(count - 1) : 1
    }

    private static func shortened(_ text: String, _ length: Int) -> String {
        text.count <= length ? text : text.prefix(length - 1) + "…"
    }
}
