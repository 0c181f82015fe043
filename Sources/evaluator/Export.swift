import ArgumentParser
import Foundation
import SaunterCore
import SaunterEvaluation
import SaunterStore

extension DatasetProfile: ExpressibleByArgument {}
extension DatasetFormat: ExpressibleByArgument {}

/// Makes a dataset.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the dataset of a study: every table, its codebook and loaders, from one snapshot.",
        discussion: """
            The folder gets its name only once everything is in it; the same data give the same bytes.

            Examples:
              evaluator export --study mindful-walking --out dataset
              evaluator export --study mindful-walking --out release --profile deidentified --format spss --format stata
              evaluator export --study mindful-walking --out . --zip --questionnaire pss_10 --from 2026-11-01
            """)

    @Option(help: "The study's code.") var study: String
    @Option(help: "The folder to make; with --zip the folder to put the zip in.") var out: String
    @Flag(help: "Make saunter_<study>_<snapshot>.zip in the folder.") var zip = false
    @Option(
        help: "What is done to the data: \(DatasetProfile.allCases.map(\.rawValue).joined(separator: ", ")).")
    var profile = DatasetProfile.coded
    @Option(
        name: .customLong("format"),
        help:
            "Also this form of every table: \(DatasetFormat.allCases.map(\.rawValue).joined(separator: ", ")); may be repeated."
    )
    var formats: [DatasetFormat] = []
    @OptionGroup var part: PartOptions
    @Option(name: .customLong("questionnaire"), help: "Only this questionnaire; may be repeated.")
    var questionnaires: [String] = []
    @Option(
        help:
            "The server's master key, for the profile deidentified. Default: SAUNTER_MASTER_KEY_FILE, else the data directory's."
    )
    var masterKeyFile: String?
    @OptionGroup var options: DatabaseOptions
    @Flag(help: "Print the manifest as JSON, and how far it is as lines of JSON on standard error.")
    var json = false

    func run() async throws {
        let request = DatasetRequest(
            study: study, profile: profile, filters: part.filters(questionnaires: questionnaires),
            formats: Set(formats))
        let secret = profile == .deidentified ? try releaseSecret() : nil
        do {
            let (manifest, path) = try await options.withPools("saunter_export", "saunter_research") {
                pool, research in
                let writer = DatasetWriter(
                    pool: pool, number: { _ = try await ChangeNumbering.run($0, on: research) },
                    secret: secret)
                let made = try await make(writer, request)
                try await writer.record(made.manifest, profile: profile)
                return made
            }
            Terminal.endProgress()
            if json {
                Terminal.line(manifest.json.text)
            } else {
                let rows = manifest.files.compactMap { $0.path.hasPrefix("data/") ? $0.rows : nil }.reduce(
                    0, +)
                Terminal.line(
                    "\(path): \(manifest.people.enrolments) enrolments, \(rows) rows, as of \(manifest.asOf)")
            }
        } catch let fault as DatasetFault where fault.isWrongUsage {
            Terminal.endProgress()
            throw UsageFault(fault.description)
        }
    }

    /// What pseudonyms and shifted dates follow from: the same as the server's, so that datasets are the same.
    private func releaseSecret() throws -> @Sendable (String) -> [UInt8] {
        let environment = ProcessInfo.processInfo.environment
        let path =
            masterKeyFile ?? environment["SAUNTER_MASTER_KEY_FILE"]
            ?? "\(environment["SAUNTER_DATA_DIR"] ?? "./.saunter")/keys/master.key"
        do {
            let secrets = StoreSecrets(master: try MasterKey.load(from: path))
            return { secrets.releaseSecret($0) }
        } catch let fault {
            throw UsageFault(fault.description)
        }
    }

    /// The manifest, and where the dataset is.
    private func make(_ writer: DatasetWriter, _ request: DatasetRequest) async throws -> (
        manifest: DatasetManifest, path: String
    ) {
        let progress = DatasetProgress(isJSON: json)
        guard zip else {
            return (try await writer.write(request, to: out) { progress.note($0) }, out)
        }
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        let folder = "\(out)/.evaluator-\(UUID().uuidString)"
        defer {
            // Beside the zip it is of no use; should it stay, its name says that it is no dataset.
            try? FileManager.default.removeItem(atPath: folder)
        }
        let manifest = try await writer.write(request, to: folder) { progress.note($0) }
        let path = "\(out)/\(manifest.name).zip"
        progress.note("zip")
        try ZipArchive.write(folder, as: manifest.name, to: path)
        return (manifest, path)
    }
}
