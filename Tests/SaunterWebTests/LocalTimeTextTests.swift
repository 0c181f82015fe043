import SaunterCore
import Testing

@testable import SaunterWeb

struct LocalTimeTextTests {
    @Test func `dates of another year have the year`() throws {
        let time = LocalTimeText(language: "en", zone: "Europe/Berlin")
        // In Berlin it is 2027 already.
        let now = try #require(Instant("2026-12-31T23:30:00.000Z"))

        #expect(!time.day("2027-01-05", now: now).contains("2027"))
        #expect(time.day("2026-12-24", now: now).contains("2026"))
        #expect(time.dayAndTime(try #require(Instant("2026-12-31T22:00:00.000Z")), now: now).contains("2026"))
        #expect(!time.dayAndTime(now, now: now).contains("2027"))
    }
}
