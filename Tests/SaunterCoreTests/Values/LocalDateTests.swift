import Foundation
import Testing

@testable import SaunterCore

@Suite struct LocalDateTests {
    @Test func `every day of the calendar follows the previous day`() throws {
        var (year, month, day) = (1, 1, 1)
        for days in LocalDate.minimum.days...LocalDate.maximum.days {
            let date = LocalDate(days: days)
            let parts = date.components
            guard parts == (year, month, day) else {
                Issue.record("day \(days) is \(parts), not \((year, month, day))")
                return
            }
            // Every thousandth day is also checked with Foundation. All days would take too long in a debug build.
            if days % 997 == 0 { #expect(LocalDate(year: year, month: month, day: day) == date) }
            day += 1
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            if day > [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] {
                (month, day) = (month + 1, 1)
                if month > 12 { (year, month) = (year + 1, 1) }
            }
        }
        #expect((year, month, day) == (10_000, 1, 1))
    }

    @Test(arguments: [
        ("1970-01-01", 0, 4), ("2000-02-29", 11_016, 2), ("2026-11-21", 20_778, 6),
        ("0001-01-01", -719_162, 1),
        ("9999-12-31", 2_932_896, 5), ("1969-12-31", -1, 3), ("1900-02-28", -25_509, 3),
    ])
    func `dates are parsed, counted and written`(text: String, days: Int, weekday: Int) throws {
        let date = try #require(LocalDate(text))

        #expect(date.days == days)
        #expect(date.weekday == weekday)
        #expect(date.description == text)
    }

    @Test(arguments: [
        "", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "2026-04-31", "0000-01-01",
        "10000-01-01", "2026-1-01",
        "2026-01-1", "2026/01/01", " 2026-01-01", "2026-01-01 ", "2026-01-01T00", "-026-01-01", "+026-01-01",
        "２０２６-01-01", "2026-01-0١",
        "20260101", "2026-01-32",
    ])
    func `a date that does not exist is rejected`(text: String) {
        #expect(LocalDate(text) == nil)
    }

    @Test func `arithmetic stays in the calendar`() {
        #expect(LocalDate(days: .max) == .maximum)
        #expect(LocalDate(days: .min) == .minimum)
        #expect(LocalDate.maximum.adding(days: 1) == .maximum)
        #expect(LocalDate.minimum.adding(days: .min) == .minimum)
        #expect(LocalDate.minimum.adding(days: .max) == .maximum)
        #expect(LocalDate(days: 10).adding(days: -11).description == "1969-12-31")
        #expect(LocalDate(days: 1) < LocalDate(days: 2))
        #expect(LocalDate(year: .min, month: .max, day: .max) == nil)
        #expect(LocalDate(year: 2026, month: 1, day: .min) == nil)
    }
}
