import Testing

@testable import SaunterCore

@Suite struct ZoneTests {
    @Test(arguments: ["Europe/Berlin", "UTC", "America/Sao_Paulo", "Asia/Kolkata", "Pacific/Apia"])
    func `zones of the database are taken`(id: String) {
        #expect(Zone(id)?.id == id)
    }

    @Test(arguments: [
        "", "GMT+2", "GMT+0200", "+02:00", "Europe/Nowhere", "europe/berlin", "Europe/Berlin ",
        "../etc/passwd", "Europe/Berlin\u{0}",
    ])
    func `fixed offsets and made-up places are refused`(id: String) {
        #expect(Zone(id) == nil)
    }

    @Test func `the offset follows daylight saving`() throws {
        let berlin = try #require(Zone("Europe/Berlin"))

        #expect(berlin.offset(at: try #require(Instant("2026-03-29T00:59:59.999Z"))) == 3600)
        #expect(berlin.offset(at: try #require(Instant("2026-03-29T01:00:00Z"))) == 7200)
        #expect(berlin.offset(at: try #require(Instant("2026-10-25T01:00:00Z"))) == 3600)
        #expect(Zone.utc.offset(at: .maximum) == 0)
    }
}
