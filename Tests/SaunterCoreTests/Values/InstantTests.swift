import Testing

@testable import SaunterCore

@Suite struct InstantTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-11-21T08:00:00.000Z", 1_795_248_000_000),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2026-11-21T09:00:00+01:00", 1_795_248_000_000), ("2026-11-20T22:30:00-09:30", 1_795_248_000_000),
        ("2026-11-21T08:00:00.1Z", 1_795_248_000_100), ("2026-11-21T08:00:00.123456789Z", 1_795_248_000_123),
        ("2026-11-21T08:00:00.9999Z", 1_795_248_000_999), ("1970-01-01T00:00:00-00:00", 0),
        ("1970-01-01T18:00:00+18:00", 0),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ])
    func `instants are parsed to the millisecond`(text: String, milliseconds: Int64) throws {
        #expect(try #require(Instant(text)).milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026-02-30T08:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T23:59:60Z", "2026-11-21T08:00:00",
        "2026-11-21T08:00Z",
        "2026-11-21 08:00:00Z", "2026-11-21t08:00:00Z", "2026-11-21T08:00:00z", "2026-11-21T08:00:00.Z",
        "2026-11-21T08:00:00.1234567890Z",
        "2026-11-21T08:00:00+0100", "2026-11-21T08:00:00+01", "2026-11-21T08:00:00+19:00",
        "2026-11-21T08:00:00+01:60",
        "2026-11-21T08:00:00Z ", "2026-11-21T08:00:00,5Z", "2026-11-21T08:00:00+18:59x",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01", "2026-11-21T08:00:00Zulu", "2026-11-21",
    ])
    func `other texts are rejected`(text: String) {
        #expect(Instant(text) == nil)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (-86_400_001, "1969-12-30T23:59:59.999Z"),
            (.min, "0001-01-01T00:00:00.000Z"), (.max, "9999-12-31T23:59:59.999Z"),
            (1_795_248_000_007, "2026-11-21T08:00:00.007Z"),
        ] as [(Int64, String)])
    func `instants are written in one form`(milliseconds: Int64, text: String) {
        #expect(Instant(milliseconds: milliseconds).description == text)
    }

    @Test func `random instants survive a round trip`() {
        var random = QuestionnaireRandom(state: 1)
        for _ in 0..<5000 {
            let instant = Instant(
                milliseconds: Int64.random(
                    in: Instant.minimum.milliseconds...Instant.maximum.milliseconds, using: &random))
            #expect(Instant(instant.description) == instant)
        }
    }

    @Test func `seconds are rounded down, also before 1970`() {
        #expect(
            [1999, 2000, -1, -1000, -1001].map { Instant(milliseconds: $0).seconds } == [1, 2, -1, -1, -2])
    }

    @Test func `arithmetic with hostile numbers stays in the calendar`() {
        let now = Instant(milliseconds: 1_795_248_000_000)

        #expect(now.adding(seconds: .max) == .maximum)
        #expect(now.adding(seconds: .min) == .minimum)
        #expect(now.adding(milliseconds: .max) == .maximum)
        #expect(now.adding(milliseconds: .min) == .minimum)
        #expect(Instant.minimum.adding(milliseconds: .min) == .minimum)
        #expect(now.adding(seconds: 90).milliseconds(since: now) == 90_000)
        #expect(Instant.minimum.milliseconds(since: .maximum) == -315_537_897_599_999)
        #expect(Instant.minimum < now)
    }

    /// The sum of the skew and a device's time must be a valid time in PostgreSQL.
    @Test func `the clock skew of a device is at most a hundred years`() throws {
        let now = try #require(Instant("2026-11-21T12:00:00.000Z"))
        let century: Int64 = 100 * 365 * 86_400_000

        #expect(now.skew(of: nil) == 0)
        #expect(now.skew(of: now.adding(seconds: 60)) == -60_000)
        #expect(now.skew(of: Instant("9999-12-31T23:59:59.999Z")) == -century)
        #expect(now.skew(of: Instant("0001-01-01T00:00:00.000Z")) == century)
    }
}
