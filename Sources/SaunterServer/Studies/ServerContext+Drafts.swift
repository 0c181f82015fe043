import Foundation
import SaunterCore
import SaunterPacks
import SaunterStore

extension ServerContext {
    /// The draft of the study in the path, for a caller who may see the files of the study.
    /// - Throws: `not-found` if there is none; `arms-blinded`, because a pack shows the codes of arms.
    package func fetchDraft(_ call: Call<Identity>) async throws -> StudyDraft {
        let study = try call.text("study")
        let draft = try await store.findDraft(of: study)
        try await requireFiles(of: study, draft: draft, for: call.caller)
        guard let draft else { throw Problem(.notFound, "The study has no draft.") }
        return draft
    }

    /// Requires that the caller may see the files of a study.
    /// - Parameter draft: decides if no version of the study is published.
    /// - Throws: `arms-blinded`.
    package func requireFiles(
        of study: String, draft: StudyDraft? = nil, for caller: Identity
    ) async throws {
        try await armView(of: study, for: caller).requireCodes()
        guard let draft, !caller.seesArms(in: study), try await store.findStudy(study) == nil,
            draft.isBlinded != false
        else { return }
        throw Problem(.armsBlinded)
    }

    /// The files of a published version, with the library of the live edition; nil if there is no such version.
    package func findPack(of study: String, version: String) async throws -> PackFiles? {
        try await findPack(of: study, version: version, edition: try await store.findLiveEdition(of: study))
    }

    /// The files of a published version, with the library of an edition; nil if there is no such version.
    func findPack(of study: String, version: String, edition: Int?) async throws -> PackFiles? {
        guard let found = try await store.findStudyFiles(study, version: version) else { return nil }
        let library = try await libraryFiles(of: study, edition: edition)
        return PackFiles(files: found.files.merging(library, uniquingKeysWith: { $1 }))
    }

    /// The files of an edition of the library in the form of `PackFiles`; none without an edition.
    func libraryFiles(of study: String, edition: Int?) async throws -> [String: String] {
        guard let edition, let found = try await store.findEdition(edition, of: study) else { return [:] }
        let media = try await store.readMedia(of: found).mapValues { PackFiles.encoded(Data($0)) }
        return found.files.merging(media, uniquingKeysWith: { $1 })
    }

    /// Stores changed files of a draft.
    /// - Parameter edition: the edition of the library in these files; nil if it is that of the draft.
    /// - Throws: `precondition-required`, `precondition-failed`; `draft-invalid` if the files cannot be stored.
    package func save(
        _ files: PackFiles, as draft: StudyDraft, edition: Int? = nil, _ call: Call<Identity>
    ) async throws -> StudyDraft {
        try call.requireMatch(draft.tag)
        let faults = files.storageFaults
        guard faults.isEmpty else { throw Problem(draft: faults) }
        do {
            return try await store.saveDraft(
                files.files, of: draft.study, basedOn: draft.basedOn, edition: edition,
                expecting: draft.revision, by: call.caller.account, requestID: call.requestID,
                now: call.now)
        } catch let fault as StudyDraftFault {
            throw Problem(fault)
        }
    }

    /// What the check finds in a draft.
    package func check(_ draft: StudyDraft) async throws -> PackReport {
        try await work.run { PackCheck.run(draft.pack, study: draft.study) }
    }
}

extension StudyDraft {
    /// The files as the parsers read them.
    package var pack: PackFiles { PackFiles(files: files) }

    /// The revision as the precondition of a change.
    package var tag: EntityTag { EntityTag(String(revision)) }

    /// The path of `study.yaml`.
    package var descriptionPath: String { "studies/\(study)/" + PackPath.study }

    /// A scalar value of a YAML file; nil if there is none or if the file cannot be read.
    package func value(at pointer: String, in path: String) -> JSON? {
        files[path].flatMap { try? YAMLEditor($0, file: path) }?.value(at: pointer)
    }

    /// Whether the arms are hidden from the study team; nil if `study.yaml` does not state it clearly.
    var isBlinded: Bool? {
        guard let text = files[descriptionPath],
            let description = try? YAMLDocument.json(text, name: descriptionPath), description.object != nil
        else { return nil }
        guard let allocation = description["allocation"], !allocation.isNull else { return false }
        guard allocation.object != nil else { return nil }
        guard let blinded = allocation["blinded"], !blinded.isNull else { return false }
        return blinded.bool
    }

    /// The version in `study.yaml`; nil if it cannot be read.
    package var version: String? { value(at: "/version", in: descriptionPath)?.string }

    /// The languages in `study.yaml`, the first one first; empty if they cannot be read.
    package var languages: [String] {
        let description = files[descriptionPath].flatMap { try? YAMLDocument.json($0, name: descriptionPath) }
        return Self.languages(in: description)
    }

    /// The languages that a file names. A draft can contain anything, so only tags count, each once, at most 50.
    static func languages(in description: JSON?) -> [String] {
        var found: [String] = []
        for entry in description?["languages"]?.array ?? [] where found.count < 50 {
            guard let tag = entry.string, PackPath.isLanguage(tag), !found.contains(tag) else { continue }
            found.append(tag)
        }
        return found
    }

    /// The title in the language, or in the first language of the study; the code if no title can be read.
    package func title(in language: String? = nil) -> String {
        for language in [language].compactMap(\.self) + languages {
            let path = "studies/\(study)/content/text.\(language).yaml"
            if let title = value(at: "/title", in: path)?.string { return title }
        }
        return study
    }
}

extension Problem {
    /// The problem for a draft that another editor changed, started or ended in the meantime.
    package init(_ fault: StudyDraftFault) {
        switch fault {
        case .changed(nil): self.init(.notFound, "The study has no draft.")
        case .changed: self.init(.preconditionFailed, "The draft has changed in the meantime.")
        }
    }

    /// The problem for files that a draft cannot contain.
    package init(draft faults: [PackFault]) {
        self.init(
            .draftInvalid,
            Faults(
                faults.map {
                    let place = $0.file.isEmpty ? "" : "\($0.file):\($0.line): "
                    return Fault(pointer: "", code: "unusable_file", detail: place + $0.message)
                }))
        members["faults"] = .array(faults.map(\.json))
    }
}

extension PackFault {
    static let schema = Schema.named(
        "PackFault",
        .object([
            .required("file", .string(), "The path of the file in the pack."),
            .required("line", .integer(min: 1), "The line of the fault, from 1."),
            .required("message", .string(), "What is wrong, in English."),
        ]))
}
