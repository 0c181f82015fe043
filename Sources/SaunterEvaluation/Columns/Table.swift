import Postgres

/// In which a table's rows are written; the raw value ends the file's name.
package enum TableFormat: String, Sendable, Hashable, CaseIterable {
    case csv
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
        sorted: Int? = nil, columns: [[Column]]
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
    }

    /// Of the file in one of its formats.
    package func path(_ format: TableFormat) -> String { "data/\(name).\(format.rawValue)" }

    /// The whole command; the settings of `dataset_begin` stand for parameters.
    func copy(_ profile: DatasetProfile = .coded, guardsZones: Bool) -> String {
        let frames =
            self.frames.contains { $0.name == Frame.included.name }
            ? self.frames : [Frame.included] + self.frames
        let with = frames.map { frame in
            "\(frame.name) as \(frame.isMaterialized ? "materialized " : "")(\n\(frame.statement.sql)\n)"
        }
        let list = columns.map {
            "\($0.sql(profile, guardsZones: guardsZones)) as \(SQLText.identifier($0.name))"
        }
        let isReleased = profile == .deidentified
        // New pseudonyms come in another order, so that rows which lie in order are sorted all the same.
        let sorting = isReleased ? key : Array(key.prefix(sorted))
        let shift = "cross join lateral (select (\(ColumnForm.shift))::integer as days offset 0) as shift"
        return """
            copy (
            with \(with.joined(separator: ",\n"))
            select \(list.joined(separator: ",\n  "))
            from (
            \(statement.sql)
            ) as r
            \(isReleased && tellsOfPeople ? shift : "")
            order by \(sorting.map { order($0, isReleased: isReleased) }.joined(separator: ", "))
            ) to stdout (format csv, header)
            """
    }

    /// Whether its rows are about one person each, rather than counts.
    private var tellsOfPeople: Bool { columns.contains { $0.form == .participant } }

    /// Ids go by their raw UUID, which is the order of their text as well; where they are made anew, by what they
    /// became, so that the order tells nothing.
    private func order(_ name: String, isReleased: Bool) -> String {
        guard let column = columns.first(where: { $0.name == name }) else { return SQLText.identifier(name) }
        if isReleased, column.form.isPseudonym {
            return "(\(column.sql(.deidentified, guardsZones: false))) collate \"C\""
        }
        let isText = column.type == .string && !column.form.isID
        return "r.\(SQLText.identifier(name))\(isText ? " collate \"C\"" : "")"
    }
}

extension Table.Frame {
    static let included = Table.Frame(
        name: "included", statement: SQLFile.frame["dataset_included"], isMaterialized: true)
    static let sheetInScope = Table.Frame(
        name: "sheet_in_scope", statement: SQLFile.frame["dataset_sheet_in_scope"])
    static let presentScore = Table.Frame(
        name: "present_score", statement: SQLFile.sheets["dataset_present_score"])
    static let definition = Table.Frame(
        name: "definition", statement: SQLFile.sheets["dataset_definition"], isMaterialized: true)
    static let answeredSheet = Table.Frame(
        name: "answered_sheet", statement: SQLFile.sheets["dataset_answered_sheet"])
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
    static let observation = Table.ForeignKey(
        fields: ["enrolment_id", "observation_id", "component"], table: "observations",
        reference: ["enrolment_id", "observation_id", "component"])
    static let calibration = Table.ForeignKey(
        fields: ["calibration_id"], table: "calibrations", reference: ["calibration_id"])
}
