import Postgres

extension Tables {
    private static let sampleColumns: [Column] = [
        .id("walk_id", "W", "Walk"), .enrolment, .participant,
        Column("t_offset_ms", .integer, "Time since the walk began", unit: "ms", source: .device),
        Column("hr_bpm", .number, "Heart rate", unit: "/min", source: .device),
        Column("speed_kmh", .number, "Speed", unit: "km/h", source: .device),
        Column("distance_m", .number, "Distance since the walk began", unit: "m", source: .device),
        Column(
            "energy_kcal", .number, "Active energy since the walk began", unit: "kcal", source: .device),
    ]

    /// The samples of all walks in one file.
    static let walkSamples = samples(
        "walk_samples", "Samples of the walks' series", .parquet, walks: .includedWalk)

    /// The same samples once more, in a file for each month.
    static func monthlySamples(_ month: WalkMonth, _ profile: DatasetProfile) -> Table {
        samples(
            "walk_samples_\(month.text)", "Samples of the walks that began in the month \(month.text), UTC",
            .csvGzip,
            walks: Table.Frame(
                name: Table.Frame.includedWalk.name, statement: WalkMonth.walks(of: month, profile)))
    }

    private static func samples(
        _ name: String, _ title: String, _ format: TableFormat, walks: Table.Frame
    ) -> Table {
        Table(
            name, title, key: ["enrolment_id", "walk_id", "t_offset_ms"],
            statement: SQLFile.walks["dataset_walk_samples"], frames: [walks], foreignKeys: [.walk],
            formats: [format], sorted: 2, columns: [sampleColumns])
    }
}

/// A month in which walks began, as `yyyymm`, by the dates that a dataset tells: where those are moved, so is the month.
struct WalkMonth: Sendable, Hashable {
    let text: String

    /// Nil for what is no month.
    init?(_ text: String) {
        guard text.utf8.count >= 6, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        self.text = text
    }

    /// The months of a dataset, in their order.
    static func read(_ profile: DatasetProfile, in transaction: Transaction) async throws -> [WalkMonth] {
        guard profile != .public else { return [] }
        let frames = [Table.Frame.included, .includedWalk].map {
            "\($0.name) as (\n\($0.statement.sql)\n)"
        }
        let months = try await transaction.query(
            Statement(
                name: "dataset_walk_months",
                sql: """
                    with \(frames.joined(separator: ",\n"))
                    select distinct \(told(profile)) as month from included_walk as r \(shift(profile)) order by month
                    """))
        return try months.compactMap { WalkMonth(try $0.get("month", as: String.self)) }
    }

    /// The walks in scope that began in this month.
    static func walks(of month: WalkMonth, _ profile: DatasetProfile) -> Statement {
        Statement(
            name: "dataset_included_walk",
            sql: """
                select r.* from (
                \(Table.Frame.includedWalk.statement.sql)
                ) as r \(shift(profile))
                where \(told(profile)) = \(SQLText.literal(month.text))
                """)
    }

    private static func told(_ profile: DatasetProfile) -> String {
        let start =
            profile == .deidentified ? "r.started_at - make_interval(days => shift.days)" : "r.started_at"
        return "to_char((\(start)) at time zone 'UTC', 'YYYYMM')"
    }

    private static func shift(_ profile: DatasetProfile) -> String {
        profile == .deidentified
            ? "cross join lateral (select (\(ColumnForm.shift))::integer as days) as shift" : ""
    }
}
