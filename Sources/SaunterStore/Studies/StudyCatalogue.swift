import SaunterCore

/// A study version as the engine uses it, with its questionnaires made ready.
package struct PublishedStudy: Sendable {
    package let study: Study
    package let digest: String
    package let questionnaires: [String: PublishedQuestionnaire]

    package init(study: Study, digest: String) {
        self.study = study
        self.digest = digest
        questionnaires = Dictionary(
            study.questionnaires.map { ($0.code, PublishedQuestionnaire($0)) },
            uniquingKeysWith: { first, _ in first })
    }
}

/// A questionnaire with what is derived from it once and used for every sheet.
package struct PublishedQuestionnaire: Sendable {
    package let questionnaire: Questionnaire
    package let index: QuestionnaireIndex
    package let codec: AnswerCodec
    package let keyDigest: String?

    init(_ questionnaire: Questionnaire) {
        self.questionnaire = questionnaire
        index = QuestionnaireIndex(questionnaire)
        codec = AnswerCodec(index)
        keyDigest = questionnaire.scoring?.digest
    }
}

/// The published study versions, read once: they never change. How files become a study is given, so that the store need not know packs.
package actor StudyCatalogue {
    package struct Key: Hashable {
        let study: String
        let version: String
    }

    private let store: Store
    private let read: @Sendable (_ files: [String: String], _ study: String) throws -> Study
    private var known: [Key: PublishedStudy] = [:]
    /// Readings under way: after a start everybody wants the same study at once.
    private var reading: [Key: Task<PublishedStudy?, any Error>] = [:]
    /// By study; made anew whenever another version is live.
    private var scoring: [String: ScoringInForce] = [:]

    package init(
        store: Store, read: @escaping @Sendable (_ files: [String: String], _ study: String) throws -> Study
    ) {
        self.store = store
        self.read = read
    }

    /// Nil when that version was never published.
    package func find(_ study: String, version: String) async throws -> PublishedStudy? {
        let key = Key(study: study, version: version)
        if let published = known[key] { return published }
        let task =
            reading[key]
            ?? Task { [store, read] in
                guard let found = try await store.findStudyFiles(study, version: version) else { return nil }
                return try Self.published(found.files, found.digest, study, read)
            }
        reading[key] = task
        defer { reading[key] = nil }
        let published = try await task.value
        known[key] = published
        return published
    }

    /// Off the actor, so that studies that are known are found meanwhile.
    private static nonisolated func published(
        _ files: [String: String], _ digest: String, _ study: String,
        _ read: @Sendable ([String: String], String) throws -> Study
    ) throws -> PublishedStudy {
        PublishedStudy(study: try read(files, study), digest: digest)
    }

    /// By which keys the study's sheets are scored while this version is live.
    package func scoring(of study: String, live: String) async throws -> ScoringInForce {
        if let known = scoring[study], known.liveVersion == live { return known }
        var studies: [Study] = []
        for version in try await store.listStudyVersions(study) {
            if let published = try await find(study, version: version) { studies.append(published.study) }
        }
        let inForce = ScoringInForce(studies, live: live)
        scoring[study] = inForce
        return inForce
    }

    /// The version that new participants join; nil when there is no such study.
    package func findLive(_ study: String) async throws -> (row: StudyRow, published: PublishedStudy)? {
        guard let row = try await store.findStudy(study),
            let published = try await find(study, version: row.liveVersion)
        else { return nil }
        return (row, published)
    }
}
