import SaunterCore
import SaunterStatistics

/// Indicators of careless responding in one sheet.
package struct SheetPattern: Sendable {
    /// The id of the sheet.
    package let sheet: String
    let pseudonym: String?
    let seconds: Double?
    /// The number of answered items.
    package let answered: Int
    /// The length of the longest run of equal answers. Undefined if the items have different ranges, because equal
    /// numbers then have different meanings.
    package let longestRun: Estimate<Int>
    /// The standard deviation of the answers within the sheet. Undefined if the items have different ranges.
    package let withinDeviation: Estimate<Double>
    /// The even-odd consistency.
    package let evenOdd: Estimate<Double>
    /// The squared Mahalanobis distance.
    package let mahalanobis: Estimate<Double>

    static let columns = [
        "questionnaire", "version", "sheet_id", "participant_id", "seconds", "answered", "longest_run",
        "within_sd", "even_odd", "mahalanobis",
    ]

    /// The patterns of all sheets, in order. Even-odd consistency uses the scales that do not contain another scale.
    /// - Parameter reference: the same sheets, in the order in which means and covariances are computed.
    static func all(
        _ keyed: KeyedItems, _ sheets: [ReportSheet], reference: [ReportSheet]
    ) -> [SheetPattern] {
        let distance = Estimate { () throws(UndefinedStatistic) in
            try MahalanobisDistance(
                try ItemTable(columns: keyed.asked.indices.map { item in reference.map { $0.given[item] } }))
        }
        let scales = keyed.smallestScales
        let range = keyed.commonRange
        return sheets.map { sheet in
            let pattern = AnswerPattern(sheet.given)
            return SheetPattern(
                sheet: sheet.id, pseudonym: sheet.pseudonym, seconds: sheet.seconds,
                answered: pattern.answered,
                longestRun: range.map { _ in pattern.longestRun },
                withinDeviation: range.flatMap { _ in pattern.withinDeviation },
                evenOdd: Estimate { () throws(UndefinedStatistic) in
                    try EvenOddConsistency.value(scales.map { sheet.keyed[$0] })
                },
                mahalanobis: Estimate { () throws(UndefinedStatistic) in
                    try distance.get().squared(sheet.given)
                })
        }
    }

    /// Medians over sheets.
    static func figures(_ patterns: [SheetPattern]) -> [ReportFigure] {
        func median(_ name: String, _ values: [Double?], _ undefinedReason: UndefinedStatistic?)
            -> ReportFigure
        {
            let values = values.compactMap(\.self).sorted()
            let middle = values.count / 2
            let value: Estimate<Double> =
                values.isEmpty
                ? .failure(undefinedReason ?? .noValues)
                : .success(
                    values.count % 2 == 1 ? values[middle] : values[middle - 1] / 2 + values[middle] / 2)
            return ReportFigure(name, count: values.count, value)
        }
        let first = patterns.first
        return [
            median("seconds", patterns.map(\.seconds), nil),
            median(
                "longest_run", patterns.map { $0.longestRun.value.map(Double.init) },
                first?.longestRun.undefined),
            median("within_sd", patterns.map(\.withinDeviation.value), first?.withinDeviation.undefined),
            median("even_odd", patterns.map(\.evenOdd.value), first?.evenOdd.undefined),
            median("mahalanobis", patterns.map(\.mahalanobis.value), first?.mahalanobis.undefined),
        ]
    }

    /// The cells of `columns`, without the first two.
    var cells: [String?] {
        [
            sheet, pseudonym, seconds?.shortest, String(answered), longestRun.value.map(String.init),
            withinDeviation.value?.shortest, evenOdd.value?.shortest, mahalanobis.value?.shortest,
        ]
    }
}

extension KeyedItems {
    /// The indexes of the scales that have only items and do not contain all items of another scale. A total scale is
    /// left out, because its items are already counted in its subscales. Of scales with equal items, only the first one
    /// is included.
    fileprivate var smallestScales: [Int] {
        let items = Set(asked.map(\.linkId))
        let sets = scales.map { Set($0.items) }
        return sets.indices.filter { index in
            sets[index].isSubset(of: items)
                && !sets.indices.contains { other in
                    other != index && sets[other].isSubset(of: sets[index])
                        && (sets[other] != sets[index] || other < index)
                }
        }
    }
}
