import SaunterFigures

/// Plots walks over the days of a study, with their target speed.
enum WalkPlot {
    /// The mean speed of each walk by day. The line is the mean target speed of the walks of that day.
    static func text(_ walks: [WalkPoint]) -> String {
        var svg = SVG(width: 700, height: 228, title: "Mean speed of walks by day, with the target speed")
        let x = Axis(walks.map { Double($0.day) }, start: 50, end: 680)
        let y = Axis(
            walks.flatMap { [$0.meanSpeed, $0.targetSpeed].compactMap(\.self) }, start: 180, end: 14)
        for tick in y.ticks {
            svg.drawLine([(40, y.position(tick)), (690, y.position(tick))], class: "grid")
            svg.drawText(HTML.number(tick), 36, y.position(tick) + 4, anchor: "end")
        }
        for tick in x.ticks where tick == tick.rounded() {
            svg.drawText(HTML.number(tick), x.position(tick), 200)
        }
        svg.drawText("km/h", 2, 9, anchor: "start")
        svg.drawText("day of the study", 365, 220)
        let targets = Dictionary(grouping: walks) { $0.day }.sorted { $0.key < $1.key }
            .compactMap { day, walks -> (x: Double, y: Double)? in
                let known = walks.compactMap(\.targetSpeed)
                guard !known.isEmpty else { return nil }
                return (x.position(Double(day)), y.position(known.reduce(0, +) / Double(known.count)))
            }
        for walk in walks {
            guard let speed = walk.meanSpeed else { continue }
            let isAbove = walk.targetSpeed.map { speed > $0 } ?? false
            svg.drawDot(
                x.position(Double(walk.day)), y.position(speed), class: isAbove ? "above" : "mean",
                hint: "\(walk.pseudonym), day \(walk.day): \(HTML.number(speed)) km/h"
                    + (walk.targetSpeed.map { ", target \(HTML.number($0)) km/h" } ?? ""))
        }
        svg.drawLine(targets, class: "target")
        return svg.text
    }
}
