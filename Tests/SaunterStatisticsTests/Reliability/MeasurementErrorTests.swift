import Testing

@testable import SaunterStatistics

@Suite struct MeasurementErrorTests {
    @Test func `a reliability of three quarters leaves half of the deviation as error`() throws {
        #expect(try MeasurementError.standard(deviation: 8, reliability: 0.75) == 4)
    }

    @Test(arguments: [-0.1, 1.1, .nan, .infinity])
    func `a reliability that is none leaves no error to tell`(reliability: Double) {
        #expect(throws: Gap.noReliability) {
            try MeasurementError.standard(deviation: 8, reliability: reliability)
        }
    }

    @Test(arguments: [-1, .nan, .infinity])
    func `a deviation that is none leaves no error to tell`(deviation: Double) {
        #expect(throws: Gap.notFinite) {
            try MeasurementError.standard(deviation: deviation, reliability: 0.5)
        }
    }
}
