import Postgres

/// A month in which walks began, as `yyyymm`. The month is computed from the dates that the dataset shows, so a shifted
/// date shifts the month.
struct WalkMonth: Sendable, Hashable {
    let text: String

    /// Nil if the text is not a month.
    init?(_ text: String) {
        guard text.utf8.count >= 6, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        self.text = text
    }

    /// The months of a dataset in ascending order.
    /// - Parameter isPast: whether the walks are read as they were at the instant of the dataset.
    static func read(
        _ profile: DatasetProfile, isPast: Bool = false, in transaction: Transaction
    ) async throws -> [WalkMonth] {
        guard profile != .public else { return [] }
        let ctes = [Table.CTE.included, .includedWalk].map {
            "\($0.name) as (\n\($0.statement.sql)\n)"
        }
        let statement = Statement(
            name: "dataset_walk_months",
            sql: """
                with \(ctes.joined(separator: ",\n"))
                select distinct \(monthSQL(profile)) as month from included_walk as r \(shift(profile)) order by month
                """)
        let months = try await transaction.query(isPast ? PastTables.apply(to: statement) : statement)
        return try months.compactMap { WalkMonth(try $0.get("month", as: String.self)) }
    }

    /// The walks in scope that began in this month.
    static func walks(of month: WalkMonth, _ profile: DatasetProfile) -> Statement {
        Statement(
            name: "dataset_included_walk",
            sql: """
                select r.* from (
                \(Table.CTE.includedWalk.statement.sql)
                ) as r \(shift(profile))
                where \(monthSQL(profile)) = \(SQLText.literal(month.text))
                """)
    }

    private static func monthSQL(_ profile: DatasetProfile) -> String {
        let start =
            profile == .deidentified ? "r.started_at - make_interval(days => shift.days)" : "r.started_at"
        return "to_char((\(start)) at time zone 'UTC', 'YYYYMM')"
    }

    private static func shift(_ profile: DatasetProfile) -> String {
        profile == .deidentified
            ? "cross join lateral (select (\(ColumnForm.shift))::integer as days) as shift" : ""
    }
}
