import Testing

@testable import SaunterCore

@Suite struct LocalTimeTests {
    @Test(arguments: [
        ("00:00", 0, "00:00"), ("23:59:59", 86_399, "23:59:59"), ("07:05", 25_500, "07:05"),
        ("07:05:00", 25_500, "07:05"),
        ("12:00:01", 43_201, "12:00:01"),
    ])
    func `times are parsed and written`(text: String, seconds: Int, written: String) throws {
        let time = try #require(LocalTime(text))

        #expect(time.seconds == seconds)
        #expect(time.description == written)
    }

    @Test(arguments: [
        "", "24:00", "23:60", "23:59:60", "7:05", "07:5", "07:05:", "07:05:0", "07:05:00.0", "07-05",
        " 07:05", "07:05 ", "-7:05", "0705", "07:05Z",
    ])
    func `a time that does not exist is rejected`(text: String) {
        #expect(LocalTime(text) == nil)
    }

    @Test func `seconds are within the day`() {
        #expect(LocalTime(seconds: -1) == nil)
        #expect(LocalTime(seconds: 86_400) == nil)
        #expect(LocalTime(hour: 24, minute: 0) == nil)
        #expect(LocalTime(hour: .max, minute: .max, second: .max) == nil)
        #expect(LocalTime(seconds: 86_399).map { [$0.hour, $0.minute, $0.second] } == [23, 59, 59])
        #expect(LocalTime.midnight.description == "00:00")
    }
}
