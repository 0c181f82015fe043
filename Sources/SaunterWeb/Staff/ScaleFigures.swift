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

    /// What the course shows of each week.
    enum Average: String, CaseIterable {
        /// The mean with its interval.
        case mean
        /// The median with the quartiles.
        case median
    }

    private let scale: JSON
    private let average: Average
    private let words: StatisticsWords

    /// - Parameter scale: an element of `scales`.
    init(_ scale: JSON, _ words: StatisticsWords, average: Average = .mean) {
        self.scale = scale
        self.average = average
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

    private func points(_ group: Group) -> [TrajectoryPlot.Point] {
        let (lower, upper) =
            average == .mean ? ("lower", "upper") : ("lower_quartile", "upper_quartile")
        return (group.json["weeks"]?.array ?? []).compactMap { week in
            guard let number = week["week"]?.int, let value = week[average.rawValue]?.double else {
                return nil
            }
            return TrajectoryPlot.Point(
                week: number, mean: value, lower: week[lower]?.double, upper: week[upper]?.double,
                count: week["people"]?.int ?? 0)
        }
    }

    /// The mean or the median by week of all participants, and of the arms in one plot; empty without scores.
    var courses: [Figure] {
        let all = groups.map { (arm: $0.arm, points: points($0)) }.filter { !$0.points.isEmpty }
        return [all.filter { $0.arm == nil }, all.filter { $0.arm != nil }].compactMap { courses in
            guard let first = courses.first else { return nil }
            let title = words.text(
                first.arm == nil ? "course_title" : "course_by_arm", ["scale": self.title])
            let finding =
                ([title + "."] + courses.map { sentence($0.arm, $0.points) }).joined(separator: " ")
            let svg = TrajectoryPlot.text(
                courses.map { TrajectoryPlot.Course(name: $0.arm, points: $0.points) },
                spread: average == .mean ? .line : .box, title: title, description: finding,
                words: trajectoryWords)
            return Figure(svg: svg, finding: finding)
        }
    }

    private var trajectoryWords: TrajectoryPlot.Words {
        let (words, average) = (words, average)
        return TrajectoryPlot.Words(
            value: words.text("\(average)_score"), time: words.text("week_of_study"), number: words.number
        ) {
            words.text(
                average == .mean ? "point" : "point_median",
                ["week": String($0.week), "mean": words.number($0.mean), "count": String($0.count)])
        }
    }

    /// The first and the last mean or median.
    private func sentence(_ arm: String?, _ points: [TrajectoryPlot.Point]) -> String {
        let (first, last) = (points[0], points[points.count - 1])
        let change = words.text(
            (points.count == 1 ? "course_one_week" : "course_finding") + (average == .mean ? "" : "_median"),
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

    // MARK: Answers

    /// The answers to one item with options.
    private struct ItemAnswers {
        var title: String
        var options: [(value: Double, label: String, count: Int)]
        /// What the items of one plot have in common.
        var key: [String] { options.map { "\($0.value) \($0.label)" } }
        var total: Int { options.reduce(0) { $0 + $1.count } }
    }

    private var items: [(id: String, item: ItemAnswers)] {
        (scale["items"]?.array ?? []).map { item in
            let id = item["item"]?.string ?? ""
            let options = (item["answers"]?.array ?? []).map {
                (
                    value: $0["value"]?.double ?? 0, label: $0["label"]?.string ?? "",
                    count: $0["n"]?.int ?? 0
                )
            }
            return (id, ItemAnswers(title: item["title"]?.string ?? id, options: options))
        }
    }

    /// One plot for the items with the same options; empty without items with options, or without answers.
    var answers: [Figure] {
        var sets: [[ItemAnswers]] = []
        for (_, item) in items where item.total > 0 {
            if let index = sets.firstIndex(where: { $0[0].key == item.key }) {
                sets[index].append(item)
            } else {
                sets.append([item])
            }
        }
        return sets.map { items in
            let title = words.text("answers_title", ["scale": title])
            let finding = finding(items)
            let svg = StackedBarPlot.text(
                items.map { .init(label: $0.title, counts: $0.options.map(\.count)) },
                options: items[0].options.map { option($0.value, $0.label) }, title: title,
                description: finding, words: stackedWords)
            return Figure(svg: svg, finding: finding)
        }
    }

    /// An answer with its value. A label that begins with the value, such as `0 – very unwell`, is not changed.
    private func option(_ value: Double, _ label: String) -> String {
        let number = words.number(value)
        return label == number || label.hasPrefix("\(number) ") ? label : "\(number) \(label)"
    }

    private var stackedWords: StackedBarPlot.Words {
        let words = words
        return StackedBarPlot.Words(
            total: { "n = \($0)" }, share: { words.wholePercent($0) },
            part: {
                words.text(
                    "answers_part", ["option": $0, "count": String($1), "share": words.wholePercent($2)])
            })
    }

    /// The answer that most participants gave to the same item.
    private func finding(_ items: [ItemAnswers]) -> String {
        var best: (item: ItemAnswers, label: String, share: Double)?
        for item in items {
            for option in item.options {
                let share = Double(option.count) / Double(item.total)
                if share > best?.share ?? 0 { best = (item, option.label, share) }
            }
        }
        guard let best else { return words.text("answers_title", ["scale": title]) }
        return words.text(
            "answers_finding",
            [
                "scale": title, "item": best.item.title, "option": best.label,
                "share": words.wholePercent(best.share), "count": String(best.item.total),
            ])
    }

    /// The rows of the table of the answers.
    var answerRows: [[StaffTable.Cell]] {
        items.flatMap { id, item in
            item.options.map { option in
                let share = item.total > 0 ? Double(option.count) / Double(item.total) : nil
                return [
                    .text(id), .text(item.title), words.cell(option.value), .text(option.label),
                    .number(option.count), .statistic(share, text: share.map(words.percent) ?? "–"),
                ]
            }
        }
    }
}
