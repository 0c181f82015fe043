import ArgumentParser
import Console
import PrivateCluster
import SaunterCore
import SaunterStore

/// Lists the published studies.
struct StudyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "study", abstract: "List the published studies.",
        discussion: "Example: saunter study list", subcommands: [ListStudies.self])
}

/// `saunter study list`.
struct ListStudies: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the published studies with their versions.",
        discussion: "Example: saunter study list --json")

    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let studies = try await StoreSession(
            settings: settings, user: .command, logger: .command(settings)
        ).run { store in
            var studies: [(row: StudyRow, versions: [String])] = []
            for row in try await store.listStudies() {
                studies.append((row, try await store.listStudyVersions(row.study)))
            }
            return studies
        }
        if json {
            let items = studies.map { study -> JSON in
                [
                    "study": .string(study.row.study), "live_version": .string(study.row.liveVersion),
                    "versions": .array(study.versions.map(JSON.string)),
                    "closed_at": .optional(study.row.closedAt) { .string($0.description) },
                ]
            }
            return Terminal.line(JSON.object(["items": .array(items)]).text)
        }
        var table = TextTable(["study", "live version", "all versions"])
        for (row, versions) in studies {
            table.append([row.study, row.liveVersion, versions.joined(separator: ", ")])
        }
        for line in table.lines { Terminal.line(line) }
    }
}
