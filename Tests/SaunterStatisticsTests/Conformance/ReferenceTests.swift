import Testing

@testable import SaunterStatistics

/// Compares the statistics with those of R and its package psych, for three data sets: personality items with missing
/// answers (psych's bfi), ratings of departments (attitude), and right or wrong answers of a law school test (psych's
/// lsat6).
@Suite struct ReferenceTests {
    static let scales = [
        "bfi_agree", "bfi_conscientious", "bfi_extraversion", "bfi_neuroticism", "bfi_openness", "attitude",
        "lsat6",
    ]

    static func range(_ scale: String) -> ClosedRange<Double> {
        scale == "attitude" ? 0...100 : scale == "lsat6" ? 0...1 : 1...6
    }

    @Test(arguments: scales, MissingData.allCases)
    func `alpha, its interval and its item statistics are equal to those of psych`(
        scale: String, missing: MissingData
    )
        throws
    {
        let reference = try Reference.made.get()
        let table = try reference.table(scale)
        let name = missing.rawValue

        let alpha = try Alpha(table, missing: missing)

        #expect(agree(alpha.value, try reference.figure(scale, "alpha \(name)")))
        #expect(agree(try alpha.meanCorrelation.get(), try reference.figure(scale, "mean_r \(name)")))
        #expect(agree(try alpha.interval().lowerBound, try reference.figure(scale, "lower \(name)")))
        #expect(agree(try alpha.interval().upperBound, try reference.figure(scale, "upper \(name)")))
        let items = ItemStatistics.all(table, missing: missing)
        for (index, item) in items.enumerated() {
            let total = try reference.figures(scale, "r_drop \(name)")[index]
            let dropped = try reference.figures(scale, "alpha_drop \(name)")[index]
            #expect(agree(try item.correctedTotalCorrelation.get(), total))
            #expect(agree(try item.alphaIfDropped.get(), dropped))
        }
    }

    @Test(arguments: scales)
    func `alpha after imputing medians is equal to that of scoreItems`(scale: String) throws {
        let reference = try Reference.made.get()

        let alpha = try Alpha(reference.table(scale), missing: .median)

        #expect(agree(alpha.value, try reference.figure(scale, "alpha scoreItems")))
    }

    @Test(arguments: scales)
    func `standardised and raw omega total are equal to those of psych`(scale: String) throws {
        let reference = try Reference.made.get()

        let omega = try Omega(reference.table(scale))

        #expect(agree(omega.standardised, try reference.figure(scale, "omega"), within: 1e-4))
        #expect(agree(try omega.raw.get(), try reference.figure(scale, "omega raw"), within: 1e-4))
    }

    @Test(arguments: scales)
    func `the descriptive statistics of items and totals are equal to those of psych`(scale: String) throws {
        let reference = try Reference.made.get()
        let table = try reference.table(scale)
        let items = table.columns.map { DescriptiveStatistics($0, range: Self.range(scale)) }
        func expect(_ figure: String, _ value: (DescriptiveStatistics) throws -> Double) throws {
            let wanted = try reference.figures(scale, figure)
            #expect(wanted.count == items.count)
            for (item, wanted) in zip(items, wanted) {
                #expect(agree(try value(item), wanted), "\(figure)")
            }
        }

        try expect("n") { Double($0.count) }
        try expect("missing") { Double($0.missingCount) }
        try expect("mean") { try $0.mean.get() }
        try expect("sd") { try $0.deviation.get() }
        try expect("skew") { try $0.skew.get() }
        try expect("floor") { try $0.floor.get() }
        try expect("ceiling") { try $0.ceiling.get() }

        let complete = try table.complete()
        let total = DescriptiveStatistics(
            (0..<complete.rowCount).map { row in complete.columns.compactMap { $0[row] }.reduce(0, +) })
        #expect(Double(total.count) == (try reference.figure(scale, "total n")))
        #expect(agree(try total.mean.get(), try reference.figure(scale, "total mean")))
        #expect(agree(try total.deviation.get(), try reference.figure(scale, "total sd")))
        #expect(agree(try total.skew.get(), try reference.figure(scale, "total skew")))
        let error = try MeasurementError.standard(
            deviation: total.deviation.get(), reliability: Alpha(table, missing: .listwise).value)
        #expect(agree(error, try reference.figure(scale, "sem")))
    }

    @Test(arguments: scales)
    func `indicators of careless answering are equal to those of R`(scale: String) throws {
        let reference = try Reference.made.get()
        let table = try reference.table(scale)
        let rows = (0..<table.rowCount).compactMap { table.row($0) }

        let distance = try MahalanobisDistance(table)
        let whole = rows.filter { !$0.contains(nil) }
        let distances = try whole.map { try distance.squared($0) }
        let runs = whole.map { Double(AnswerPattern($0).longestRun) }
        let spreads = rows.compactMap { AnswerPattern($0).withinDeviation.value }

        let wanted = try reference.figures(scale, "mahalanobis")
        #expect(distances.count == wanted.count)
        #expect(zip(distances, wanted).allSatisfy { agree($0, $1) })
        #expect(runs == (try reference.figures(scale, "longest_run")))
        let wantedSpreads = try reference.figures(scale, "within_sd")
        #expect(spreads.count == wantedSpreads.count)
        #expect(zip(spreads, wantedSpreads).allSatisfy { agree($0, $1) })
    }

    @Test(arguments: scales)
    func `a correlation of two columns is equal to that of R`(scale: String) throws {
        let reference = try Reference.made.get()
        let table = try reference.table(scale)

        let retest = try TestRetest(first: table.columns[0], second: table.columns[1])

        #expect(agree(retest.correlation, try reference.figure(scale, "retest")))
    }

    @Test(arguments: ["attitude_occasions", "bfi_occasions"])
    func `intraclass correlations are equal to those of psych`(scale: String) throws {
        let reference = try Reference.made.get()

        let icc = try IntraclassCorrelation(reference.table(scale))

        let wanted = try reference.figures(scale, "icc")
        #expect(agree(try icc.oneWay.get(), wanted[0]))
        #expect(agree(try icc.agreement.get(), wanted[1]))
        #expect(agree(try icc.consistency.get(), wanted[2]))
    }

    @Test(arguments: ["intercepts_large", "intercepts_small"])
    func `the variances of a null model are equal to those of nlme`(name: String) throws {
        let reference = try Reference.made.get()
        let columns = try reference.table(name).columns.map { $0.compactMap(\.self) }
        let people = Dictionary(grouping: zip(columns[0], columns[1]), by: \.0).values.map { $0.map(\.1) }

        let model = try NullModel(people)

        let wanted = try reference.figures(name, "variances")
        #expect(agree(model.between, wanted[0], within: 1e-5))
        #expect(agree(model.within, wanted[1], within: 1e-5))
        #expect(agree(model.intraclassCorrelation, wanted[0] / (wanted[0] + wanted[1]), within: 1e-5))
    }

    @Test(arguments: ["occasions_large", "occasions_small"])
    func `multilevel reliability is equal to that of psych`(name: String) throws {
        let reference = try Reference.made.get()
        let table = try reference.table(name)
        let rows = (0..<table.rowCount).compactMap { table.row($0) }
        let people = Dictionary(grouping: rows) { $0[0] }.values.map { $0.map { Array($0.dropFirst()) } }

        let reliability = try MultilevelReliability(people)

        let wanted = try reference.figures(name, "multilevel")
        #expect(agree(try reliability.betweenFixed.get(), wanted[0]))
        #expect(agree(try reliability.betweenRandom.get(), wanted[1]))
        #expect(agree(try reliability.within.get(), wanted[2]))
    }

    @Test(arguments: ["1 10 4.96", "29 174 0.54", "2435 9740 1.06", "1e+05 4e+06 0.9912", "0.5 3 3.5e-08"])
    func `probabilities of F are equal to those of R, and quantiles invert them`(at: String) throws {
        let numbers = at.split(separator: " ").compactMap { Double($0) }
        let distribution = try #require(FDistribution(numbers[0], numbers[1]))
        let wanted = try Reference.made.get().figure("F", at)

        let tails = try #require(distribution.tails(numbers[2]))

        #expect((tails.lower / wanted - 1).magnitude < 1e-10)
        #expect((try distribution.quantile(wanted) / numbers[2] - 1).magnitude < 1e-9)
    }
}
