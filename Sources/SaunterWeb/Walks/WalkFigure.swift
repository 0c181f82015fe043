import SaunterCore
import SaunterFigures

/// Draws the series of one walk: speed with the target, and heart rate.
struct WalkFigure {
    /// More points than pixels only make a page large.
    private static let maximumPoints = 600
    private static let width = 440.0

    private let walk: JSON
    private let words: Words.Language

    init(_ walk: JSON, _ words: Words.Language) {
        self.walk = walk
        self.words = words
    }

    /// The figures of the series that were measured.
    var all: [(svg: String, caption: String)] {
        [("speed_kmh", "km/h"), ("heart_rate_bpm", "bpm")].compactMap { name, unit in
            let points = points(name)
            guard points.contains(where: { $0.value != nil }) else { return nil }
            let caption = "\(words.text("walk", "series_\(name)")) (\(unit))"
            let target = name == "speed_kmh" ? walk["summary"]?["target_speed_kmh"]?.double : nil
            return (draw(points, title: caption, target: target), caption)
        }
    }

    private func points(_ name: String) -> [(minute: Double, value: Double?)] {
        let times = (walk["series"]?["t_ms"]?.array ?? []).compactMap(\.double)
        let values = walk["series"]?[name]?.array ?? []
        guard !times.isEmpty, values.count == times.count else { return [] }
        let step = max(1, times.count / Self.maximumPoints)
        return stride(from: 0, to: times.count, by: step).map { (times[$0] / 60_000, values[$0].double) }
    }

    private func draw(
        _ points: [(minute: Double, value: Double?)], title: String, target: Double?
    ) -> String {
        let height = 200.0
        var svg = SVG(width: Self.width, height: height, title: title)
        let y = Axis(points.compactMap(\.value) + (target.map { [$0] } ?? []), start: height - 30, end: 12)
        let x = Axis(points.map(\.minute), start: 48, end: Self.width - 8)
        for tick in y.ticks {
            svg.line([(48, y.position(tick)), (Self.width - 8, y.position(tick))], class: "grid")
            svg.text(words.number(tick), 42, y.position(tick) + 4, anchor: "end")
        }
        for tick in x.ticks {
            svg.text("\(words.number(tick)) min", x.position(tick), height - 8)
        }
        if let target {
            svg.line([(48, y.position(target)), (Self.width - 8, y.position(target))], class: "target")
        }
        var run: [(x: Double, y: Double)] = []
        for point in points {
            guard let value = point.value else {
                if run.count > 1 { svg.line(run, class: "line") }
                run = []
                continue
            }
            run.append((x.position(point.minute), y.position(value)))
        }
        if run.count > 1 { svg.line(run, class: "line") }
        return svg.text
    }
}
