import Postgres

/// The named statements of one file in `sql/dataset`, which is embedded in the binary. An unreadable file is a
/// programming error that the first test finds.
struct SQLFile: Sendable {
    private let statements: [String: Statement]

    init(_ file: [UInt8]) {
        do {
            statements = try Statement.parse(file: String(decoding: file, as: UTF8.self))
        } catch {
            preconditionFailure("a file in sql/dataset cannot be parsed: \(error)")
        }
    }

    subscript(name: String) -> Statement {
        guard let statement = statements[name] else {
            preconditionFailure("sql/dataset has no statement \(name)")
        }
        return statement
    }

    /// The statement of this name; nil if the file has none.
    func statement(_ name: String) -> Statement? { statements[name] }

    /// The names of all statements of the file.
    var names: [String] { statements.keys.sorted() }

    static let frame = SQLFile(PackageResources.dataset_frame_sql)
    static let histories = SQLFile(PackageResources.dataset_histories_sql)
    static let past = SQLFile(PackageResources.dataset_past_sql)
    static let panel = SQLFile(PackageResources.dataset_panel_sql)
    static let people = SQLFile(PackageResources.dataset_people_sql)
    static let sheets = SQLFile(PackageResources.dataset_sheets_sql)
    static let scores = SQLFile(PackageResources.dataset_scores_sql)
    static let published = SQLFile(PackageResources.dataset_public_sql)
    static let walks = SQLFile(PackageResources.dataset_walks_sql)
    static let usage = SQLFile(PackageResources.dataset_usage_sql)
    static let readers = SQLFile(PackageResources.dataset_readers_sql)
    static let report = SQLFile(PackageResources.dataset_report_sql)
}

/// SQL text that is generated from definitions.
enum SQLText {
    /// A string literal. It requires `standard_conforming_strings`, which is on by default. U+0000 cannot be sent to
    /// PostgreSQL and is removed.
    static func literal(_ text: String) -> String {
        "'" + text.unicodeScalars.map { $0 == "'" ? "''" : $0 == "\0" ? "" : String($0) }.joined() + "'"
    }

    /// A quoted identifier. The name must be a valid column name: `[a-z][a-z0-9_]*`.
    static func identifier(_ name: String) -> String {
        precondition(ColumnName.isValid(name), "not a column name: \(name)")
        return "\"\(name)\""
    }
}
