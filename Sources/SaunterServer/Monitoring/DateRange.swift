import SaunterCore

/// A range of dates in a query. It contains both ends.
struct DateRange: Sendable {
    /// The first date; nil if the query does not state it.
    var from: LocalDate?
    /// The last date; nil if the query does not state it.
    var to: LocalDate?

    /// - Parameters:
    ///   - from: the name of the query parameter with the first date.
    ///   - to: the name of the query parameter with the last date.
    /// - Throws: `request-invalid` if the last date is before the first one.
    init(_ call: Call<Identity>, from: String, to: String) throws(Problem) {
        self.from = call.query(from).flatMap { LocalDate($0) }
        self.to = call.query(to).flatMap { LocalDate($0) }
        guard let first = self.from, let last = self.to, last < first else { return }
        throw Problem(
            .requestInvalid,
            Faults([
                Fault(
                    pointer: "/\(to)", code: "before_from",
                    detail: "`\(to)` must not be before `\(from)`.")
            ]))
    }
}

extension DateRange {
    /// The dates of a list whose newest entries are first.
    /// - Parameters:
    ///   - usualDays: the number of dates without `from`.
    ///   - maximumDays: the largest number of dates.
    /// - Returns: the first and the last date. Without `to`, the last one is the latest local date of any participant,
    ///   or the last of `maximumDays` dates after `from`.
    /// - Throws: `request-invalid` for too many dates, and if `to` is before `from`.
    static func recent(
        _ call: Call<Identity>, usualDays: Int, maximumDays: Int
    ) throws(Problem) -> (from: LocalDate, to: LocalDate) {
        let dates = try DateRange(call, from: "from", to: "to")
        // The local date of a participant can be the day after that in UTC.
        let tomorrow = Zone.utc.local(of: call.now).date.adding(days: 1)
        let latest = dates.from.map { max($0, min(tomorrow, $0.adding(days: maximumDays - 1))) }
        let to = dates.to ?? latest ?? tomorrow
        let from = dates.from ?? to.adding(days: 1 - usualDays)
        guard to.days - from.days < maximumDays else {
            throw Problem(
                .requestInvalid,
                Faults([
                    Fault(
                        pointer: "/from", code: "too_long",
                        detail: "`from` and `to` must be at most \(maximumDays) days apart.")
                ]))
        }
        return (from, to)
    }
}
