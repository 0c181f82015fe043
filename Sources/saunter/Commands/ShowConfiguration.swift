import ArgumentParser
import Console
import SaunterCore

/// Shows the effective settings and their sources.
struct ShowConfiguration: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show the effective settings and their sources; secrets are hidden.",
        discussion: "Example: SAUNTER_PORT=9000 saunter config")

    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        let settings = try options.settings()
        for warning in settings.warnings { Terminal.error("warning: \(warning)") }
        if json {
            let items = settings.shown.map { shown -> JSON in
                [
                    "setting": .string(shown.setting.rawValue), "value": .string(shown.text),
                    "source": .string(shown.source),
                ]
            }
            Terminal.line(JSON.object(["items": .array(items)]).text)
        } else {
            var table = TextTable(["setting", "value", "source"])
            for shown in settings.shown { table.append([shown.setting.variable, shown.text, shown.source]) }
            for line in table.lines { Terminal.line(line) }
        }
    }
}
