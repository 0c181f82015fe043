import SaunterCore
import SaunterStatistics

/// Signs of careless answering in one sheet.
package struct SheetPattern: Sendable {
    package let sheet: String
    let person: String?
    let seconds: Double?
    package let answered: Int
    package let longestRun: Int
    package let withinDeviation: Estimate<Double>
    package let evenOdd: Estimate<Double>
    package let mahalanobis: Estimate<Double>

    static let columns = [
        "questionnaire", "version", "sheet_id", "participant_id", "seconds", "answered", "longest_run",
        "within_sd", "even_odd", "mahalanobis",
    ]

    /// Of all sheets, in order. Even-odd consistency is taken over the scales that hold no other scale.
    static func all(_ keyed: KeyedItems, _ sheets: [ReportSheet]) -> [SheetPattern] {
        let distance = Estimate { () throws(Gap) in
            try MahalanobisDistance(
                try ItemTable(columns: keyed.asked.indices.map { item in sheets.map { $0.given[item] } }))
        }
        let simple = keyed.smallestScales
        return sheets.map { sheet in
            let pattern = AnswerPattern(sheet.given)
            return SheetPattern(
                sheet: sheet.id, person: sheet.person, seconds: sheet.seconds, answered: pattern.answered,
                longestRun: pattern.longestRun, withinDeviation: pattern.withinDeviation,
                evenOdd: Estimate { () throws(Gap) in
                    try EvenOddConsistency.value(simple.map { sheet.keyed[$0] })
                },
                mahalanobis: Estimate { () throws(Gap) in try distance.get().squared(sheet.given) })
        }
    }

    /// Medians over sheets.
    static func figures(_ patterns: [SheetPattern]) -> [ReportFigure] {
        func median(_ name: String, _ values: [Double?], _ gap: Gap?) -> ReportFigure {
            let values = values.compactMap(\.self).sorted()
            let middle = values.count / 2
            let value: Estimate<Double> =
                values.isEmpty
                ? .failure(gap ?? .noValues)
                : .success(
                    values.count % 2 == 1 ? values[middle] : values[middle - 1] / 2 + values[middle] / 2)
            return ReportFigure(name, count: values.count, value)
        }
        let first = patterns.first
        return [
            median("seconds", patterns.map(\.seconds), nil),
            median("longest_run", patterns.map { Double($0.longestRun) }, nil),
            median("within_sd", patterns.map(\.withinDeviation.value), first?.withinDeviation.gap),
            median("even_odd", patterns.map(\.evenOdd.value), first?.evenOdd.gap),
            median("mahalanobis", patterns.map(\.mahalanobis.value), first?.mahalanobis.gap),
        ]
    }

    /// The cells of `columns` but the first two.
    var cells: [String?] {
        [
            sheet, person, seconds?.shortest, String(answered), String(longestRun),
            withinDeviation.value?.shortest, evenOdd.value?.shortest, mahalanobis.value?.shortest,
        ]
    }
}

extension KeyedItems {
    /// Places of the scales of items that hold all items of no other scale: no item counts twice for being in
    /// a total.
    fileprivate var smallestScales: [Int] {
        let items = Set(asked.map(\.linkId))
        let sets = scales.map { Set($0.items) }
        return sets.indices.filter { place in
            sets[place].isSubset(of: items)
                && !sets.indices.contains { other in
                    other != place && sets[other].isSubset(of: sets[place])
                        && (sets[other] != sets[place] || other < place)
                }
        }
    }
}
