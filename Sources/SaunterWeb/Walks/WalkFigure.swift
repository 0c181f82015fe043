import SaunterFigures

/// Draws one walk in two panels. The upper one shows the speed, the target speed and the time above the target; the
/// lower one shows the heart rate. Pauses are hatched, and gaps stay open.
struct WalkFigure {
    private static let width = 440.0
    private static let left = 48.0
    private static let right = 432.0
    /// The height of a panel with its heading.
    private static let panel = 168.0
    /// A line is drawn by the least and the greatest value of each column, so it has at most 720 points.
    private static let columns = 360.0
    /// Half the width of the longest label of the time axis.
    private static let halfLabel = 30.0
    /// The table has one row a minute up to an hour, and otherwise at most this many rows.
    private static let maximumRows = 60.0

    private let samples: WalkSamples
    private let words: Words.Language

    init(_ samples: WalkSamples, _ words: Words.Language) {
        self.samples = samples
        self.words = words
    }

    /// The drawing; nil if nothing was measured.
    /// - Parameter finding: what the drawing shows, in words.
    func svg(finding: String) -> String? {
        let panels = [
            (
                series: samples.speed, heading: "\(words.text("walk", "series_speed_kmh")) (km/h)",
                isSpeed: true
            ),
            (
                series: samples.heartRate, heading: "\(words.text("walk", "series_heart_rate_bpm")) (bpm)",
                isSpeed: false
            ),
        ].filter { panel in panel.series.contains { $0.value != nil } }
        guard !panels.isEmpty else { return nil }
        let height = Double(panels.count) * Self.panel + 24
        var svg = SVG(
            width: Self.width, height: height, title: words.text("walk", "figure"), description: finding)
        let x = Axis([0, max(samples.minutes, 0.1)], start: Self.left, end: Self.right)
        for (index, panel) in panels.enumerated() {
            let top = Double(index) * Self.panel + 28
            let bottom = Double(index + 1) * Self.panel - 4
            svg.drawText(panel.heading, Self.left, top - 12, anchor: "start")
            let target = panel.isSpeed ? samples.target : nil
            let y = Axis(
                panel.series.compactMap(\.value) + (target.map { [$0] } ?? []), start: bottom, end: top)
            drawGrid(&svg, y)
            for pause in samples.pauses {
                let from = x.position(pause.from)
                svg.drawHatch(from, top, x.position(pause.to) - from, bottom - top, class: "pause")
            }
            let runs = samples.runs(panel.series)
            if let target { draw(target, runs, &svg, x, y, top) }
            for run in runs {
                svg.drawLine(Self.thinned(run, x, y), class: panel.isSpeed ? "line" : "line heart")
            }
        }
        for tick in x.ticks {
            let position = x.position(tick)
            // A label in the middle of its tick would be cut at the right edge.
            svg.drawText(
                "\(words.number(tick)) min", position, height - 6,
                anchor: position > Self.width - Self.halfLabel ? "end" : "middle")
        }
        return svg.text
    }

    private func drawGrid(_ svg: inout SVG, _ y: Axis) {
        for tick in y.ticks {
            svg.drawLine([(Self.left, y.position(tick)), (Self.right, y.position(tick))], class: "grid")
            svg.drawText(words.number(tick), Self.left - 6, y.position(tick) + 4, anchor: "end")
        }
    }

    /// Shades the time above the target, and draws the target as a dashed line.
    private func draw(
        _ target: Double, _ runs: [[(minute: Double, value: Double)]], _ svg: inout SVG, _ x: Axis, _ y: Axis,
        _ top: Double
    ) {
        let level = y.position(target)
        for run in runs {
            var start: Double?
            for (index, point) in run.enumerated() {
                let position = x.position(point.minute)
                if point.value > target, start == nil { start = position }
                let isLast = index == run.count - 1
                if let from = start, point.value <= target || isLast {
                    svg.drawBox(from, top, max(1, position - from), level - top, class: "above")
                    start = nil
                }
            }
        }
        svg.drawLine([(Self.left, level), (Self.right, level)], class: "target")
    }

    /// The points of a line, at most two in each column.
    private static func thinned(
        _ run: [(minute: Double, value: Double)], _ x: Axis, _ y: Axis
    ) -> [(x: Double, y: Double)] {
        let points = run.map { (x: x.position($0.minute), y: y.position($0.value)) }
        // A single value would be an invisible line.
        guard points.count > 1 else { return points.flatMap { [$0, ($0.x + 1, $0.y)] } }
        var result: [(x: Double, y: Double)] = []
        var column: [(x: Double, y: Double)] = []
        func flush() {
            guard let least = column.min(by: { $0.y < $1.y }), let most = column.max(by: { $0.y < $1.y })
            else { return }
            if least.x == most.x {
                result.append(least)
            } else {
                result += least.x < most.x ? [least, most] : [most, least]
            }
            column = []
        }
        func number(_ point: (x: Double, y: Double)) -> Int {
            Int((point.x - left) / (right - left) * columns)
        }
        for point in points {
            if let first = column.first, number(first) != number(point) { flush() }
            column.append(point)
        }
        flush()
        return result
    }

    /// The rows of the data table: the mean values of equal parts of the walk.
    static func table(_ samples: WalkSamples, _ words: Words.Language) -> [[String: Any]] {
        let step = max(1, (samples.minutes / maximumRows).rounded(.up))
        func mean(_ series: WalkSamples.Series, _ from: Double) -> Double? {
            let values = series.filter { $0.minute >= from && $0.minute < from + step }.compactMap(\.value)
            return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
        }
        return stride(from: 0, to: max(samples.minutes, 0.1), by: step).map { from in
            [
                "minute": words.number(from),
                "speed": mean(samples.speed, from).map(words.number) ?? "–",
                "heart": mean(samples.heartRate, from).map { String(Int($0.rounded())) } ?? "–",
            ]
        }
    }
}
