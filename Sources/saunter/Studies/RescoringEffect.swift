import Console
import SaunterCore
import SaunterServer
import SaunterStore

/// The effect of a publication on the scores of stored sheets.
struct RescoringEffect {
    let rescoring: RescoringID
    let affected: [RescoringRepository.AffectedVersion]
    /// The ids of the scales with a changed definition, by version.
    let scales: [ActiveScoringKeys.Version: [String]]

    /// Publishes a study and starts the rescoring that it requires.
    /// - Returns: whether the version is new, and the effect; nil if no sheet must be scored again.
    /// - Throws: `CommandFault` if weights of answer options changed but the version of the scoring key did not.
    static func publish(
        _ publication: Publication, study: Study, to store: Store, now: Instant
    ) async throws -> (isNew: Bool, rescoring: RescoringEffect?) {
        let catalogue = StudyCatalogue(store: store, read: PublishedStudyReader.read)
        let live = try await store.findStudy(publication.study)?.liveVersion
        let before = try await catalogue.activeScoringKeys(of: publication.study, live: live ?? "")
        var studies: [Study] = []
        for version in try await store.listStudyVersions(publication.study) where version != study.version {
            if let known = try await catalogue.find(publication.study, version: version) {
                studies.append(known.study)
            }
        }
        let unversioned = ActiveScoringKeys(studies + [study], live: study.version).silentWeightChanges
        guard unversioned.isEmpty else {
            let names = unversioned.map { "\($0.questionnaire) \($0.version)" }.joined(separator: ", ")
            throw CommandFault(
                "the weights of options differ from \(names), but the version of the scoring key is the same: increase version in scoring.yaml"
            )
        }
        let isNew = try await store.publish(publication, now: now)
        let after = try await StudyCatalogue(store: store, read: PublishedStudyReader.read)
            .activeScoringKeys(of: publication.study, live: publication.version)
        let begun = try await RescoringRepository(pool: store.research).begin(
            after, cause: .publication, now: now)
        guard let begun else { return (isNew, nil) }
        var scales: [ActiveScoringKeys.Version: [String]] = [:]
        for (version, rule) in after.rules {
            let old = before.rules[version]?.keyed.scoring?.scales ?? []
            scales[version] = (rule.keyed.scoring?.scales ?? []).filter { !old.contains($0) }.map(\.id)
        }
        return (
            isNew, RescoringEffect(rescoring: begun.rescoring.id, affected: begun.affected, scales: scales)
        )
    }

    private func scales(of version: RescoringRepository.AffectedVersion) -> [String] {
        scales[ActiveScoringKeys.Version(questionnaire: version.questionnaire, version: version.version)]
            ?? []
    }

    /// The text for the terminal: a line for each version whose sheets are scored again, and how to run the rescoring.
    func lines(study: String) -> [String] {
        affected.map { version in
            let changed = scales(of: version)
            let what = changed.isEmpty ? "" : " (\(changed.joined(separator: ", ")))"
            return
                "\(version.questionnaire) \(version.version): \(version.sheets) stored sheets will be scored again by key "
                + "\(version.keyVersion) of version \(version.keyedBy)\(what)"
        } + [
            "rescoring \(rescoring): a running server performs it, or run evaluator score --study \(study); earlier scores are kept"
        ]
    }

    var json: JSON {
        [
            "rescoring_id": .string(rescoring.description),
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
