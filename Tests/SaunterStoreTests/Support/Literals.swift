import SaunterCore

/// A moment as RFC 3339, for tests.
func at(_ text: String) throws -> Instant {
    guard let instant = Instant(text) else { throw BadLiteral(text: text) }
    return instant
}

func zone(_ id: String) throws -> Zone {
    guard let zone = Zone(id) else { throw BadLiteral(text: id) }
    return zone
}

struct BadLiteral: Error {
    let text: String
}

extension Instant {
    /// 2026-11-21 08:00 UTC, a Saturday: the start of most tests.
    static let start = Instant(milliseconds: 1_795_248_000_000)

    func plus(hours: Int = 0, days: Int = 0) -> Instant { adding(seconds: hours * 3600 + days * 86_400) }
}
