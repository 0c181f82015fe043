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
