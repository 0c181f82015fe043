import Logging

extension Logger {
    /// The logger of commands that end by themselves. The level is `warning` unless the operator set it.
    static func command(_ settings: Settings) -> Logger {
        var logger = Logger(label: "saunter") { StreamLogHandler.standardError(label: $0) }
        let isChosen = settings.shown.contains { $0.setting == .logLevel && $0.source != "default" }
        logger.logLevel = isChosen ? settings.logLevel : .warning
        return logger
    }
}
