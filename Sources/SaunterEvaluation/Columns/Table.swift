import Postgres

/// In which a table's rows are written; the raw value ends the file's name.
package enum TableFormat: String, Sendable, Hashable, CaseIterable {
    case csv
    /// The same, compressed; for parts of a table that grows long.
    case csvGzip = "csv.gz"
    /// For the tables that grow long.
    case parquet
}

/// One table: where its rows stand, what makes them, and how they are told.
package struct Table: Sendable {
    /// A common table expression that the statement leans on.
    struct Frame: Sendable {
        let name: String
        let statement: Statement
        /// Computed once rather than woven into what uses it.
        var isMaterialized = false
    }

    /// Columns that name rows of another file.
    package struct ForeignKey: Sendable, Hashable {
        package let fields: [String]
        package let table: String
        package let reference: [String]
    }

    /// Without folder and ending, such as `occasions`.
    package let name: String
    package let title: String
    /// Names of columns; rows are in their order, texts by their bytes.
    package let key: [String]
    package let columns: [Column]
    package let foreignKeys: [ForeignKey]
    let statement: Statement
    /// How rows are made of stored sheets; nil where the statement gives the table's own rows.
    let stored: StoredLayout?
    let frames: [Frame]
    /// The instrument whose sheets are the rows of a wide file.
    package let instrument: String?
    /// The files that hold the rows, each all of them.
    package let formats: [TableFormat]
    /// How much of the key rows are put in order by: rows that are alike in it come from the statement in the order
    /// of the rest, and a table that is too long to be sorted need not be.
    let sorted: Int

    init(
        _ name: String, _ title: String, key: [String], statement: Statement, frames: [Frame] = [],
        instrument: String? = nil, foreignKeys: [ForeignKey] = [], formats: [TableFormat] = [.csv],
        sorted: Int? = nil, stored: StoredLayout? = nil, columns: [[Column]]
    ) {
        self.name = name
        self.title = title
        self.key = key
        self.columns = columns.flatMap(\.self)
        self.statement = statement
        self.frames = frames
        self.instrument = instrument
        self.foreignKeys = foreignKeys
        self.formats = formats
        self.sorted = sorted ?? key.count
        self.stored = stored
    }

    /// Of the file in one of its formats.
    package func path(_ format: TableFormat) -> String { "data/\(name).\(format.rawValue)" }

    /// The whole command, for the table's CSV text, or where rows are made of stored sheets for `StoredRows`; the settings
    /// of `dataset_begin` stand for parameters.
    func copy(
        _ profile: DatasetProfile = .coded, guardsZones: Bool, settings: FrameSettings = FrameSettings()
    ) -> String {
        let isReleased = profile == .deidentified
        // New pseudonyms come in another order, so that rows which lie in order are sorted all the same.
        let sorting = isReleased && stored == nil ? key : Array(key.prefix(sorted))
        return copy(
            stored?.list(columns, profile, guardsZones: guardsZones).joined(separator: ",\n  ")
                ?? list(columns, profile, guardsZones: guardsZones),
            profile,
            end: "order by \(sorting.map { order($0, isReleased: isReleased) }.joined(separator: ", "))",
            settings: settings)
    }

    /// Columns as they stand in the file, under their names.
    func list(_ columns: [Column], _ profile: DatasetProfile, guardsZones: Bool) -> String {
        columns.map { "\($0.sql(profile, guardsZones: guardsZones)) as \(SQLText.identifier($0.name))" }
            .joined(separator: ",\n  ")
    }

    /// The command that writes a list of expressions over the raw row `r`.
    /// - Parameter end: what follows the rows: which of them, in which order, how many.
    func copy(
        _ list: String, _ profile: DatasetProfile, end: String, settings: FrameSettings = FrameSettings()
    ) -> String {
        let frames =
            self.frames.contains { $0.name == Frame.included.name }
            ? self.frames : [Frame.included] + self.frames.flatMap { $0.within(settings.dates) }
        let with = frames.map { frame in
            "\(frame.name) as \(hint(frame))(\n\(frame.statement.sql)\n)"
        }
        let shift = "cross join lateral (select (\(ColumnForm.shift))::integer as days offset 0) as shift"
        let command = """
            copy (
            with \(with.joined(separator: ",\n"))
            select \(list)
            from (
            \(statement.sql)
            ) as r
            \(profile == .deidentified && tellsOfPeople ? shift : "")
            \(end)
            ) to stdout (\(stored == nil ? "format csv, header" : "format binary"))
            """
        return settings.written(into: command)
    }

    /// Sheets are found and sorted by several processes where that pays, which a frame that is computed once forbids. The
    /// other tables keep to one process: sums of fractions would depend on who added what.
    private func hint(_ frame: Frame) -> String {
        if stored != nil { return "not materialized " }
        return frame.isMaterialized ? "materialized " : ""
    }

    /// Whether its rows are about one person each, rather than counts.
    private var tellsOfPeople: Bool { columns.contains { $0.form == .participant } }

    /// Ids go by their raw UUID, which is the order of their text as well; where they are made anew, by what they
    /// became, so that the order tells nothing.
    func order(_ name: String, isReleased: Bool) -> String {
        guard let column = columns.first(where: { $0.name == name }) else { return SQLText.identifier(name) }
        if isReleased, column.form.isPseudonym {
            return "(\(column.sql(.deidentified, guardsZones: false))) collate \"C\""
        }
        let isText = column.type == .string && !column.form.isID
        return "r.\(SQLText.identifier(name))\(isText ? " collate \"C\"" : "")"
    }
}

extension Table.Frame {
    static let includedWalk = Table.Frame(
        name: "included_walk", statement: SQLFile.walks["dataset_included_walk"])
    static let included = Table.Frame(
        name: "included", statement: SQLFile.frame["dataset_included"], isMaterialized: true)
    static let numberedSheet = Table.Frame(
        name: "numbered_sheet", statement: SQLFile.readers["reading_numbered_sheet"])
    static let presentScore = Table.Frame(
        name: "present_score", statement: SQLFile.sheets["dataset_present_score"])
    static let definition = Table.Frame(
        name: "definition", statement: SQLFile.sheets["dataset_definition"], isMaterialized: true)
    static let revisedSheet = Table.Frame(
        name: "answered_sheet", statement: SQLFile.sheets["dataset_revised_sheet"])
    static let answer = Table.Frame(name: "answer", statement: SQLFile.sheets["dataset_answers"])
}

extension Table.ForeignKey {
    static let enrolment = Table.ForeignKey(
        fields: ["enrolment_id"], table: "enrolments", reference: ["enrolment_id"])
    static let participant = Table.ForeignKey(
        fields: ["participant_id"], table: "participants", reference: ["participant_id"])
    // Keys that may be blank are of one field: a row with half a key would refer to nothing.
    static let occasion = Table.ForeignKey(
        fields: ["occasion_id"], table: "occasions", reference: ["occasion_id"])
    static let sheet = Table.ForeignKey(
        fields: ["enrolment_id", "sheet_id"], table: "sheets", reference: ["enrolment_id", "sheet_id"])
    static let walk = Table.ForeignKey(
        fields: ["enrolment_id", "walk_id"], table: "walks", reference: ["enrolment_id", "walk_id"])
    static let calibration = Table.ForeignKey(
        fields: ["calibration_id"], table: "calibrations", reference: ["calibration_id"])
}
