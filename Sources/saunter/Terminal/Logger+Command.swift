import Logging

extension Logger {
    /// For commands that end by themselves: warnings and worse, unless somebody set the level.
    static func command(_ settings: Settings) -> Logger {
        var logger = Logger(label: "saunter") { StreamLogHandler.standardError(label: $0) }
        let isChosen = settings.shown.contains { $0.setting == .logLevel && $0.source != "default" }
        logger.logLevel = isChosen ? settings.logLevel : .warning
        return logger
    }
}
