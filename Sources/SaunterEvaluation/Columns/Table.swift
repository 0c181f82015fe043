import Postgres

/// The format of a table's file. The raw value is the extension of the file.
package enum TableFormat: String, Sendable, Hashable, CaseIterable {
    case csv
    /// Gzip-compressed CSV, for the monthly parts of a long table.
    case csvGzip = "csv.gz"
    /// For tables that grow long.
    case parquet
}

/// One table of a dataset: its name and key, the SQL that produces its rows, its columns, and its files.
package struct Table: Sendable {
    /// A common table expression that the statement of the table uses.
    struct CTE: Sendable {
        let name: String
        let statement: Statement
        /// Whether PostgreSQL computes the expression once instead of inlining it.
        var isMaterialized = false
    }

    /// Columns that refer to rows of another table.
    package struct ForeignKey: Sendable, Hashable {
        /// The columns of this table.
        package let fields: [String]
        /// The name of the table to which they refer.
        package let table: String
        /// The key columns of that table, in the order of `fields`.
        package let reference: [String]
    }

    /// The name without folder and extension, for example `occasions`.
    package let name: String
    /// The title in the data package.
    package let title: String
    /// Names of the key columns. Rows are sorted by them; texts are compared in byte order.
    package let key: [String]
    /// The columns in the order of the file.
    package var columns: [Column]
    /// The references to other tables.
    package let foreignKeys: [ForeignKey]
    let statement: Statement
    /// How rows are made from stored sheets. Nil if the statement returns the rows of the table.
    let stored: StoredLayout?
    /// How rows are computed in the process. Nil if the statement alone returns the rows of the table.
    let computed: ComputedTable?
    let ctes: [CTE]
    /// For wide files: the instrument whose sheets are the rows.
    package let instrument: String?
    /// The formats in which the table is written. Each file contains all rows.
    package let formats: [TableFormat]
    /// The number of leading key columns in the `ORDER BY` clause. The statement returns rows with equal leading
    /// columns in the order of the remaining ones, so a long table need not be sorted completely.
    let sortedKeyCount: Int

    init(
        _ name: String, _ title: String, key: [String], statement: Statement, ctes: [CTE] = [],
        instrument: String? = nil, foreignKeys: [ForeignKey] = [], formats: [TableFormat] = [.csv],
        sortedKeyCount: Int? = nil, stored: StoredLayout? = nil, computed: ComputedTable? = nil,
        columns: [[Column]]
    ) {
        self.name = name
        self.title = title
        self.key = key
        self.columns = columns.flatMap(\.self)
        self.statement = statement
        self.ctes = ctes
        self.instrument = instrument
        self.foreignKeys = foreignKeys
        self.formats = formats
        self.sortedKeyCount = sortedKeyCount ?? key.count
        self.stored = stored
        self.computed = computed
    }

    /// The path of the file in one of its formats.
    package func path(_ format: TableFormat) -> String { "data/\(name).\(format.rawValue)" }

    /// The complete `COPY` command. It returns CSV text, or binary rows for `StoredSheetEncoder` if the table is made
    /// from stored sheets. The settings of `dataset_begin` are used as parameters.
    func copyCommand(
        _ profile: DatasetProfile = .coded, hasUnknownZones: Bool,
        settings: DatasetSettings = DatasetSettings()
    ) -> String {
        let isReleased = profile == .deidentified
        // New pseudonyms have a different order, so a release must be sorted completely.
        let sorting = isReleased && stored == nil ? key : Array(key.prefix(sortedKeyCount))
        return copyCommand(
            stored?.selectList(columns, profile, hasUnknownZones: hasUnknownZones).joined(separator: ",\n  ")
                ?? selectList(columns, profile, hasUnknownZones: hasUnknownZones),
            profile,
            end: "order by \(sorting.map { order($0, isReleased: isReleased) }.joined(separator: ", "))",
            settings: settings)
    }

    /// The select list: each column's expression with its name as alias.
    func selectList(_ columns: [Column], _ profile: DatasetProfile, hasUnknownZones: Bool) -> String {
        columns.map {
            "\($0.sql(profile, hasUnknownZones: hasUnknownZones)) as \(SQLText.identifier($0.name))"
        }
        .joined(separator: ",\n  ")
    }

    /// The `COPY` command for a select list over the raw row `r`.
    /// - Parameter end: the clauses after `FROM`: condition, order and limit.
    func copyCommand(
        _ list: String, _ profile: DatasetProfile, end: String, settings: DatasetSettings = DatasetSettings()
    ) -> String {
        let ctes =
            self.ctes.contains { $0.name == CTE.included.name }
            ? self.ctes : [CTE.included] + self.ctes.flatMap { $0.replacements(for: settings.dates) }
        let with = ctes.map { cte in
            "\(cte.name) as \(materialization(of: cte))(\n\(cte.statement.sql)\n)"
        }
        let shift = "cross join lateral (select (\(ColumnForm.shift))::integer as days offset 0) as shift"
        let command = """
            copy (
            with \(with.joined(separator: ",\n"))
            select \(list)
            from (
            \(statement.sql)
            ) as r
            \(profile == .deidentified && isPerParticipant ? shift : "")
            \(end)
            ) to stdout (\(stored == nil ? "format csv, header" : "format binary"))
            """
        return settings.written(into: command)
    }

    /// The keywords before a common table expression. For a table of stored sheets, PostgreSQL may find and sort the
    /// sheets with parallel processes, which a materialized expression prevents. The other tables use one process,
    /// because the sum of fractions depends on the order of addition.
    private func materialization(of cte: CTE) -> String {
        if stored != nil { return "not materialized " }
        return cte.isMaterialized ? "materialized " : ""
    }

    /// Whether each row is about one participant. False for tables of counts.
    private var isPerParticipant: Bool { columns.contains { $0.form == .participant } }

    /// The `ORDER BY` expression of a key column. Ids are sorted by their raw UUID, which has the same order as their
    /// text. In a release they are sorted by the new pseudonym, so that the order reveals nothing.
    func order(_ name: String, isReleased: Bool) -> String {
        guard let column = columns.first(where: { $0.name == name }) else { return SQLText.identifier(name) }
        if isReleased, column.form.isPseudonym {
            return "(\(column.sql(.deidentified, hasUnknownZones: false))) collate \"C\""
        }
        if isReleased, column.form.isTyped {
            let text = column.sql(.deidentified, hasUnknownZones: false)
            return "coalesce((\(text)), '') collate \"C\""
        }
        let isText = column.type == .string && !column.form.isID
        return "r.\(SQLText.identifier(name))\(isText ? " collate \"C\"" : "")"
    }
}

extension Table.ForeignKey {
    static let enrolment = Table.ForeignKey(
        fields: ["enrolment_id"], table: "enrolments", reference: ["enrolment_id"])
    static let participant = Table.ForeignKey(
        fields: ["participant_id"], table: "participants", reference: ["participant_id"])
    // Foreign keys that may be blank have one field, because a row with half a key would refer to nothing.
    static let occasion = Table.ForeignKey(
        fields: ["occasion_id"], table: "occasions", reference: ["occasion_id"])
    static let sheet = Table.ForeignKey(
        fields: ["enrolment_id", "sheet_id"], table: "sheets", reference: ["enrolment_id", "sheet_id"])
    static let walk = Table.ForeignKey(
        fields: ["enrolment_id", "walk_id"], table: "walks", reference: ["enrolment_id", "walk_id"])
    static let observation = Table.ForeignKey(
        fields: ["enrolment_id", "observation_id", "component"], table: "observations",
        reference: ["enrolment_id", "observation_id", "component"])
    static let calibration = Table.ForeignKey(
        fields: ["calibration_id"], table: "calibrations", reference: ["calibration_id"])
}
