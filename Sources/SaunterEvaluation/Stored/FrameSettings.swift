import Postgres

/// What the settings of a dataset's transaction hold. Written into a command, they are known when it is planned, which the
/// planner's guesses at numbers of rows depend on, and are not looked up for every row.
struct FrameSettings: Sendable, Hashable {
    /// By name, without `saunter.`; keys of a release are never among them, for commands are seen and logged.
    private var values: [String: String] = [:]

    /// Whether dates were asked for.
    enum Dates {
        case unknown, all, some
    }

    var dates: Dates {
        guard let from = values["from_date"], let to = values["to_date"] else { return .unknown }
        return from == "-infinity" && to == "infinity" ? .all : .some
    }

    /// None: a command looks its settings up.
    init() {}

    static func read(in transaction: Transaction) async throws -> FrameSettings {
        let row = try await transaction.query(SQLFile.frame["dataset_settings"]).one()
        var settings = FrameSettings()
        for name in [
            "study", "arms", "questionnaires", "from_date", "to_date", "as_of", "strange_zones", "instrument",
        ] {
            settings.values[name] = try row.get(name, as: String.self)
        }
        return settings
    }

    /// The command with literals for settings. In a literal of its own a setting would not be found: quotes are doubled there.
    func written(into command: String) -> String {
        var command = command
        for (name, value) in values {
            command = command.replacing("current_setting('saunter.\(name)')", with: SQLText.literal(value))
        }
        return command
    }
}
