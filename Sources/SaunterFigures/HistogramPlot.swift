/// Plots the number of values in bins of equal width.
package struct HistogramPlot {
    /// The texts of a plot.
    package struct Words {
        /// What is counted, above the vertical axis.
        package var count: String
        /// What is measured, below the horizontal axis.
        package var value: String
        /// A number in words.
        package var number: (Double) -> String
        /// The values of a bin with several possible values, from its two ends in words.
        package var range: (_ from: String, _ to: String) -> String

        package init(
            count: String, value: String, number: @escaping (Double) -> String,
            range: @escaping (_ from: String, _ to: String) -> String
        ) {
            self.count = count
            self.value = value
            self.number = number
            self.range = range
        }
    }

    /// The lower end of the first bin.
    package var lower: Double
    /// The width of a bin.
    package var width: Double
    /// The number of values in each bin.
    package var counts: [Int]
    /// Whether each bin contains exactly one possible value, its middle.
    package var hasOneValuePerBin: Bool

    package init(lower: Double, width: Double, counts: [Int], hasOneValuePerBin: Bool) {
        self.lower = lower
        self.width = width
        self.counts = counts
        self.hasOneValuePerBin = hasOneValuePerBin
    }

    /// The values of a bin in words.
    package func label(_ index: Int, _ words: Words) -> String {
        let from = lower + width * Double(index)
        return hasOneValuePerBin
            ? words.number(from + width / 2) : words.range(words.number(from), words.number(from + width))
    }

    /// The plot as an `svg` element: bars over the whole range.
    /// - Parameter description: the finding in words; nil for none.
    package func text(title: String, description: String? = nil, words: Words) -> String {
        var svg = SVG(width: 340, height: 182, title: title, description: description)
        let upper = lower + width * Double(counts.count)
        let x = Axis([lower, upper], start: 30, end: 330)
        let maximum = counts.max() ?? 0
        let y = Axis([0, Double(max(1, maximum))], start: 140, end: 12)
        for (index, count) in counts.enumerated() {
            let from = lower + width * Double(index)
            let left = x.position(from)
            svg.drawBox(
                left + 0.5, y.position(Double(count)), x.position(from + width) - left - 1,
                140 - y.position(Double(count)), class: "bar", hint: "\(label(index, words)): \(count)")
        }
        svg.drawLine([(30, 140), (330, 140)], class: "axis")
        for tick in x.ticks where !hasOneValuePerBin || width < 1 || tick == tick.rounded() {
            svg.drawText(words.number(tick), x.position(tick), 155)
        }
        svg.drawText(String(maximum), 26, 20, anchor: "end")
        svg.drawText("0", 26, 143, anchor: "end")
        svg.drawText(words.count, 2, 9, anchor: "start")
        svg.drawText(words.value, 180, 174)
        return svg.text
    }
}
