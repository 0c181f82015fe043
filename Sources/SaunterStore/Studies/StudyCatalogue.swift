import SaunterCore
import Synchronization

/// A study version with its prepared questionnaires. It is a class because it is large and is read for every request.
package final class PublishedStudy: Sendable {
    /// The parsed and checked study.
    package let study: Study
    /// SHA-256 of the files of the pack, in hexadecimal digits.
    package let digest: String
    /// By the code of the questionnaire.
    package let questionnaires: [String: PublishedQuestionnaire]
    /// The study's variables, prepared for evaluation.
    package let variables: VariablePlan
    /// The study's rules, prepared for evaluation.
    package let rules: RulePlan

    /// Prepares the questionnaires of a version.
    package init(study: Study, digest: String) {
        self.study = study
        self.digest = digest
        questionnaires = Dictionary(
            study.questionnaires.map { ($0.code, PublishedQuestionnaire($0)) },
            uniquingKeysWith: { first, _ in first })
        rules = RulePlan(study)
        variables = rules.variables
    }
}

/// A questionnaire with derived values that every sheet uses. It is a class because it is large.
package final class PublishedQuestionnaire: Sendable {
    /// The questionnaire with its scoring key and texts.
    package let questionnaire: Questionnaire
    /// The items by their linkIds.
    package let index: QuestionnaireIndex
    /// Reads and writes answers in their stored form.
    package let codec: AnswerCodec
    /// SHA-256 of the scoring key, in hexadecimal digits; nil without a key.
    package let keyDigest: String?
    /// Code of a data kind -> the linkIds of its items.
    package let itemsByDataKind: [String: Set<String>]

    init(_ questionnaire: Questionnaire) {
        self.questionnaire = questionnaire
        index = QuestionnaireIndex(questionnaire)
        codec = AnswerCodec(index)
        keyDigest = questionnaire.scoring?.digest
        itemsByDataKind = questionnaire.itemsByDataKind
    }

    /// The linkIds of the items that belong to one of these data kinds.
    package func items(of kinds: Set<String>) -> Set<String> {
        Set(kinds.flatMap { itemsByDataKind[$0] ?? [] })
    }
}

/// Caches the published study versions, which are immutable. The caller supplies the function that parses files, so
/// that the store does not depend on packs.
package actor StudyCatalogue {
    /// A study version.
    package struct Key: Hashable {
        let study: String
        let version: String
    }

    private let store: Store
    private let read: @Sendable (_ files: [String: String], _ study: String) throws -> Study
    /// A mutex and not actor state: every submission of a sheet reads it, and must not wait for a version that is being
    /// loaded.
    private let known = Mutex<[Key: PublishedStudy]>([:])
    /// Running loads. After a start, many requests need the same study at once.
    private var loads: [Key: Task<PublishedStudy?, any Error>] = [:]
    /// The active keys by study. Computed again when another version is live.
    private let activeKeys = Mutex<[String: ActiveScoringKeys]>([:])
    /// The arms by study. Computed again when another version is live.
    private let arms = Mutex<[String: StudyArms]>([:])

    /// Creates an empty catalogue. A version is read when it is needed first.
    package init(
        store: Store, read: @escaping @Sendable (_ files: [String: String], _ study: String) throws -> Study
    ) {
        self.store = store
        self.read = read
    }

    /// A published version; nil if there is no such version.
    package nonisolated func find(_ study: String, version: String) async throws -> PublishedStudy? {
        let key = Key(study: study, version: version)
        if let published = known.withLock({ $0[key] }) { return published }
        return try await load(key)
    }

    private func load(_ key: Key) async throws -> PublishedStudy? {
        let (study, version) = (key.study, key.version)
        let task =
            loads[key]
            ?? Task { [store, read] in
                guard let found = try await store.findStudyFiles(study, version: version) else { return nil }
                return try Self.published(found.files, found.digest, study, read)
            }
        loads[key] = task
        defer { loads[key] = nil }
        let published = try await task.value
        if let published { known.withLock { $0[key] = published } }
        return published
    }

    /// Parses the files outside the actor, so that other versions can be found in the meantime.
    private static nonisolated func published(
        _ files: [String: String], _ digest: String, _ study: String,
        _ read: @Sendable ([String: String], String) throws -> Study
    ) throws -> PublishedStudy {
        PublishedStudy(study: try read(files, study), digest: digest)
    }

    /// The keys that score the study's sheets while this version is live.
    package nonisolated func activeScoringKeys(of study: String, live: String) async throws
        -> ActiveScoringKeys
    {
        if let known = activeKeys.withLock({ $0[study] }), known.liveVersion == live { return known }
        let studies = try await versions(of: study)
        let keys = ActiveScoringKeys(studies, live: live)
        activeKeys.withLock { $0[study] = keys }
        return keys
    }

    /// The arms of all versions of a study; nil if there is no such study.
    package nonisolated func findArms(of study: String) async throws -> StudyArms? {
        guard let live = try await store.findStudy(study)?.liveVersion else { return nil }
        if let known = arms.withLock({ $0[study] }), known.liveVersion == live { return known }
        let found = StudyArms(try await versions(of: study), live: live)
        arms.withLock { $0[study] = found }
        return found
    }

    /// Every version of every questionnaire of a study: first those of the live version in its order, then those that
    /// only other versions have, the newest first. Nil if there is no such study.
    package nonisolated func findQuestionnaires(of study: String) async throws -> [Questionnaire]? {
        guard let live = try await store.findStudy(study)?.liveVersion else { return nil }
        let studies = Array(try await versions(of: study).reversed())
        let ordered = studies.filter { $0.version == live } + studies.filter { $0.version != live }
        var found: [Questionnaire] = []
        for questionnaire in ordered.flatMap(\.questionnaires)
        where !found.contains(where: {
            $0.code == questionnaire.code && $0.version == questionnaire.version
        }) { found.append(questionnaire) }
        return found
    }

    /// All published versions of a study.
    private nonisolated func versions(of study: String) async throws -> [Study] {
        var studies: [Study] = []
        for version in try await store.listStudyVersions(study) {
            if let published = try await find(study, version: version) { studies.append(published.study) }
        }
        return studies
    }

    /// The version that new participants join; nil if there is no such study.
    package func findLive(_ study: String) async throws -> (row: StudyRow, published: PublishedStudy)? {
        guard let row = try await store.findStudy(study),
            let published = try await find(study, version: row.liveVersion)
        else { return nil }
        return (row, published)
    }
}

extension StudyCatalogue {
    /// Questionnaires that the current version no longer contains but that an open occasion needs. Each one has the
    /// study version under which its occasion opened. Sorted by code.
    /// - Parameters:
    ///   - open: from `Study.openOccasionsOfFormerQuestionnaires`.
    ///   - versions: the versions that the participant has followed.
    package nonisolated func formerQuestionnaires(
        of open: [Occasion], _ study: String, versions: [FollowedVersion]
    ) async throws -> [PublishedQuestionnaire] {
        var found: [String: PublishedQuestionnaire] = [:]
        for occasion in open where found[occasion.questionnaire] == nil {
            for version in versions.nearest(to: occasion.window.openAt) {
                let published = try await find(study, version: version.version)
                guard let known = published?.questionnaires[occasion.questionnaire] else { continue }
                found[occasion.questionnaire] = known
                break
            }
        }
        return found.values.sorted { $0.questionnaire.code < $1.questionnaire.code }
    }

    /// The study version with additional schedules for reminders: each schedule that the version no longer contains but
    /// that has an open occasion, as in the version under which that occasion opened.
    package nonisolated func addingFormerReminders(
        _ study: Study, _ participant: ParticipantState, at now: Instant
    ) async throws -> Study {
        var found: [String: Schedule] = [:]
        for occasion in study.openOccasionsOfFormerSchedules(participant.occasions, at: now)
        where found[occasion.key.schedule] == nil {
            for version in participant.versions.nearest(to: occasion.window.openAt) {
                let published = try await find(study.code, version: version.version)
                let known = published?.study.schedules.first { $0.id == occasion.key.schedule }
                guard let schedule = known else { continue }
                found[schedule.id] = schedule
                break
            }
        }
        return study.addingReminders(of: found.values.sorted { $0.id < $1.id })
    }
}
