import ArgumentParser
import Foundation

/// The settings that every command accepts on its command line.
struct SettingsOptions: ParsableArguments {
    @Option(name: .customLong("config"), help: "A YAML file of settings.")
    var file: String?

    @Option(name: .customLong("data-dir"), help: "The data directory.")
    var dataDirectory: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: String?

    /// Reads all settings of this run.
    /// - Parameter more: command line values of further settings.
    func settings(_ more: [Setting: String?] = [:]) throws(SettingsFault) -> Settings {
        let environment = ProcessInfo.processInfo.environment
        let given: [Setting: String?] = [.dataDirectory: dataDirectory, .logLevel: logLevel]
        let sources = try SettingSources(
            arguments: given.merging(more) { $1 }.compactMapValues { $0 }, environment: environment,
            file: file ?? environment["SAUNTER_CONFIG_FILE"].flatMap { $0.isEmpty ? nil : $0 })
        return try Settings(sources)
    }
}
