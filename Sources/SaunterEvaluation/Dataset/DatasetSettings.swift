import Postgres

/// The settings of a dataset's transaction. Their values are written into a command as literals. The planner then knows
/// the values when it estimates numbers of rows, and the server does not look them up for every row.
struct DatasetSettings: Sendable, Hashable {
    /// Values by name, without the prefix `saunter.`. The keys of a release are never included, because commands are
    /// logged.
    private var values: [String: String] = [:]

    /// Whether the filters have dates. `unknown` means that the settings were not read.
    enum Dates {
        case unknown, all, some
    }

    /// Whether the tables are read as they were at the instant of the dataset; see `PastTables`.
    private var isPast = false

    var dates: Dates {
        guard let from = values["from_date"], let to = values["to_date"] else { return .unknown }
        return from == "-infinity" && to == "infinity" ? .all : .some
    }

    /// No values: the command looks up its settings.
    init() {}

    /// - Parameter isPast: whether the tables are read as they were at the instant of the dataset.
    static func read(in transaction: Transaction, isPast: Bool = false) async throws -> DatasetSettings {
        let row = try await transaction.query(SQLFile.frame["dataset_settings"]).one()
        var settings = DatasetSettings()
        settings.isPast = isPast
        for name in [
            "study", "arms", "questionnaires", "from_date", "to_date", "as_of", "strange_zones", "instrument",
        ] {
            settings.values[name] = try row.get(name, as: String.self)
        }
        return settings
    }

    /// Replaces calls of `current_setting` in a command by literals. A call that is quoted inside another literal is
    /// not replaced, because its quotation marks are doubled there. If the dataset shows an earlier state, tables are
    /// replaced as well.
    func written(into command: String) -> String {
        var command = isPast ? PastTables.apply(to: command) : command
        for (name, value) in values {
            command = command.replacing("current_setting('saunter.\(name)')", with: SQLText.literal(value))
        }
        return command
    }
}
