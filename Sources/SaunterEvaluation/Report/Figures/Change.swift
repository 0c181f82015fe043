import SaunterStatistics

/// How the scores of the same people go together over time.
struct Change {
    let figures: [ReportFigure]

    /// - Parameters:
    ///   - people: the sheets of each person in order.
    ///   - place: of the scale in its key.
    init(_ people: [[ReportSheet]], scale place: Int, error: Estimate<ReliableChange>) {
        let scores = people.map { $0.compactMap { $0.scores[place] } }
        let pairs = scores.filter { $0.count > 1 }
        let first: [Double?] = pairs.map { $0[0] }
        let second: [Double?] = pairs.map { $0[1] }
        let retest = Estimate { () throws(Gap) in try TestRetest(first: first, second: second).correlation }
        let icc = Estimate { () throws(Gap) in
            try IntraclassCorrelation(try ItemTable(columns: [first, second]))
        }
        let indexes = Estimate { () throws(Gap) -> [Double] in
            guard !pairs.isEmpty else { throw .noValues }
            let error = try error.get()
            var indexes: [Double] = []
            for scores in pairs {
                indexes.append(try error.index(before: scores[0], after: scores[scores.count - 1]))
            }
            return indexes
        }
        figures = [
            ReportFigure("test_retest_r", count: pairs.count, retest),
            ReportFigure("icc_1_1", count: pairs.count, icc.flatMap(\.oneWay)),
            ReportFigure("icc_a_1", count: pairs.count, icc.flatMap(\.agreement)),
            ReportFigure("icc_c_1", count: pairs.count, icc.flatMap(\.consistency)),
            ReportFigure("error_of_difference", missing: .listwise, error.map(\.errorOfDifference)),
            ReportFigure("smallest_reliable_change", missing: .listwise, error.map(\.smallestReliable)),
            ReportFigure(
                "reliably_higher", count: pairs.count, indexes.map { Double($0.count { $0 > 1.96 }) }),
            ReportFigure(
                "reliably_lower", count: pairs.count, indexes.map { Double($0.count { $0 < -1.96 }) }),
        ]
    }
}
