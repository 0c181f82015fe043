import Testing

@testable import SaunterCore

@Suite struct DataKindTests {
    private static func grant(
        _ from: String, _ to: String? = nil, kind: String = "location", isPurged: Bool = false
    ) throws -> DataKindGrant {
        let end = try to.map { try at("2026-11-\($0)T00:00:00Z") }
        return DataKindGrant(
            kind: kind, grantedAt: try at("2026-11-\(from)T00:00:00Z"), revokedAt: end,
            purgedAt: isPurged ? end : nil)
    }

    @Test(arguments: [("09", false), ("10", true), ("11", true), ("12", false), ("13", false), ("15", true)])
    func `a permission covers data from its beginning to its end`(day: String, isPermitted: Bool) throws {
        let grants = [try Self.grant("10", "12"), try Self.grant("15")]

        #expect(grants.permit("location", at: try at("2026-11-\(day)T00:00:00Z")) == isPermitted)
        #expect(!grants.permit("heart_rate", at: try at("2026-11-\(day)T00:00:00Z")))
    }

    @Test func `a purged period permits nothing any more`() throws {
        let grants = [try Self.grant("10", "12", isPurged: true)]

        #expect(!grants.permit("location", at: try at("2026-11-11T00:00:00Z")))
    }

    @Test func `the current permission has a beginning`() throws {
        let grants = [try Self.grant("10", "12"), try Self.grant("15")]

        #expect(grants.permittedSince("location") == (try at("2026-11-15T00:00:00Z")))
        #expect([try Self.grant("10", "12")].permittedSince("location") == nil)
    }

    @Test func `a kind is forbidden unless the permission covers the beginning and the end`() throws {
        var study = Sample.study([])
        study.dataKinds = [DataKind(code: "location"), DataKind(code: "heart_rate")]
        let grants = [try Self.grant("10", "12"), try Self.grant("01", kind: "heart_rate")]
        let (inside, after) = (try at("2026-11-11T00:00:00Z"), try at("2026-11-13T00:00:00Z"))

        #expect(study.forbiddenDataKinds(grants, at: inside) == [])
        #expect(study.forbiddenDataKinds(grants, at: after) == ["location"])
        #expect(study.forbiddenDataKinds(grants, from: inside, to: after).map(\.code) == ["location"])
        #expect(study.forbiddenDataKinds([], at: inside) == ["location", "heart_rate"])
    }
}
