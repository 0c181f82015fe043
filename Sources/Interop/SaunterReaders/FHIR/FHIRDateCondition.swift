import SaunterCore
import SaunterEvaluation

extension ResponseSearch.DateCondition {
    /// Reads a date parameter of a FHIR search: an optional prefix, then a year, month, day or instant. A year, month
    /// or day means the complete span in UTC; an instant without a fraction means the complete second. Nil for any
    /// other text.
    init?(fhir text: String) {
        let prefix = Relation(rawValue: String(text.prefix(2)))
        let value = String(prefix == nil ? text[...] : text.dropFirst(2))
        guard let span = Self.span(value) else { return nil }
        self.init(prefix ?? .within, from: span.from, to: span.to)
    }

    private static func span(_ text: String) -> (from: Instant, to: Instant)? {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false)
        switch text.utf8.count {
        case 4:
            guard let year = Int(text), let from = start("\(text)-01-01"), year < 9999 else { return nil }
            return start("\(padded(year + 1, 4))-01-01").map { (from, $0) }
        case 7:
            guard numbers.count == 2, let year = Int(numbers[0]), let month = Int(numbers[1]), year < 9999,
                (1...12).contains(month), let from = start("\(text)-01")
            else { return nil }
            let next =
                month == 12 ? "\(padded(year + 1, 4))-01-01" : "\(numbers[0])-\(padded(month + 1, 2))-01"
            return start(next).map { (from, $0) }
        case 10:
            guard let from = start(text) else { return nil }
            return (from, from.adding(seconds: 86_400))
        default:
            guard let from = Instant(text) else { return nil }
            return (from, Instant(milliseconds: from.milliseconds + (text.utf8.contains(0x2E) ? 1 : 1000)))
        }
    }

    private static func start(_ date: String) -> Instant? {
        guard let day = LocalDate(date), day.description == date else { return nil }
        return Instant("\(date)T00:00:00Z")
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
    }
}
