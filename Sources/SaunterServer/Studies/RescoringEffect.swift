import SaunterCore
import SaunterStore

/// The effect of a publication on the scores of stored sheets.
package struct RescoringEffect: Sendable {
    /// The job that scores the sheets again; nil in a preview.
    package let rescoring: RescoringID?
    /// The versions whose sheets are scored again.
    package let affected: [RescoringRepository.AffectedVersion]
    /// The ids of the scales with a changed definition, by version.
    private let scales: [ActiveScoringKeys.Version: [String]]

    private init(
        _ rescoring: RescoringID?, _ affected: [RescoringRepository.AffectedVersion],
        from before: ActiveScoringKeys, to after: ActiveScoringKeys
    ) {
        var scales: [ActiveScoringKeys.Version: [String]] = [:]
        for (version, rule) in after.rules {
            let old = before.rules[version]?.keyed.scoring?.scales ?? []
            scales[version] = (rule.keyed.scoring?.scales ?? []).filter { !old.contains($0) }.map(\.id)
        }
        self.rescoring = rescoring
        self.affected = affected
        self.scales = scales
    }

    /// The keys that would be active after the publication of a study.
    static func keys(
        after study: Study, in store: Store, _ catalogue: StudyCatalogue
    ) async throws -> ActiveScoringKeys {
        var studies: [Study] = []
        for version in try await store.listStudyVersions(study.code) where version != study.version {
            if let known = try await catalogue.find(study.code, version: version) {
                studies.append(known.study)
            }
        }
        return ActiveScoringKeys(studies + [study], live: study.version)
    }

    /// The effect that a publication would have. Writes nothing.
    /// - Returns: nil if no sheet must be scored again.
    static func preview(
        of study: Study, in store: Store, _ catalogue: StudyCatalogue
    ) async throws -> RescoringEffect? {
        guard let live = try await store.findStudy(study.code)?.liveVersion else { return nil }
        let before = try await catalogue.activeScoringKeys(of: study.code, live: live)
        let after = try await keys(after: study, in: store, catalogue)
        let affected = try await RescoringRepository(pool: store.research).listAffected(by: after)
        return affected.isEmpty ? nil : RescoringEffect(nil, affected, from: before, to: after)
    }

    /// Publishes a study with its library, and starts the rescoring that it requires. If the process ends in between,
    /// `RescoringLoop` starts the rescoring.
    /// - Parameters:
    ///   - draft: the draft that ends with the publication; nil for a pack that is no draft.
    ///   - audit: the entries for another live version and for a new edition.
    /// - Throws: `StudyPublicationFault` if weights of answer options changed but the version of the scoring key did
    ///   not; what the store throws.
    static func publish(
        _ publication: StudyPublication, to store: Store, ending draft: PublishedDraft?,
        audit: (version: AuditEntry, edition: AuditEntry)?, now: Instant
    ) async throws -> PublishedParts {
        let code = publication.study.code
        let catalogue = StudyCatalogue(store: store, read: PublishedStudyReader.read)
        let live = try await store.findStudy(code)?.liveVersion
        let before = try await catalogue.activeScoringKeys(of: code, live: live ?? "")
        let changes = try await keys(after: publication.study, in: store, catalogue).silentWeightChanges
        guard changes.isEmpty else { throw StudyPublicationFault.silentWeights(changes) }
        let stored = try await store.publish(
            publication.publication, edition: publication.edition, ending: draft, audit: audit, now: now)
        var parts = PublishedParts(isNew: stored.isNew, edition: stored.edition)
        let after = try await StudyCatalogue(store: store, read: PublishedStudyReader.read)
            .activeScoringKeys(of: code, live: publication.study.version)
        let begun = try await RescoringRepository(pool: store.research).begin(
            after, cause: .publication, now: now)
        if let begun {
            parts.rescoring = RescoringEffect(begun.rescoring.id, begun.affected, from: before, to: after)
        }
        return parts
    }

    /// The codes of the scales of a version with a changed definition.
    package func scales(of version: RescoringRepository.AffectedVersion) -> [String] {
        scales[ActiveScoringKeys.Version(questionnaire: version.questionnaire, version: version.version)]
            ?? []
    }

    /// The effect with the member names of the API.
    package var json: JSON {
        [
            "rescoring_id": .id(rescoring),
            "touches": .array(
                affected.map { version in
                    [
                        "questionnaire": .string(version.questionnaire), "version": .string(version.version),
                        "keyed_by": .string(version.keyedBy), "key_version": .string(version.keyVersion),
                        "key_digest": .string(version.keyDigest), "sheets": .int(version.sheets),
                        "changed_scales": .array(scales(of: version).map(JSON.string)),
                    ]
                }),
        ]
    }
}
