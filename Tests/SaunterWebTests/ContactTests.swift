import Testing

@testable import SaunterWeb

/// How contacts are written, and whose come first.
struct ContactTests {
    @Test(arguments: [
        ("+498001110111", "+49 800 111 0111"), ("+3531800247247", "+353 180 024 7247"),
        ("+18002738255", "+1 800 273 8255"), ("116123", "116 123"), ("142", "142"), ("1160", "1160"),
    ])
    func `a number is written in groups`(number: String, text: String) {
        #expect(PhoneNumber(number).text == text)
    }

    @Test func `a zone has the country of the time zone database`() {
        #expect(Countries.country(ofZone: "Europe/Vienna") == "AT")
        #expect(Countries.country(ofZone: "America/New_York") == "US")
        #expect(Countries.country(ofZone: "UTC") == nil)
    }

    @Test func `languages with a country name it`() {
        #expect(Countries.countries(in: "de-at, en-GB;q=0.8, fr") == ["AT", "GB"])
        #expect(Countries.countries(in: nil).isEmpty)
    }
}
