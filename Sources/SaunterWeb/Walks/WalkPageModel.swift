import SaunterCore

/// One walk as its pages show it: the values, the figure with its table, and the gaps.
struct WalkPageModel {
    private let walk: JSON
    private let words: Words.Language

    /// - Parameter walk: a walk with its samples.
    init(_ walk: JSON, _ words: Words.Language) {
        self.walk = walk
        self.words = words
    }

    /// The model of the template `walk_figure`, and of the list of values.
    var model: [String: Any] {
        let time = LocalTimeText(language: words.code, zone: walk["time_zone"]?.string ?? "")
        let text = WalkText(words)
        let finding = text.finding(walk)
        let gaps = text.gaps(walk, time)
        var model: [String: Any] = [
            "rows": text.rows(walk["summary"] ?? .null), "finding": finding, "has_gaps": !gaps.isEmpty,
            "gaps": gaps,
        ]
        if let start = walk["started_at"]?.instant, let end = walk["ended_at"]?.instant {
            model["times"] = "\(time.dayAndTime(start)) – \(time.time(end))"
        }
        let series = WalkSamples(walk)
        if let svg = WalkFigure(series, words).svg(finding: finding) {
            model["figure"] = ["svg": svg, "minutes": WalkFigure.table(series, words)]
        }
        return model
    }
}
