import SaunterCore
import SaunterEvaluation
import SaunterPacks
import SaunterStore

/// A checked pack of a study that can be published. `saunter publish` and `POST …/draft/publication` use it, so both do
/// the same.
package struct StudyPublication: Sendable {
    /// What the store publishes.
    package let publication: Publication
    /// The parsed pack.
    package let pack: StudyPack
    /// The library as an edition; nil if the pack has none.
    package let edition: EditionDraft?

    /// The study.
    package var study: Study { pack.study }

    /// Reads a pack. The caller has checked it, including the worked cases of its scoring keys.
    /// - Throws: `PackFaults` with all faults of the files.
    package init(_ files: PackFiles, study code: String) throws(PackFaults) {
        let published = files.published(study: code)
        let pack = try StudyPack.read(published, study: code)
        let library = "studies/\(code)/" + PackPath.library
        self.pack = pack
        publication = Publication(
            study: code, version: pack.study.version, digest: pack.digest,
            files: published.files.filter { !$0.key.hasPrefix(library) },
            libraryFiles: published.files.filter { $0.key.hasPrefix(library) },
            instruments: pack.study.questionnaires.map { questionnaire in
                Publication.Instrument(
                    code: questionnaire.code, version: questionnaire.version,
                    digest: pack.instrumentDigests[questionnaire.code] ?? "", structure: questionnaire.json())
            })
        edition = EditionDraft(pack, publication)
    }

    // MARK: What prevents the publication

    /// Everything that prevents the publication, one line each. Empty if it can be published.
    package func problems(in store: Store, _ catalogue: StudyCatalogue) async throws -> [String] {
        var problems: [String] = []
        let checks: [() async throws -> Void] = [
            { try requireEvaluatedRules() }, { try await checkVersions(in: store) },
            { try await checkSuccession(in: store, catalogue) },
            { try await checkWeights(in: store, catalogue) },
        ]
        for check in checks {
            do {
                try await check()
            } catch let fault as StudyPublicationFault {
                problems += fault.lines
            }
        }
        return problems
    }

    /// - Throws: `StudyPublicationFault` if the study has rules that the server does not evaluate.
    package func requireEvaluatedRules() throws(StudyPublicationFault) { try study.requireEvaluatedRules() }

    /// - Throws: `StudyPublicationFault` if the version of the study, or of one of its questionnaires, is published
    ///   with other content.
    package func checkVersions(in store: Store) async throws {
        let taken = try await store.listPublicationFaults(publication)
        guard taken.isEmpty else { throw StudyPublicationFault.taken(taken) }
    }

    /// Checks that a new version does not contradict published versions, which never change.
    /// - Throws: `StudyPublicationFault`.
    package func checkSuccession(in store: Store, _ catalogue: StudyCatalogue) async throws {
        let versions = try await store.listStudyVersions(study.code)
        guard !versions.contains(study.version) else { return }
        var conflicts: [String] = []
        for version in versions {
            guard let earlier = try await catalogue.find(study.code, version: version) else { continue }
            conflicts += study.conflicts(with: earlier.study).filter { !conflicts.contains($0) }
        }
        guard conflicts.isEmpty else {
            throw StudyPublicationFault.conflicts(study.code, study.version, conflicts)
        }
    }

    private func checkWeights(in store: Store, _ catalogue: StudyCatalogue) async throws {
        let changes = try await RescoringEffect.keys(after: study, in: store, catalogue).silentWeightChanges
        guard changes.isEmpty else { throw StudyPublicationFault.silentWeights(changes) }
    }

    // MARK: Publication

    /// Stores the version, makes it live, publishes the library and ends the draft, in one transaction. Then starts the
    /// rescoring that the version requires. A repetition for a pack that is no draft has the same result.
    /// - Parameters:
    ///   - draft: the draft with this content, which must still have its revision; nil for a pack that is no draft.
    ///   - audit: the entries for a new live version and for a new edition.
    ///   - noteViews: gets the error if the views of answers cannot be created. The version is published in any case,
    ///     and the next start of the server creates the views.
    /// - Throws: `StudyPublicationFault`; `PublicationFault`; for a draft `StudyDraftFault` and `EditionOutdated`.
    package func publish(
        to store: Store, ending draft: PublishedDraft? = nil,
        audit: (version: AuditEntry, edition: AuditEntry)? = nil, now: Instant,
        noteViews: (any Error) -> Void
    ) async throws -> PublishedParts {
        let parts = try await RescoringEffect.publish(self, to: store, ending: draft, audit: audit, now: now)
        do {
            try await AnswerViews.createMissing(in: store.research)
        } catch {
            noteViews(error)
        }
        return parts
    }
}

/// What a publication stored.
package struct PublishedParts: Sendable {
    /// Whether the version was not published before.
    package var isNew: Bool
    /// The live edition of the library, and whether it is new; nil if the pack has no library.
    package var edition: (edition: Int, isNew: Bool)?
    /// The effect on stored scores; nil if no sheet must be scored again.
    package var rescoring: RescoringEffect?
}

/// Why a checked pack cannot be published.
package enum StudyPublicationFault: Error, CustomStringConvertible {
    /// The server does not evaluate these rules.
    case unavailableRules([String])
    /// Versions of the study or of questionnaires are published with other content.
    case taken([PublicationFault])
    /// The version contradicts published versions.
    case conflicts(_ study: String, _ version: String, [String])
    /// Weights of answer options changed, but the version of the scoring key did not.
    case silentWeights([ActiveScoringKeys.Version])

    /// The text for the terminal. It can have several lines.
    package var description: String {
        switch self {
        case .unavailableRules(let rules):
            return
                "the server does not evaluate these rules yet: \(rules.joined(separator: ", ")). Their action "
                + "is not available; `saunter rules` shows what they would decide"
        case .taken(let faults): return faults.map(\.description).joined(separator: "\n")
        case .conflicts(let study, let version, let conflicts):
            return "\(study) \(version) conflicts with published versions:\n"
                + conflicts.map { "  \($0)" }.joined(separator: "\n")
        case .silentWeights(let versions):
            let names = versions.map { "\($0.questionnaire) \($0.version)" }.joined(separator: ", ")
            return
                "the weights of options differ from \(names), but the version of the scoring key is the same: increase version in scoring.yaml"
        }
    }

    /// One line for each problem.
    package var lines: [String] {
        switch self {
        case .taken(let faults): faults.map(\.description)
        case .conflicts(_, _, let conflicts): conflicts
        case .unavailableRules, .silentWeights: [description]
        }
    }
}

extension EditionDraft {
    /// The library of a pack; nil if it has none.
    package init?(_ pack: StudyPack, _ publication: Publication) {
        guard let digest = pack.libraryDigest else { return nil }
        let files = PackFiles(files: publication.libraryFiles)
        let publicMedia = Set(
            Library(collections: pack.library.collections.filter(\.isPublic)).media.map(\.digest))
        var texts = files.files
        var found: [Media] = []
        for path in files.files.keys {
            guard let media = files.contentMedia(path) else { continue }
            let bytes = files.media(path)
            if bytes != nil { texts[path] = Self.reference(to: media.digest) }
            found.append(
                Media(
                    digest: media.digest, mediaType: media.format.mediaType, bytes: bytes,
                    isPublic: publicMedia.contains(media.digest)))
        }
        var items = Dictionary(
            pack.library.collections.map { ($0.code, $0.items.map(\.id)) },
            uniquingKeysWith: { first, _ in first })
        // Rules can announce a new programme like a new item. A withdrawn one is new when it is restored.
        let programmes = pack.library.programmes.filter { !$0.isWithdrawn }.map(\.code)
        if !programmes.isEmpty { items[Self.programmes] = programmes }
        self.init(
            study: publication.study, digest: digest, files: texts, media: found, items: items)
    }
}

extension Study {
    /// - Throws: `StudyPublicationFault` if the study has rules that the server does not evaluate.
    package func requireEvaluatedRules() throws(StudyPublicationFault) {
        let unavailable = rules.filter { !$0.isEvaluatedByServer }.map(\.code)
        guard unavailable.isEmpty else { throw .unavailableRules(unavailable) }
    }
}

extension DecisionRule {
    /// Whether the server evaluates the rule. Reports and rules for administrators of groups exist only in
    /// `saunter rules` up to now.
    fileprivate var isEvaluatedByServer: Bool {
        if case .report = action { return false }
        return recipient == .participant
    }
}
