import SaunterCore

/// One answer sheet as numbers, for a report.
struct ReportSheet: Sendable, Hashable {
    /// The sheet's id, or the line of a table in which it stands.
    var id: String
    /// By pseudonym; nil when nobody says whose it is.
    var person: String?
    /// Days since enrolment.
    var day: Int?
    /// From beginning to completing it.
    var seconds: Double?
    /// Orders the sheets of a person; where it is absent they are in the order of the table.
    var completedAt: Instant?
    /// What was answered to the items that scales are made of, in the order of asking, not reversed.
    var given: [Double?] = []
    /// The same by scale, reversed where the key says so.
    var keyed: [[Double?]] = []
    /// One for each scale; nil where its rule was not met.
    var scores: [Double?] = []
}

extension [ReportSheet] {
    /// Each person's sheets in the order in which they were completed, persons sorted; nil when a sheet is
    /// nobody's.
    var byPerson: [[ReportSheet]]? {
        guard allSatisfy({ $0.person != nil }) else { return nil }
        let people = Dictionary(grouping: enumerated()) { $0.element.person ?? "" }
        return people.sorted { $0.key < $1.key }.map { _, sheets in
            sheets.sorted {
                ($0.element.completedAt ?? .minimum, $0.offset) < (
                    $1.element.completedAt ?? .minimum, $1.offset
                )
            }.map(\.element)
        }
    }
}
