import ArgumentParser
import Console
import Foundation
import Logging
import PrivateCluster
import SaunterCore
import SaunterPacks
import SaunterServer
import SaunterStore

/// Stores a study pack as an immutable version and makes it the live version.
struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Publish a study: store its pack as an immutable version, and make this version the live version.",
        discussion: """
            Publishing the same pack again changes nothing. A changed pack needs a new version.

            The command first shows the effect on the occasions of enrolled participants. At a terminal it asks whether they \
            follow the new version. Without a terminal, if participants are enrolled in another version, it needs --yes, with \
            which they follow the new version at once, or --keep-enrolled, with which they stay on theirs. The command compares \
            the plans of at most one year, and of less time if very many participants take part in a dense study. Open occasions \
            do not change. A participant follows a version with a new consent text only after consenting to it.

            A changed consent text needs another consent_version, and an item with a changed type another linkId. If a \
            questionnaire has the same items as an earlier version but another scoring key, the sheets of the earlier version are \
            scored again: the command shows the affected scores, and earlier scores are kept.

            The folder library is published as a numbered edition, which all participants follow at once. A changed library \
            needs no new version: --library-only publishes only the library.

            Example: saunter publish Questionnaires/studies/mindful-walking --preview
            """)

    @Argument(help: "The study's folder, studies/<code>.")
    var path: String
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Only show the effect on enrolled participants; write nothing.") var preview = false
    @Flag(help: "Move enrolled participants to this version, without asking.") var yes = false
    @Flag(help: "Leave enrolled participants on their version, without asking.") var keepEnrolled = false
    @Flag(help: "Publish only the library, as a new edition for the live version.") var libraryOnly = false
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard [preview, yes, keepEnrolled, libraryOnly].filter({ $0 }).count < 2 else {
            throw ValidationError("--preview, --yes, --keep-enrolled and --library-only exclude each other")
        }
    }

    /// The result of the command.
    private struct Result {
        var effect: PublicationEffect
        var isNew = false
        var rescoring: RescoringEffect?
        /// The number of participants who were moved to the version; nil if they stayed on theirs.
        var moved: Int?
        /// The live edition of the library, and whether it is new; nil if the pack has no library.
        var edition: (edition: Int, isNew: Bool)?
    }

    func run() async throws {
        let settings = try options.settings()
        let (publication, hints) = try StudyPublication.read(studyAt: path)
        for hint in hints { Terminal.note(hint.hintLine) }
        let session = StoreSession(settings: settings, user: .command, logger: .command(settings))
        if libraryOnly {
            let edition = try await session.run { try await publishLibrary(publication, to: $0) }
            showEdition(edition, publication.publication)
            return
        }
        let result = try await session.run { try await publish(publication, to: $0, now: .current()) }
        if json {
            Terminal.line(summary(result, publication.publication, hints).text)
        } else {
            show(result, publication.publication)
        }
    }

    private func publish(
        _ publication: StudyPublication, to store: Store, now: Instant
    ) async throws -> Result {
        let study = publication.study
        try publication.requireEvaluatedRules()
        try await publication.checkVersions(in: store)
        let catalogue = StudyCatalogue(store: store, read: PublishedStudyReader.read)
        try await publication.checkSuccession(in: store, catalogue)
        let effect = try await store.previewEffect(
            of: study, loadVersion: { try await catalogue.find(study.code, version: $0)?.study }, now: now
        ) {
            Terminal.progress("checked \($0) participants")
        }
        Terminal.endProgress()
        var result = Result(effect: effect)
        if preview { return result }
        let moves = try movesEnrolled(effect)
        try await store.saveMedia(of: publication.publication, directory: path, now: .current())
        let parts = try await publication.publish(to: store, now: now) {
            Terminal.note("the version is published, but the views of answers are incomplete: \($0)")
        }
        result.isNew = parts.isNew
        result.rescoring = parts.rescoring
        result.edition = parts.edition
        if moves {
            defer { Terminal.endProgress() }
            do {
                result.moved = try await store.moveEnrolments(
                    to: study, now: now,
                    progress: {
                        Terminal.progress("\($0) of \(effect.enrolments) participants follow the version")
                    })
            } catch let fault as VersionNotLive {
                throw CommandFault(
                    "\(fault.moved) participants follow \(study.version); the others stay on their version, because "
                        + "\(fault.live ?? "another version") was published in the meantime")
            }
        }
        return result
    }

    /// Publishes the library for the live version of the study.
    private func publishLibrary(
        _ publication: StudyPublication, to store: Store
    ) async throws -> (edition: Int, isNew: Bool) {
        guard let draft = publication.edition else {
            throw CommandFault("\(path) has no folder library")
        }
        let catalogue = StudyCatalogue(store: store, read: PublishedStudyReader.read)
        guard let live = try await catalogue.findLive(publication.study.code) else {
            throw CommandFault(
                "\(publication.study.code) is not published yet; publish it without --library-only first")
        }
        // The library must also fit the version that participants join, which can differ from the pack.
        _ = try LibraryParser.read(
            PackFiles(files: publication.publication.libraryFiles), of: live.published.study)
        try await store.saveMedia(of: publication.publication, directory: path, now: .current())
        return try await store.publish(draft, now: .current())
    }

    private func showEdition(_ edition: (edition: Int, isNew: Bool), _ publication: Publication) {
        if json {
            let summary: JSON = [
                "study": .string(publication.study), "edition": .int(edition.edition),
                "published": .bool(edition.isNew),
            ]
            Terminal.line(summary.text)
        } else {
            Terminal.line(
                edition.isNew
                    ? "published edition \(edition.edition) of the library of \(publication.study)"
                    : "edition \(edition.edition) of the library of \(publication.study) is unchanged")
        }
    }

    /// Whether enrolled participants follow the version, as the flags or the answer at the terminal say.
    /// - Throws: `CommandFault` if neither does.
    private func movesEnrolled(_ effect: PublicationEffect) throws -> Bool {
        guard !yes, !keepEnrolled, effect.enrolments > 0 else { return yes }
        guard Self.canAsk else {
            throw CommandFault(
                "nothing was published: \(effect.enrolments) participants are enrolled in another version; use --yes to "
                    + "move them to this version, or --keep-enrolled to leave them on theirs")
        }
        guard isConfirmed(effect) else {
            throw CommandFault(
                "nothing was published; --keep-enrolled publishes the version only for new participants")
        }
        return true
    }

    /// Whether the command runs at a terminal and can ask.
    private static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && Terminal.isTerminal }

    private func isConfirmed(_ effect: PublicationEffect) -> Bool {
        for line in effect.sentences { Terminal.note(line) }
        Terminal.write(
            "Publish this version, and move the enrolled participants to it? [y/N] ", to: .standardError)
        return ["y", "yes"].contains(readLine()?.lowercased())
    }

    private func show(_ result: Result, _ publication: Publication) {
        let name = "\(publication.study) \(publication.version)"
        if preview {
            for line in result.effect.sentences { Terminal.line(line) }
            return
        }
        Terminal.line(
            result.isNew ? "published \(name)" : "\(name) was published before and is the live version")
        if let edition = result.edition { showEdition(edition, publication) }
        if let moved = result.moved {
            Terminal.line("\(moved) participants follow this version now")
            for line in result.effect.lostArmSentences { Terminal.line(line) }
        } else if result.effect.enrolments > 0 {
            Terminal.line(
                "participants who stay on their version: \(result.effect.enrolments); --yes moves them to this version"
            )
        }
        if result.effect.awaitingConsent > 0 {
            Terminal.line(
                "\(result.effect.awaitingConsent) participants are asked to consent again, and stay on their version until then"
            )
        }
        for line in result.rescoring?.lines(study: publication.study) ?? [] { Terminal.line(line) }
    }

    private func summary(_ result: Result, _ publication: Publication, _ hints: [PackFault]) -> JSON {
        [
            "study": .string(publication.study), "version": .string(publication.version),
            "digest": .string(publication.digest), "published": .bool(result.isNew),
            "effect": result.effect.json(), "moved": .optional(result.moved, JSON.int),
            "rescoring": .optional(result.rescoring, \.json), "hints": .array(hints.map(\.json)),
            "edition": .optional(result.edition?.edition, JSON.int),
        ]
    }
}

extension StudyPublication {
    /// Reads a pack from disk and checks it, including the worked cases of its scoring keys. Also returns the hints of
    /// the check.
    /// - Throws: `PackFaults` with all faults; `CommandFault` if the path is not the folder of a study.
    static func read(studyAt path: String) throws -> (publication: StudyPublication, hints: [PackFault]) {
        let code = try PackFolder.studyCode(at: path)
        let report = PackCheck.run(paths: [path])
        guard report.faults.isEmpty else { throw PackFaults(report.faults) }
        return (try StudyPublication(PackFiles.load(directory: path), study: code), report.hints)
    }
}

extension Store {
    /// Stores the media of more than 1 MiB of a library, one at a time. Its edition names them by their digests.
    /// - Parameter directory: the folder of the study.
    func saveMedia(of publication: Publication, directory: String, now: Instant) async throws {
        let files = PackFiles(files: publication.libraryFiles)
        for (file, media) in files.references.sorted(by: { $0.key < $1.key }) {
            let bytes: [UInt8]
            do {
                bytes = try PackFiles.load(media, at: file, directory: directory)
            } catch {
                throw PackFaults([error])
            }
            _ = try await saveMedia(media, bytes, of: publication.study, now: now)
        }
    }
}
