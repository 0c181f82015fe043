import SaunterCore
import SaunterFigures

/// The plots of one scale with their findings in words, and the tables beside them.
struct ScaleFigures {
    /// A plot as an `svg` element.
    struct Figure {
        var svg: String
        var finding: String
    }

    /// All participants, or one arm.
    private struct Group {
        /// Nil for all participants.
        var arm: String?
        var json: JSON
    }

    private let scale: JSON
    private let words: StatisticsWords

    /// - Parameter scale: an element of `scales`.
    init(_ scale: JSON, _ words: StatisticsWords) {
        self.scale = scale
        self.words = words
    }

    var title: String { scale["title"]?.string ?? "" }

    private var groups: [Group] {
        [Group(arm: nil, json: scale)]
            + (scale["arms"]?.array ?? []).map { Group(arm: $0["arm"]?.string ?? "", json: $0) }
    }

    private func name(_ group: Group) -> String {
        group.arm.map { words.text("of_arm", ["scale": title, "arm": $0]) } ?? title
    }

    // MARK: Distribution

    private var histogramWords: HistogramPlot.Words {
        let words = words
        return HistogramPlot.Words(
            count: words.text("sheets"), value: words.text("score"), number: words.number
        ) { words.text("range", ["from": $0, "to": $1]) }
    }

    private static func histogram(_ group: Group) -> HistogramPlot? {
        guard let json = group.json["histogram"], let lower = json["lower"]?.double,
            let width = json["width"]?.double
        else { return nil }
        return HistogramPlot(
            lower: lower, width: width, counts: (json["counts"]?.array ?? []).map { $0.int ?? 0 },
            hasOneValuePerBin: json["one_value_per_bin"]?.bool ?? false)
    }

    /// One plot for all participants and one for each arm; empty without scores.
    var histograms: [Figure] {
        groups.compactMap { group in
            guard let plot = Self.histogram(group), let largest = plot.counts.max(),
                let index = plot.counts.firstIndex(of: largest)
            else { return nil }
            let finding = words.text(
                "histogram_finding",
                [
                    "scale": name(group), "count": String(plot.counts.reduce(0, +)),
                    "mean": value("mean", group), "sd": value("sd", group),
                    "bin": plot.label(index, histogramWords), "sheets": String(largest),
                ])
            return Figure(
                svg: plot.text(
                    title: words.text("histogram_title", ["scale": name(group)]), description: finding,
                    words: histogramWords), finding: finding)
        }
    }

    private func value(_ figure: String, _ group: Group) -> String {
        let found = (group.json["figures"]?.array ?? []).first { $0["figure"]?.string == figure }
        return found?["value"]?.double.map(words.number) ?? "–"
    }

    /// The rows of the table of the distribution.
    var bins: [[StaffTable.Cell]] {
        groups.flatMap { group -> [[StaffTable.Cell]] in
            guard let plot = Self.histogram(group) else { return [] }
            return plot.counts.indices.map { index in
                let from = plot.lower + plot.width * Double(index)
                return [
                    .text(plot.label(index, histogramWords)), .text(group.arm ?? words.text("all_arms")),
                    words.cell(from), words.cell(from + plot.width), .number(plot.counts[index]),
                ]
            }
        }
    }

    // MARK: Course

    private static func points(_ group: Group) -> [TrajectoryPlot.Point] {
        (group.json["weeks"]?.array ?? []).compactMap { week in
            guard let number = week["week"]?.int, let mean = week["mean"]?.double else { return nil }
            return TrajectoryPlot.Point(
                week: number, mean: mean, lower: week["lower"]?.double, upper: week["upper"]?.double,
                count: week["people"]?.int ?? 0)
        }
    }

    /// The mean by week of all participants, and of the arms in one plot; empty without scores.
    var courses: [Figure] {
        let all = groups.map { (arm: $0.arm, points: Self.points($0)) }.filter { !$0.points.isEmpty }
        return [all.filter { $0.arm == nil }, all.filter { $0.arm != nil }].compactMap { courses in
            guard let first = courses.first else { return nil }
            let title = words.text(
                first.arm == nil ? "course_title" : "course_by_arm", ["scale": self.title])
            let finding =
                ([title + "."] + courses.map { sentence($0.arm, $0.points) }).joined(separator: " ")
            let svg = TrajectoryPlot.text(
                courses.map { TrajectoryPlot.Course(name: $0.arm, points: $0.points) }, title: title,
                description: finding, words: trajectoryWords)
            return Figure(svg: svg, finding: finding)
        }
    }

    private var trajectoryWords: TrajectoryPlot.Words {
        let words = words
        return TrajectoryPlot.Words(
            value: words.text("mean_score"), time: words.text("week_of_study"), number: words.number
        ) {
            words.text(
                "point", ["week": String($0.week), "mean": words.number($0.mean), "count": String($0.count)])
        }
    }

    /// The first and the last mean.
    private func sentence(_ arm: String?, _ points: [TrajectoryPlot.Point]) -> String {
        let (first, last) = (points[0], points[points.count - 1])
        let change = words.text(
            points.count == 1 ? "course_one_week" : "course_finding",
            [
                "first": words.number(first.mean), "first_week": String(first.week),
                "last": words.number(last.mean), "last_week": String(last.week),
            ])
        return arm.map { "\($0): \(change)" } ?? change
    }

    /// The rows of the table of the course.
    var weeks: [[StaffTable.Cell]] {
        groups.flatMap { group -> [[StaffTable.Cell]] in
            (group.json["weeks"]?.array ?? []).map { week in
                let numbers = ["mean", "lower", "upper", "median", "lower_quartile", "upper_quartile"]
                let head: [StaffTable.Cell] = [
                    .text(week["week"]?.int.map { String($0) } ?? ""),
                    .text(group.arm ?? words.text("all_arms")), .number(week["people"]?.int),
                ]
                return head + numbers.map { words.cell(week[$0]?.double) }
            }
        }
    }
}
