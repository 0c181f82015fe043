import Testing

@testable import SaunterStatistics

@Suite struct MultilevelReliabilityTests {
    /// Three people on three occasions with two items.
    private static let people: [[[Double?]]] = [
        [[1, 2], [3, 3], [2, 4]], [[5, 5], [4, 6], [7, 6]], [[3, 1], [3, 4], [5, 3]],
    ]

    @Test func `blank answers and surplus sheets are left out`() throws {
        let reliability = try MultilevelReliability(Self.people)

        var uneven = Self.people
        uneven[0].insert([9, nil], at: 1)
        uneven[1].append([9, 9])
        uneven.append([[4, 4]])
        uneven.append([])
        #expect(try MultilevelReliability(uneven) == reliability)
        #expect(reliability.personCount == 3 && reliability.occasionCount == 3)
        #expect(reliability.sheetCount == 9)
    }

    @Test func `the design with the most sheets is used`() throws {
        let sheets: [[Double?]] = [[1, 2], [3, 3], [2, 4], [5, 5]]
        let people = [sheets, Array(sheets.prefix(2).reversed()), Array(sheets.suffix(2)), [sheets[1]]]

        let reliability = try MultilevelReliability(people)

        #expect(reliability.personCount == 3 && reliability.occasionCount == 2)
    }

    @Test func `negative components of variance count as 0`() throws {
        // The mean square of person × occasion is less than the residual one.
        let reliability = try MultilevelReliability([[[1, 3], [2, 1]], [[3, 1], [1, 2]]])

        #expect(try reliability.within.get() >= 0)
        for value in [reliability.betweenFixed, reliability.betweenRandom, reliability.within] {
            #expect((0...1).contains(try value.get()))
        }
    }

    @Test func `without error it is 1, and without variation it is undefined`() throws {
        let exact = try MultilevelReliability([[[1, 1], [3, 3]], [[4, 4], [2, 2]], [[7, 7], [8, 8]]])
        #expect(try exact.within.get() == 1 && exact.betweenFixed.get() == 1)
        #expect(try exact.betweenRandom.get() < 1)

        let equal = try MultilevelReliability([[[1, 1], [1, 1]], [[1, 1], [1, 1]]])
        #expect(equal.within.undefined == .noVariation && equal.betweenFixed.undefined == .noVariation)
    }

    @Test(
        arguments: [
            ([], .noValues), ([[], []], .noValues), ([[[1], [2]], [[1], [2]]], .tooFewItems),
            ([[[1, 2], [2, 2]]], .tooFewValues), ([[[1, 2]], [[2, 1]]], .tooFewValues),
            ([[[1, 2], [2, 2]], [[nil, 2], [1, 1]]], .tooFewValues),
            ([[[1, 2], [2, 2]], [[1, 2], [1, 1, 1]]], .lengthsDiffer),
            ([[[1e300, -1e300], [2, 2]], [[1, 2], [1, 1]]], .notFinite),
        ] as [([[[Double?]]], UndefinedStatistic)])
    func `an undefined reliability has its reason`(people: [[[Double?]]], reason: UndefinedStatistic) {
        let reliability = Estimate { () throws(UndefinedStatistic) in try MultilevelReliability(people) }
        #expect(reliability.undefined == reason)
    }
}
