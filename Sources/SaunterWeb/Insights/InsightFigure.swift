import SaunterCore
import SaunterFigures

/// Draws the values of one insight. Colours come from the style sheet by class.
struct InsightFigure {
    private static let width = 360.0
    /// The language of the numbers.
    let words: Words.Language

    /// A line of values over time: one point for each key with a value, and a gap where a value is missing.
    func series(_ points: [(label: String, value: Double?)], title: String) -> String {
        let height = 180.0
        var svg = SVG(width: Self.width, height: height, title: title)
        let known = points.compactMap(\.value)
        let y = Axis(known, start: height - 34, end: 14)
        for tick in y.ticks {
            svg.drawLine([(44, y.position(tick)), (Self.width - 8, y.position(tick))], class: "grid")
            svg.drawText(words.number(tick), 38, y.position(tick) + 4, anchor: "end")
        }
        let step = (Self.width - 60) / Double(max(points.count - 1, 1))
        func x(_ index: Int) -> Double { 50 + Double(index) * step }
        var run: [(x: Double, y: Double)] = []
        for (index, point) in points.enumerated() {
            guard let value = point.value else {
                if run.count > 1 { svg.drawLine(run, class: "line") }
                run = []
                continue
            }
            run.append((x(index), y.position(value)))
        }
        if run.count > 1 { svg.drawLine(run, class: "line") }
        for (index, point) in points.enumerated() {
            guard let value = point.value else { continue }
            svg.drawDot(
                x(index), y.position(value), class: "dot", hint: "\(point.label): \(words.number(value))")
        }
        if let first = points.first { svg.drawText(first.label, 44, height - 10, anchor: "start") }
        if points.count > 1, let last = points.last {
            svg.drawText(last.label, Self.width - 8, height - 10, anchor: "end")
        }
        return svg.text
    }

    /// One bar for each key.
    func bars(_ bars: [(label: String, value: Double?)], title: String) -> String {
        BarPlot.text(
            [.init(name: nil, bars: bars.map { .init(label: $0.label, value: $0.value) })], title: title,
            number: words.number)
    }
}
