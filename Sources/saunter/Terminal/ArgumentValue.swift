import ArgumentParser
import SaunterCore

/// Parses values of command line arguments.
enum ArgumentValue {
    @Sendable static func instant(_ text: String) throws -> Instant {
        guard let instant = Instant(text) else {
            throw ValidationError("\(text) is not an instant in RFC 3339, such as 2026-11-21T09:00:00Z")
        }
        return instant
    }

    @Sendable static func date(_ text: String) throws -> LocalDate {
        guard let date = LocalDate(text) else {
            throw ValidationError("\(text) is not a date, such as 2026-11-23")
        }
        return date
    }

    @Sendable static func zone(_ text: String) throws -> Zone {
        guard let zone = Zone(text) else {
            let hint =
                closestName(to: text, among: Array(Zone.identifiers)).map { "; did you mean \($0)?" } ?? ""
            throw ValidationError("\(text) is not a zone of the time zone database\(hint)")
        }
        return zone
    }
}
