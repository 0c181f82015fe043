import SaunterCore

/// A statistics package for which files are written.
package enum StatisticsProgram: Sendable, Hashable {
    case spss, stata
}

/// The description of one table of a dataset, for files and scripts of statistics packages.
package struct StatisticsTable: Sendable {
    /// The CSV file with the same rows and columns that contains the reasons for blanks.
    package struct ReasonsFile: Sendable {
        /// The path of the CSV file, relative to the dataset.
        package let path: String
        /// The names of its columns in order.
        package let columns: [String]

        /// Creates the description of a file.
        package init(path: String, columns: [String]) {
            self.path = path
            self.columns = columns
        }
    }

    /// The name, for example `occasions`.
    package let name: String
    /// The title of the table.
    package let title: String
    /// The path of the CSV file, relative to the dataset.
    package let path: String
    /// The names of the key columns.
    package let key: [String]
    /// The columns in the order of the CSV file.
    package let columns: [StatisticsColumn]
    /// The file with the reasons for blanks; nil if no reasons are known.
    package let reasons: ReasonsFile?

    /// Creates the description of a table.
    package init(
        name: String, title: String, path: String, key: [String], columns: [StatisticsColumn],
        reasons: ReasonsFile?
    ) {
        self.name = name
        self.title = title
        self.path = path
        self.key = key
        self.columns = columns
        self.reasons = reasons
    }
}

/// One column of a table.
package struct StatisticsColumn: Sendable {
    /// The type of the values in the CSV file.
    package enum Kind: String, Sendable, Hashable {
        case string, integer, number
        /// Written as 0 and 1.
        case boolean
        /// `yyyy-mm-dd`.
        case date
        /// An instant in UTC, `yyyy-mm-ddThh:mm:ss.sssZ`.
        case instant
        /// A local time, `yyyy-mm-ddThh:mm:ss.sss`.
        case local
        /// A time of day, `hh:mm:ss`.
        case time
    }

    /// The name in the CSV file.
    package var name: String
    /// The name in SPSS; see `VariableName.names`.
    package var spssName: String
    /// The name in Stata; see `VariableName.names`.
    package var stataName: String
    /// The type of the values.
    package var kind: Kind
    /// The variable label.
    package var label: String
    /// The unit of the values.
    package var unit: String?
    /// The codes of the column with their labels, in the order of their meaning.
    package var codes: [(code: String, label: String)]
    /// Whether the values are codes. The list of codes may be empty.
    package var isCoded: Bool
    /// Whether the column contains answers to an item. Only such a column has reasons for blanks.
    package var isAnswer: Bool
    /// Whether no value of the column is one of the numbers -999 to -989, which represent reasons in SPSS.
    package var allowsReasonNumbers: Bool
    /// Whether the column contains ids or pseudonyms.
    package var isIdentifier: Bool

    /// Creates the description of a column.
    package init(
        name: String, spssName: String, stataName: String, kind: Kind, label: String, unit: String?,
        codes: [(code: String, label: String)], isCoded: Bool, isAnswer: Bool, allowsReasonNumbers: Bool,
        isIdentifier: Bool
    ) {
        self.name = name
        self.spssName = spssName
        self.stataName = stataName
        self.kind = kind
        self.label = label
        self.unit = unit
        self.codes = codes
        self.isCoded = isCoded
        self.isAnswer = isAnswer
        self.allowsReasonNumbers = allowsReasonNumbers
        self.isIdentifier = isIdentifier
    }

    func name(in program: StatisticsProgram) -> String {
        switch program {
        case .spss: spssName
        case .stata: stataName
        }
    }
}

/// One cell: its text, or the reason why it is blank, if the reason is known.
package enum StatisticsCell: Sendable, Hashable {
    case value(String)
    case blank(MissingReason?)
}

/// The rows of a table, in order. They can be read several times.
package protocol StatisticsRows {
    /// The number of rows.
    var rowCount: Int { get }

    /// Passes each row to `body`. A row has a cell for each column of the table.
    func forEachRow(_ body: ([StatisticsCell]) throws -> Void) throws

    /// For each column, the number of bytes of its longest text; 1 if it has none. File formats with a fixed width need
    /// it.
    func widths() throws -> [Int]
}

/// Why a file of a statistics package could not be written.
package struct StatisticsFileError: Error, Sendable, Hashable {
    /// The path in the dataset of the table's CSV file, or of the workbook.
    package let path: String
    /// The message of the library, or a phrase in English.
    package let reason: String
}
