import SaunterStatistics

/// The relation between scores of the same participants over time.
struct ChangeStatistics {
    let figures: [ReportFigure]

    /// - Parameters:
    ///   - participants: the sheets of each participant in order of completion.
    ///   - scale: the index of the scale in its key.
    ///   - isSum: whether the score is a sum or mean of the items.
    init(
        _ participants: [[ReportSheet]], scale index: Int, isSum: Bool,
        reliableChange: Estimate<ReliableChange>
    ) {
        let scores = participants.map { $0.compactMap { $0.scores[index] } }
        let pairs = scores.filter { $0.count > 1 }
        let first: [Double?] = pairs.map { $0[0] }
        let second: [Double?] = pairs.map { $0[1] }
        let retest = Estimate { () throws(UndefinedStatistic) in
            try TestRetest(first: first, second: second).correlation
        }
        let icc = Estimate { () throws(UndefinedStatistic) in
            try IntraclassCorrelation(try ItemTable(columns: [first, second]))
        }
        let model = Estimate { () throws(UndefinedStatistic) in try NullModel(scores) }
        let modelCount = scores.reduce(0) { $0 + $1.count }
        let multilevel = Estimate { () throws(UndefinedStatistic) in
            guard isSum else { throw .notSum }
            return try MultilevelReliability(participants.map { $0.map { $0.keyed[index] } })
        }
        let sheetCount = multilevel.value?.sheetCount
        let indexes = Estimate { () throws(UndefinedStatistic) -> [Double] in
            guard !pairs.isEmpty else { throw .noValues }
            let change = try reliableChange.get()
            var indexes: [Double] = []
            for scores in pairs {
                indexes.append(try change.index(before: scores[0], after: scores[scores.count - 1]))
            }
            return indexes
        }
        figures = [
            ReportFigure("test_retest_r", count: pairs.count, retest),
            ReportFigure("icc_1_1", count: pairs.count, icc.flatMap(\.oneWay)),
            ReportFigure("icc_a_1", count: pairs.count, icc.flatMap(\.agreement)),
            ReportFigure("icc_c_1", count: pairs.count, icc.flatMap(\.consistency)),
            ReportFigure("variance_between", count: modelCount, model.map(\.between)),
            ReportFigure("variance_within", count: modelCount, model.map(\.within)),
            ReportFigure("icc_null_model", count: modelCount, model.map(\.intraclassCorrelation)),
            ReportFigure("reliability_rkf", count: sheetCount, multilevel.flatMap(\.betweenFixed)),
            ReportFigure("reliability_rkr", count: sheetCount, multilevel.flatMap(\.betweenRandom)),
            ReportFigure("reliability_rc", count: sheetCount, multilevel.flatMap(\.within)),
            ReportFigure(
                "reliability_occasions", count: sheetCount, multilevel.map { Double($0.occasionCount) }),
            ReportFigure("error_of_difference", missing: .listwise, reliableChange.map(\.errorOfDifference)),
            ReportFigure(
                "smallest_reliable_change", missing: .listwise, reliableChange.map(\.smallestReliable)),
            ReportFigure(
                "reliably_higher", count: pairs.count, indexes.map { Double($0.count { $0 > 1.96 }) }),
            ReportFigure(
                "reliably_lower", count: pairs.count, indexes.map { Double($0.count { $0 < -1.96 }) }),
        ]
    }
}
