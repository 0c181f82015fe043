import ArgumentParser
import Console
import Foundation
import SaunterCore
import SaunterEvaluation
import SaunterStore

extension DatasetProfile: ExpressibleByArgument {}
extension DatasetFormat: ExpressibleByArgument {}

/// Exports a dataset.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Export the dataset of a study: all tables, the codebook and loaders, from one snapshot.",
        discussion: """
            The folder gets its final name when it is complete. The same data produce the same bytes.

            Examples:
              evaluator export --study mindful-walking --out dataset
              evaluator export --study mindful-walking --out release --profile deidentified --format spss --format stata
              evaluator export --study mindful-walking --out . --zip --questionnaire pss_10 --from 2026-11-01
              evaluator export --study mindful-walking --out interim --as-of 2026-12-01T12:00:00Z
            """)

    @Option(help: "The study's code.") var study: String
    @Option(help: "The new folder; with --zip the folder for the zip file.") var out: String
    @Flag(help: "Write saunter_<study>_<snapshot>.zip into the folder.") var zip = false
    @Option(
        help:
            "How the data are protected: \(DatasetProfile.allCases.map(\.rawValue).joined(separator: ", ")).")
    var profile = DatasetProfile.coded
    @Option(
        name: .customLong("format"),
        help:
            "Also write every table in this format: \(DatasetFormat.allCases.map(\.rawValue).joined(separator: ", ")); repeatable."
    )
    var formats: [DatasetFormat] = []
    @Option(help: "The language of labels. By default the first language of the study.")
    var language: String?
    @Option(
        help: ArgumentHelp(
            "Show the study as it was at this instant, such as 2026-12-01T12:00:00Z or as_of in the manifest of an earlier dataset. The manifest lists what is not restored.",
            valueName: "instant"), transform: Self.instant)
    var asOf: Instant?
    @OptionGroup var filter: FilterOptions
    @Option(name: .customLong("questionnaire"), help: "Only this questionnaire; repeatable.")
    var questionnaires: [String] = []
    @OptionGroup var masterKey: MasterKeyOption
    @OptionGroup var options: DatabaseOptions
    @Flag(help: "Print the manifest as JSON, and the progress as lines of JSON on standard error.")
    var json = false

    func run() async throws {
        let request = DatasetRequest(
            study: study, profile: profile, filters: filter.filters(questionnaires: questionnaires),
            formats: Set(formats), language: language, asOf: asOf)
        let secret = profile == .deidentified ? try masterKey.releaseSecret() : nil
        do {
            let (manifest, path) = try await options.withPools("saunter_export", "saunter_research") {
                pool, research in
                let writer = DatasetWriter(
                    pool: pool, numberChanges: { _ = try await ChangeNumbering.run($0, on: research) },
                    secret: secret)
                let dataset = try await write(writer, request)
                try await writer.record(dataset.manifest, profile: profile)
                return dataset
            }
            Terminal.endProgress()
            if json {
                Terminal.line(manifest.json.text)
            } else {
                let rows = manifest.files.compactMap { $0.path.hasPrefix("data/") ? $0.rows : nil }.reduce(
                    0, +)
                Terminal.line(
                    "\(path): \(manifest.participants.enrolments) enrolments, \(rows) rows, as of \(manifest.asOf)"
                )
            }
        } catch let fault as DatasetFault where fault.isWrongUsage {
            Terminal.endProgress()
            throw UsageFault(fault.description)
        }
    }

    private static func instant(_ text: String) throws -> Instant {
        guard let instant = Instant(text) else {
            throw ValidationError("\(text) is not an instant; use the form 2026-12-01T12:00:00Z")
        }
        return instant
    }

    /// Writes the dataset.
    /// - Returns: the manifest, and the path of the dataset.
    private func write(_ writer: DatasetWriter, _ request: DatasetRequest) async throws -> (
        manifest: DatasetManifest, path: String
    ) {
        let progress = DatasetProgress(isJSON: json)
        guard zip else {
            return (try await writer.write(request, to: out) { progress.show($0) }, out)
        }
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        let folder = "\(out)/.evaluator-\(UUID().uuidString)"
        defer {
            // The folder is not needed after the zip exists. If it cannot be removed, its name shows that it is not a
            // dataset.
            try? FileManager.default.removeItem(atPath: folder)
        }
        let manifest = try await writer.write(request, to: folder) { progress.show($0) }
        let path = "\(out)/\(manifest.name).zip"
        progress.show(stage: "zip")
        try ZipArchive.write(folder, as: manifest.name, to: path)
        return (manifest, path)
    }
}
