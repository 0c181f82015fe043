import Testing

@testable import SaunterStatistics

/// Whatever stands in a table, every figure is a finite number or has its reason; nothing stops the process.
@Suite struct HostileNumbersTests {
    private static let strange: [Double?] = [
        nil, nil, 0, -0.0, 1, 1, 2, 3, -7, 0.1, 1e-300, .leastNonzeroMagnitude, 1e150, -1e154, 1e300, 1e308,
        -.greatestFiniteMagnitude, .nan, .infinity,
    ]

    @Test(arguments: 0..<400)
    func `no table of strange numbers does harm`(seed: Int) {
        var dice = Dice(state: UInt64(seed) &+ 1)
        // Every other table holds only numbers that a table takes.
        let faces = seed % 2 == 0 ? Self.strange : Array(Self.strange.dropLast(seed % 4 == 1 ? 2 : 8))
        let columns = (0..<dice.roll(5)).map { _ in
            (0..<(seed % 7 * 3)).map { _ in faces[dice.roll(faces.count)] }
        }
        var figures: [Double] = []
        func tell(_ body: () throws(Gap) -> Double) {
            if let value = Estimate(catching: body).value { figures.append(value) }
        }
        for column in columns {
            let description = Description(column, range: 0...1)
            figures += [description.mean, description.deviation, description.skew].compactMap(\.value)
            tell { () throws(Gap) in try AnswerPattern(column).withinDeviation.get() }
            tell { () throws(Gap) in try MeanInterval(column.compactMap(\.self)).mean }
        }
        tell { () throws(Gap) in try EvenOddConsistency.value(columns) }
        for missing in MissingData.allCases {
            tell { () throws(Gap) in try Alpha(ItemTable(columns: columns), missing: missing).value }
            tell { () throws(Gap) in
                try Alpha(ItemTable(columns: columns), missing: missing).interval().lowerBound
            }
            tell { () throws(Gap) in try Omega(ItemTable(columns: columns), missing: missing).value }
            if let table = Estimate(catching: { () throws(Gap) in try ItemTable(columns: columns) }).value {
                for item in ItemStatistics.all(table, missing: missing) {
                    figures += [item.alphaIfDropped, item.correctedTotalCorrelation].compactMap(\.value)
                }
            }
        }
        tell { () throws(Gap) in
            let table = try ItemTable(columns: columns)
            return try MahalanobisDistance(table).squared(table.row(0) ?? [])
        }
        tell { () throws(Gap) in try IntraclassCorrelation(ItemTable(columns: columns)).agreement.get() }
        if columns.count > 1 {
            tell { () throws(Gap) in try TestRetest(first: columns[0], second: columns[1]).correlation }
        }

        let strange = figures.filter { !$0.isFinite }
        #expect(strange.isEmpty, "\(columns)")
    }

    /// SplitMix64, so that a failure can be had again.
    private struct Dice {
        var state: UInt64

        mutating func roll(_ sides: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((mixed ^ (mixed >> 31)) % UInt64(max(1, sides)))
        }
    }
}
