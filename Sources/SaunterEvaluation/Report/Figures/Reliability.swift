import SaunterStatistics

/// The reliability of a scale, computed from one sheet of each participant.
struct Reliability {
    let figures: [ReportFigure]
    /// Decides whether the change between two scores is reliable. It uses the standard deviation of the scores and
    /// listwise alpha.
    let reliableChange: Estimate<ReliableChange>

    /// - Parameter table: the items; `.notSum` if the score is not a sum or mean of them.
    init(_ table: Estimate<ItemTable>, deviation: Estimate<Double>) {
        let alphas = MissingData.allCases.map { missing in
            (
                missing,
                Estimate { () throws(UndefinedStatistic) in try Alpha(try table.get(), missing: missing) }
            )
        }
        let listwise = alphas.first { $0.0 == .listwise }?.1 ?? .failure(.noValues)
        let pairwise = alphas.first { $0.0 == .pairwise }?.1 ?? .failure(.noValues)
        reliableChange = Estimate { () throws(UndefinedStatistic) in
            try ReliableChange(deviation: try deviation.get(), reliability: try listwise.get().value)
        }
        let omega = Estimate { () throws(UndefinedStatistic) in try Omega(try table.get()) }
        figures =
            alphas.map { missing, alpha in
                ReportFigure(
                    "alpha", missing: missing, count: table.value?.sheetCount(missing), alpha.map(\.value),
                    interval: Estimate { () throws(UndefinedStatistic) in try alpha.get().interval() }.value)
            } + [
                ReportFigure(
                    "omega_total", missing: .pairwise, count: table.value?.rowCount, omega.map(\.standardised)
                ),
                ReportFigure(
                    "omega_total_raw", missing: .pairwise, count: table.value?.rowCount, omega.flatMap(\.raw)),
                ReportFigure(
                    "mean_inter_item_r", missing: .pairwise, count: table.value?.rowCount,
                    pairwise.flatMap(\.meanCorrelation)),
                ReportFigure(
                    "sem", missing: .listwise, count: listwise.value?.sheetCount,
                    Estimate { () throws(UndefinedStatistic) in
                        try MeasurementError.standard(
                            deviation: try deviation.get(), reliability: try listwise.get().value)
                    }),
            ]
    }
}
