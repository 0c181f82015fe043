import SaunterCore
import SaunterStatistics

/// What is told of one scale.
package struct ScaleReport: Sendable {
    /// What is told of one item in it.
    package struct ItemReport: Sendable {
        package let id: String
        let title: String
        package let figures: [ReportFigure]
    }

    package let id: String
    let title: String
    package let figures: [ReportFigure]
    package let items: [ItemReport]
    let histogram: Histogram?
    let weeks: [ScoreWeek]

    /// - Parameters:
    ///   - place: of the scale in its key.
    ///   - people: the same sheets by person; nil when nobody knows whose they are.
    init(_ keyed: KeyedItems, scale place: Int, sheets: [ReportSheet], people: [[ReportSheet]]?) {
        let scale = keyed.scales[place]
        let text = keyed.questionnaire.text(in: "en")
        id = scale.id
        title = text.scales[scale.id] ?? scale.id
        let scores = sheets.map { $0.scores[place] }
        let description = Description(scores, range: scale.declaredRange)
        // Sheets of one person say much the same, so that each person counts once where items are related.
        let first = people?.compactMap(\.first) ?? sheets
        let table = Estimate { () throws(Gap) in
            try ItemTable(columns: scale.items.indices.map { item in first.map { $0.keyed[place][item] } })
        }
        let reliability = Reliability(table, deviation: Description(first.map { $0.scores[place] }).deviation)
        figures =
            description.figures + reliability.figures
            + (people.map { Change($0, scale: place, error: reliability.error).figures } ?? [])
        items = Self.items(scale, table, keyed, text)
        histogram = Histogram(scores.compactMap(\.self), range: scale.declaredRange)
        weeks = ScoreWeek.all(sheets, scale: place)
    }

    private static func items(
        _ scale: Scale, _ table: Estimate<ItemTable>, _ keyed: KeyedItems, _ text: QuestionnaireText
    ) -> [ItemReport] {
        guard let table = table.value else { return [] }
        let statistics = ItemStatistics.all(
            table, missing: .pairwise, ranges: scale.items.map { keyed.range(of: $0, in: scale) })
        return zip(scale.items, statistics).map { item, statistics in
            ItemReport(
                id: item, title: text.items[item] ?? text.scales[item] ?? item,
                figures: statistics.description.figures + [
                    ReportFigure("item_total_r", missing: .pairwise, statistics.correctedTotalCorrelation),
                    ReportFigure("alpha_if_dropped", missing: .pairwise, statistics.alphaIfDropped),
                ])
        }
    }

    var json: JSON {
        [
            "scale": .string(id), "title": .string(title), "figures": .array(figures.map(\.json)),
            "items": .array(
                items.map { item in
                    [
                        "item": .string(item.id), "title": .string(item.title),
                        "figures": .array(item.figures.map(\.json)),
                    ]
                }),
            "histogram": .optional(histogram, \.json), "weeks": .array(weeks.map(\.json)),
        ]
    }
}

extension Description {
    /// Its numbers under their names.
    var figures: [ReportFigure] {
        func known(_ value: Double?) -> Estimate<Double> { value.map { .success($0) } ?? .failure(.noValues) }
        return [
            ReportFigure("n", .success(Double(count))), ReportFigure("missing", .success(Double(missing))),
            ReportFigure("mean", count: count, mean), ReportFigure("sd", count: count, deviation),
            ReportFigure("min", count: count, known(minimum)),
            ReportFigure("max", count: count, known(maximum)),
            ReportFigure("skew", count: count, skew), ReportFigure("floor", count: count, floor),
            ReportFigure("ceiling", count: count, ceiling),
        ]
    }
}
