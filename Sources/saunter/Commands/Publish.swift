import ArgumentParser
import Foundation
import Logging
import SaunterCore
import SaunterPacks
import SaunterStore

/// Stores a study pack as an immutable version and makes it the live one.
struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Publish a study: store its pack as a version that never changes, and make it the live one.",
        discussion: """
            Publishing the same again changes nothing. A pack whose content changed needs a new version; people who are \
            enrolled stay on theirs. Where a questionnaire asks the same as an earlier version under another scoring key, the
            sheets of the earlier one are scored again: what that touches is told, and earlier scores are kept.

            Example: saunter publish Questionnaires/studies/mindful-walking
            """)

    @Argument(help: "The study's folder, studies/<code>.")
    var path: String
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let (publication, study) = try Publication.read(studyAt: path)
        let (isNew, touch) = try await StoreUse(
            settings: settings, purpose: .command, logger: .command(settings)
        ).run {
            try await ScoringTouch.publish(publication, study: study, to: $0, now: .current())
        }
        let name = "\(publication.study) \(publication.version)"
        if json {
            let result: JSON = [
                "study": .string(publication.study), "version": .string(publication.version),
                "digest": .string(publication.digest), "published": .bool(isNew),
                "rescoring": .optional(touch, \.json),
            ]
            Terminal.line(result.text)
        } else {
            Terminal.line(
                isNew ? "published \(name)" : "\(name) was published before and is the live version")
            for line in touch?.lines(study: publication.study) ?? [] { Terminal.line(line) }
        }
    }
}

extension Publication {
    /// Reads a pack from disk, worked cases included: what fails its check is not published.
    /// - Throws: `PackFaults`, all of them; `CommandFault` where the path is no study.
    static func read(studyAt path: String) throws -> (publication: Publication, study: Study) {
        guard let place = PackPlace(directory: path), case .study(let code) = place.kind else {
            throw CommandFault("\(path) is not a study's folder (…/studies/<code>)")
        }
        let report = PackCheck.run(paths: [path])
        guard report.faults.isEmpty else { throw PackFaults(report.faults) }
        let files = try PackFiles.load(directory: path)
        let pack = try StudyPack.read(files, study: code)
        let publication = Publication(
            study: code, version: pack.study.version, digest: pack.digest, files: files.files,
            instruments: pack.study.questionnaires.map { questionnaire in
                Publication.Instrument(
                    code: questionnaire.code, version: questionnaire.version,
                    digest: pack.instrumentDigests[questionnaire.code] ?? "", structure: questionnaire.json())
            })
        return (publication, pack.study)
    }
}

extension Instant {
    /// The time of this machine's clock.
    static func current() -> Instant {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
