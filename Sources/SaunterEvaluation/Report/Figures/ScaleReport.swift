import SaunterCore
import SaunterStatistics

/// The report of one scale.
package struct ScaleReport: Sendable {
    /// The report of one item of the scale.
    package struct ItemReport: Sendable {
        /// The id of the item or input scale.
        package let id: String
        let title: String
        /// The statistics of the item.
        package let figures: [ReportFigure]
        /// How often each option was chosen, in the order of the options. Empty if the item has no options with
        /// numbers.
        package let answers: [AnswerCount]
    }

    /// How often an option of an item was chosen.
    package struct AnswerCount: Sendable, Hashable {
        /// The number of the option in scoring, not reversed.
        package let value: Double
        let label: String
        /// The number of sheets, of those that the statistics of the item use.
        package let count: Int
    }

    /// The id of the scale.
    package let id: String
    let title: String
    /// The number of sheets without a score by reason, in the order of `ScoreReason`. Together with the figure `n` they
    /// are the number of sheets.
    package let missingByReason: [(reason: ScoreReason, count: Int)]
    /// The statistics of the scale.
    package let figures: [ReportFigure]
    /// The items in the order of the scoring key. Empty if item statistics are undefined.
    package let items: [ItemReport]
    let histogram: Histogram?
    let weeks: [ScoreWeek]
    /// The scores of each arm, in the order of the report. Empty if the report has fewer than two arms.
    package let arms: [ArmReport]

    /// - Parameters:
    ///   - scale: the index of the scale in its key.
    ///   - participants: the same sheets by participant; nil if the sheets have no participant.
    ///   - arms: the names of the arms.
    init(
        _ keyed: KeyedItems, scale index: Int, sheets: [ReportSheet], participants: [[ReportSheet]]?,
        arms: [String] = []
    ) {
        let scale = keyed.scales[index]
        let text = keyed.questionnaire.text(in: "en")
        id = scale.id
        title = text.scales[scale.id] ?? scale.id
        let scores = sheets.map { $0.scores[index] }
        let reasons = sheets.compactMap { $0.reasons.isEmpty ? nil : $0.reasons[index] }
        missingByReason = ScoreReason.allCases.compactMap { reason in
            let count = reasons.count { $0 == reason }
            return count > 0 ? (reason: reason, count: count) : nil
        }
        let description = DescriptiveStatistics(scores, range: scale.declaredRange)
        // Sheets of one participant are correlated. Item statistics therefore use one sheet per participant.
        let first = participants?.compactMap(\.first) ?? sheets
        let table = Estimate { () throws(UndefinedStatistic) in
            try ItemTable(columns: scale.items.indices.map { item in first.map { $0.keyed[index][item] } })
        }
        let reliability = Reliability(
            scale.isSumOfItems ? table : .failure(.notSum),
            deviation: DescriptiveStatistics(first.map { $0.scores[index] }).deviation)
        figures =
            description.figures + reliability.figures
            + (participants.map {
                ChangeStatistics(
                    $0, scale: index, isSum: scale.isSumOfItems, reliableChange: reliability.reliableChange
                ).figures
            } ?? [])
        items = Self.items(scale, table, keyed, first, text)
        let histogram = Histogram(scores.compactMap(\.self), range: scale.declaredRange)
        self.histogram = histogram
        weeks = ScoreWeek.all(sheets, scale: index)
        self.arms = (arms.count > 1 ? arms : []).map { arm in
            ArmReport(
                arm, sheets.filter { $0.arm == arm }, scale: index, range: scale.declaredRange,
                histogram: histogram)
        }
    }

    private static func items(
        _ scale: Scale, _ table: Estimate<ItemTable>, _ keyed: KeyedItems, _ sheets: [ReportSheet],
        _ text: QuestionnaireText
    ) -> [ItemReport] {
        guard let table = table.value else { return [] }
        let statistics = ItemStatistics.all(
            table, missing: .pairwise, ranges: scale.items.map { keyed.range(of: $0, in: scale) })
        return zip(scale.items, statistics).map { item, statistics in
            ItemReport(
                id: item, title: text.items[item] ?? text.scales[item] ?? item,
                figures: statistics.description.figures
                    + [
                        ("item_total_r", statistics.correctedTotalCorrelation),
                        ("alpha_if_dropped", statistics.alphaIfDropped),
                    ].map { name, value in
                        ReportFigure(
                            name, missing: .pairwise, scale.isSumOfItems ? value : .failure(.notSum))
                    }, answers: answers(to: item, keyed, sheets, text))
        }
    }

    private static func answers(
        to name: String, _ keyed: KeyedItems, _ sheets: [ReportSheet], _ text: QuestionnaireText
    ) -> [AnswerCount] {
        guard let index = keyed.asked.firstIndex(where: { $0.linkId == name }) else { return [] }
        let given = sheets.compactMap { $0.given.dropFirst(index).first ?? nil }
        let counts = Dictionary(given.map { ($0, 1) }, uniquingKeysWith: +)
        return keyed.asked[index].numberedOptions(text).map {
            AnswerCount(value: $0.number, label: $0.label, count: counts[$0.number] ?? 0)
        }
    }

    var json: JSON {
        [
            "scale": .string(id), "title": .string(title),
            "missing_by_reason": .array(
                missingByReason.map { ["reason": .string($0.reason.rawValue), "n": .int($0.count)] }),
            "figures": .array(figures.map(\.json)),
            "items": .array(
                items.map { item in
                    [
                        "item": .string(item.id), "title": .string(item.title),
                        "figures": .array(item.figures.map(\.json)),
                        "answers": .array(
                            item.answers.map {
                                ["value": .double($0.value), "label": .string($0.label), "n": .int($0.count)]
                            }),
                    ]
                }),
            "histogram": .optional(histogram, \.json), "weeks": .array(weeks.map(\.json)),
            "arms": .array(arms.map(\.json)),
        ]
    }
}

extension DescriptiveStatistics {
    /// The descriptive statistics as figures.
    var figures: [ReportFigure] {
        func known(_ value: Double?) -> Estimate<Double> { value.map { .success($0) } ?? .failure(.noValues) }
        return [
            ReportFigure("n", .success(Double(count))),
            ReportFigure("missing", .success(Double(missingCount))),
            ReportFigure("mean", count: count, mean), ReportFigure("sd", count: count, deviation),
            ReportFigure("min", count: count, known(minimum)),
            ReportFigure("max", count: count, known(maximum)),
            ReportFigure("skew", count: count, skew), ReportFigure("floor", count: count, floor),
            ReportFigure("ceiling", count: count, ceiling),
        ]
    }
}
