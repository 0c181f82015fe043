import ArgumentParser
import Foundation
import Logging
import SaunterCore
import SaunterPacks
import SaunterServer
import SaunterStore

/// Stores a study pack as an immutable version and makes it the live one.
struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Publish a study: store its pack as a version that never changes, and make it the live one.",
        discussion: """
            Publishing the same again changes nothing. A pack whose content changed needs a new version. What that does to the \
            occasions of those who are enrolled is told first: at a terminal you are asked, with --yes they follow it at once, and
            otherwise they stay on theirs. Whole plans are compared, at most a year ahead, and less far where very many take part in a dense study. What is open stays as it is; nobody follows a version whose consent text they have not
            consented to. Another consent text needs another consent_version, and an item of another type another linkId. Where a questionnaire asks the same as an earlier version under another scoring key, the
            sheets of the earlier one are scored again: what that touches is told, and earlier scores are kept.

            Example: saunter publish Questionnaires/studies/mindful-walking --preview
            """)

    @Argument(help: "The study's folder, studies/<code>.")
    var path: String
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Only show what it would do to those who are enrolled; write nothing.") var preview = false
    @Flag(help: "Let those who are enrolled follow it, without asking.") var yes = false
    @Flag(help: "Leave those who are enrolled on their version, without asking.") var keepEnrolled = false
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard [preview, yes, keepEnrolled].filter({ $0 }).count < 2 else {
            throw ValidationError("--preview, --yes and --keep-enrolled exclude each other")
        }
    }

    /// What came of it.
    private struct Result {
        var effect: PublicationEffect
        var isNew = false
        var touch: ScoringTouch?
        /// Participants who follow the version now; nil where they were left alone.
        var moved: Int?
    }

    func run() async throws {
        let settings = try options.settings()
        let (publication, study, hints) = try Publication.read(studyAt: path)
        for hint in hints { Terminal.note(hint.hintLine) }
        let result = try await StoreUse(
            settings: settings, purpose: .command, logger: .command(settings)
        ).run { try await publish(publication, study, to: $0, now: .current()) }
        if json {
            Terminal.line(summary(result, publication, hints).text)
        } else {
            show(result, publication)
        }
    }

    private func publish(
        _ publication: Publication, _ study: Study, to store: Store, now: Instant
    ) async throws -> Result {
        try await store.checkPublication(publication)
        let catalogue = StudyCatalogue(store: store, read: StudyReading.read)
        try await checkSuccession(study, in: store, catalogue)
        let effect = try await store.effect(
            of: study, former: { try await catalogue.find(study.code, version: $0)?.study }, now: now
        ) {
            Terminal.progress("looked at \($0) participants")
        }
        Terminal.endProgress()
        var result = Result(effect: effect)
        if preview { return result }
        let moves = yes || (!keepEnrolled && effect.enrolments > 0 && Self.isAsked && confirmed(effect))
        if !moves, !keepEnrolled, effect.enrolments > 0, Self.isAsked {
            throw CommandFault("nothing was published; --keep-enrolled publishes for newcomers alone")
        }
        let (isNew, touch) = try await ScoringTouch.publish(publication, study: study, to: store, now: now)
        result.isNew = isNew
        result.touch = touch
        if moves {
            result.moved = try await store.moveEnrolled(to: study, now: now) {
                Terminal.progress("\($0) of \(effect.enrolments) participants follow the version")
            }
            Terminal.endProgress()
        }
        return result
    }

    /// What was published before stays as it is: a version that is new must not say otherwise.
    private func checkSuccession(
        _ study: Study, in store: Store, _ catalogue: StudyCatalogue
    ) async throws {
        let versions = try await store.listStudyVersions(study.code)
        guard !versions.contains(study.version) else { return }
        var conflicts: [String] = []
        for version in versions {
            guard let earlier = try await catalogue.find(study.code, version: version) else { continue }
            conflicts += study.conflicts(with: earlier.study).filter { !conflicts.contains($0) }
        }
        guard conflicts.isEmpty else {
            throw CommandFault(
                "\(study.code) \(study.version) cannot follow what was published:\n"
                    + conflicts.map { "  \($0)" }.joined(separator: "\n"))
        }
    }

    /// Whether somebody sits there to answer.
    private static var isAsked: Bool { isatty(STDIN_FILENO) == 1 && Terminal.isWatched }

    private func confirmed(_ effect: PublicationEffect) -> Bool {
        for line in effect.sentences { Terminal.note(line) }
        Terminal.write("Publish, and let them follow it? [y/N] ", to: .standardError)
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
        if let moved = result.moved {
            Terminal.line("\(moved) participants follow it now")
            for line in result.effect.lostArmSentences { Terminal.line(line) }
        } else if result.effect.enrolments > 0 {
            Terminal.line(
                "\(result.effect.enrolments) participants stay on their version; --yes lets them follow this one"
            )
        }
        if result.effect.awaitingConsent > 0 {
            Terminal.line(
                "\(result.effect.awaitingConsent) participants are asked to consent anew, and stay on theirs until then"
            )
        }
        for line in result.touch?.lines(study: publication.study) ?? [] { Terminal.line(line) }
    }

    private func summary(_ result: Result, _ publication: Publication, _ hints: [PackFault]) -> JSON {
        [
            "study": .string(publication.study), "version": .string(publication.version),
            "digest": .string(publication.digest), "published": .bool(result.isNew),
            "effect": result.effect.json, "moved": .optional(result.moved, JSON.int),
            "rescoring": .optional(result.touch, \.json), "hints": .array(hints.map(\.json)),
        ]
    }
}

extension Publication {
    /// Reads a pack from disk, worked cases included: what fails its check is not published. Also what the check has hints for.
    /// - Throws: `PackFaults`, all of them; `CommandFault` where the path is no study.
    static func read(
        studyAt path: String
    ) throws -> (publication: Publication, study: Study, hints: [PackFault]) {
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
        return (publication, pack.study, report.hints)
    }
}

extension Instant {
    /// The time of this machine's clock.
    static func current() -> Instant {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
