import SaunterCore
import SaunterServer
import SaunterStore

/// What publishing a study does to the scores of sheets that are stored.
struct ScoringTouch {
    let rescoring: RescoringID
    let touches: [Rescorings.Touch]
    /// Scales whose definition is another now, by place.
    let scales: [ScoringInForce.Place: [String]]

    /// Publishes, and begins the re-scoring that follows from it.
    /// - Returns: whether the version is new, and what is to be scored again; nil where that is nothing.
    /// - Throws: `CommandFault` where options count something else while the key says nothing of it.
    static func publish(
        _ publication: Publication, study: Study, to store: Store, now: Instant
    ) async throws -> (isNew: Bool, touch: ScoringTouch?) {
        let catalogue = StudyCatalogue(store: store, read: StudyReading.read)
        let live = try await store.findStudy(publication.study)?.liveVersion
        let before = try await catalogue.scoring(of: publication.study, live: live ?? "")
        var studies: [Study] = []
        for version in try await store.listStudyVersions(publication.study) where version != study.version {
            if let known = try await catalogue.find(publication.study, version: version) {
                studies.append(known.study)
            }
        }
        let unnamed = ScoringInForce(studies + [study], live: study.version).unnamedChanges
        guard unnamed.isEmpty else {
            let names = unnamed.map { "\($0.questionnaire) \($0.version)" }.joined(separator: ", ")
            throw CommandFault(
                "options count something else than in \(names), but the scoring key is the same: raise version in scoring.yaml"
            )
        }
        let isNew = try await store.publish(publication, now: now)
        let after = try await StudyCatalogue(store: store, read: StudyReading.read)
            .scoring(of: publication.study, live: publication.version)
        let begun = try await Rescorings(pool: store.research).begin(after, cause: .publication, now: now)
        guard let begun else { return (isNew, nil) }
        var scales: [ScoringInForce.Place: [String]] = [:]
        for (place, rule) in after.rules {
            let old = before.rules[place]?.keyed.scoring?.scales ?? []
            scales[place] = (rule.keyed.scoring?.scales ?? []).filter { !old.contains($0) }.map(\.id)
        }
        return (isNew, ScoringTouch(rescoring: begun.rescoring.id, touches: begun.touches, scales: scales))
    }

    private func scales(of touch: Rescorings.Touch) -> [String] {
        scales[ScoringInForce.Place(questionnaire: touch.questionnaire, version: touch.version)] ?? []
    }

    /// For people: a line for each version whose sheets are scored again, and how that comes about.
    func lines(study: String) -> [String] {
        touches.map { touch in
            let changed = scales(of: touch)
            let what = changed.isEmpty ? "" : " (\(changed.joined(separator: ", ")))"
            return
                "\(touch.questionnaire) \(touch.version): \(touch.sheets) stored sheets are to be scored by key "
                + "\(touch.keyVersion) of version \(touch.keyedBy)\(what)"
        } + [
            "re-scoring \(rescoring): a running server does it, or evaluator score --study \(study); earlier scores are kept"
        ]
    }

    var json: JSON {
        [
            "rescoring_id": .string(rescoring.description),
            "touches": .array(
                touches.map { touch in
                    [
                        "questionnaire": .string(touch.questionnaire), "version": .string(touch.version),
                        "keyed_by": .string(touch.keyedBy), "key_version": .string(touch.keyVersion),
                        "key_digest": .string(touch.keyDigest), "sheets": .int(touch.sheets),
                        "changed_scales": .array(scales(of: touch).map(JSON.string)),
                    ]
                }),
        ]
    }
}
