import Testing

@testable import SaunterStatistics

@Suite struct MeasurementErrorTests {
    @Test func `a reliability of three quarters leaves half of the deviation as error`() throws {
        #expect(try MeasurementError.standard(deviation: 8, reliability: 0.75) == 4)
    }

    @Test(arguments: [-0.1, 1.1, .nan, .infinity])
    func `an invalid reliability has no measurement error`(reliability: Double) {
        #expect(throws: UndefinedStatistic.noReliability) {
            try MeasurementError.standard(deviation: 8, reliability: reliability)
        }
    }

    @Test(arguments: [-1, .nan, .infinity])
    func `an invalid deviation has no measurement error`(deviation: Double) {
        #expect(throws: UndefinedStatistic.notFinite) {
            try MeasurementError.standard(deviation: deviation, reliability: 0.5)
        }
    }
}
