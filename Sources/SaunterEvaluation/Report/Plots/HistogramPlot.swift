import SaunterFigures

extension Histogram {
    /// Bars over the range of the scale.
    func plot(title: String) -> String {
        var svg = SVG(width: 340, height: 182, title: "Distribution of \(title)")
        let upper = lower + width * Double(counts.count)
        let x = Axis([lower, upper], start: 30, end: 330)
        let maximum = counts.max() ?? 0
        let y = Axis([0, Double(max(1, maximum))], start: 140, end: 12)
        for (index, count) in counts.enumerated() {
            let from = lower + width * Double(index)
            let label =
                hasOneValuePerBin
                ? HTML.number(from + width / 2) : "\(HTML.number(from)) to \(HTML.number(from + width))"
            let left = x.position(from)
            svg.drawBox(
                left + 0.5, y.position(Double(count)), x.position(from + width) - left - 1,
                140 - y.position(Double(count)), class: "bar", hint: "\(label): \(count)")
        }
        svg.drawLine([(30, 140), (330, 140)], class: "axis")
        for tick in x.ticks where !hasOneValuePerBin || width < 1 || tick == tick.rounded() {
            svg.drawText(HTML.number(tick), x.position(tick), 155)
        }
        svg.drawText(String(maximum), 26, 20, anchor: "end")
        svg.drawText("0", 26, 143, anchor: "end")
        svg.drawText("sheets", 2, 9, anchor: "start")
        svg.drawText("score", 180, 174)
        return svg.text
    }
}
