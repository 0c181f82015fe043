import Testing

@testable import SaunterStatistics

/// For every table, each statistic is a finite number or has a reason, and nothing stops the process.
@Suite struct HostileNumbersTests {
    private static let extremes: [Double?] = [
        nil, nil, 0, -0.0, 1, 1, 2, 3, -7, 0.1, 1e-300, .leastNonzeroMagnitude, 1e150, -1e154, 1e300, 1e308,
        -.greatestFiniteMagnitude, .nan, .infinity,
    ]

    @Test(arguments: 0..<400)
    func `no table of extreme numbers stops the process`(seed: Int) {
        var random = SeededRandom(state: UInt64(seed) &+ 1)
        // Every second table contains only valid numbers.
        let values = seed % 2 == 0 ? Self.extremes : Array(Self.extremes.dropLast(seed % 4 == 1 ? 2 : 8))
        let columns = (0..<random.number(below: 5)).map { _ in
            (0..<(seed % 7 * 3)).map { _ in values[random.number(below: values.count)] }
        }
        var figures: [Double] = []
        func collect(_ body: () throws(UndefinedStatistic) -> Double) {
            if let value = Estimate(catching: body).value { figures.append(value) }
        }
        for column in columns {
            let description = DescriptiveStatistics(column, range: 0...1)
            figures += [description.mean, description.deviation, description.skew].compactMap(\.value)
            collect { () throws(UndefinedStatistic) in try AnswerPattern(column).withinDeviation.get() }
            collect { () throws(UndefinedStatistic) in try MeanInterval(column.compactMap(\.self)).mean }
        }
        collect { () throws(UndefinedStatistic) in try EvenOddConsistency.value(columns) }
        for missing in MissingData.allCases {
            collect { () throws(UndefinedStatistic) in
                try Alpha(ItemTable(columns: columns), missing: missing).value
            }
            collect { () throws(UndefinedStatistic) in
                try Alpha(ItemTable(columns: columns), missing: missing).interval().lowerBound
            }
            collect { () throws(UndefinedStatistic) in
                try Omega(ItemTable(columns: columns), missing: missing).standardised
            }
            collect { () throws(UndefinedStatistic) in
                try Omega(ItemTable(columns: columns), missing: missing).raw.get()
            }
            if let table = Estimate(catching: { () throws(UndefinedStatistic) in
                try ItemTable(columns: columns)
            }).value {
                for item in ItemStatistics.all(table, missing: missing) {
                    figures += [item.alphaIfDropped, item.correctedTotalCorrelation].compactMap(\.value)
                }
            }
        }
        collect { () throws(UndefinedStatistic) in
            let table = try ItemTable(columns: columns)
            return try MahalanobisDistance(table).squared(table.row(0) ?? [])
        }
        collect { () throws(UndefinedStatistic) in
            try IntraclassCorrelation(ItemTable(columns: columns)).agreement.get()
        }
        if columns.count > 1 {
            collect { () throws(UndefinedStatistic) in
                try TestRetest(first: columns[0], second: columns[1]).correlation
            }
        }

        let nonFinite = figures.filter { !$0.isFinite }
        #expect(nonFinite.isEmpty, "\(columns)")
    }

    /// SplitMix64, so that a failure is reproducible.
    private struct SeededRandom {
        var state: UInt64

        mutating func number(below bound: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((mixed ^ (mixed >> 31)) % UInt64(max(1, bound)))
        }
    }
}
