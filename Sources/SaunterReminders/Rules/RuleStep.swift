import Foundation
import SaunterCore
import SaunterStore

/// Evaluates the decision rules of one participant and stores what they decide. Any number of workers can run it
/// concurrently. Messages are queued; `ReminderStep` sends them.
package struct RuleStep: Sendable {
    private let store: Store
    private let catalogue: StudyCatalogue
    private let content: ContentCatalogue
    private let facts: VariableFactsLoader
    private let settings: SettingsLoader
    private let publicURL: String

    /// Creates a step that all workers of the process share.
    /// - Parameter publicURL: the public URL of the server, which texts can contain.
    package init(
        store: Store, catalogue: StudyCatalogue, content: ContentCatalogue, facts: VariableFactsLoader,
        publicURL: String
    ) {
        self.store = store
        self.catalogue = catalogue
        self.content = content
        self.facts = facts
        settings = SettingsLoader(store: store, catalogue: catalogue)
        self.publicURL = publicURL
    }

    /// Evaluates the rules of the participant who waits longest.
    /// - Returns: whether an evaluation was due.
    package func run(now: Instant) async throws -> Bool {
        try await store.decideRules(now: now) { state in
            try await decide(state, now: now) { planner, state in
                planner.decisions(
                    at: now, after: state.decidedUntil,
                    sheets: state.newSheets.map { ($0.id, $0.questionnaire) })
            }
        } != nil
    }

    /// Evaluates the rules with `app_open`, because a participant has opened the app. What they decide is in the inbox
    /// afterwards.
    package func openApp(of id: EnrolmentID, now: Instant) async throws {
        try await store.decideRules(of: id, now: now) { state in
            try await decide(state, now: now) { planner, _ in planner.appOpenDecisions(at: now) }
        }
    }

    private func decide(
        _ state: DecisionState, now: Instant,
        _ evaluate: (inout RulePlanner, DecisionState) -> [RuleDecision]
    ) async throws -> RuleDecisions {
        let enrolment = state.participant.enrolment
        guard let study = try await catalogue.find(enrolment.study, version: enrolment.studyVersion),
            !study.study.rules.isEmpty
        else {
            return RuleDecisions(
                studyVersion: enrolment.studyVersion, decisions: [], next: nil, sendsByAllChannels: false,
                collection: { _ in nil }, compose: { _, _ in nil })
        }
        let library = try await content.findLive(study.study)
        let conditions = ContentConditions(study.study, library?.library)
        var needs = study.rules.needs
        needs.formUnion(study.variables.needs(for: conditions.variables))
        let variables = try await facts.facts(of: enrolment, needs, study: study)
        var planner = RulePlanner(
            plan: study.rules,
            facts: RuleFacts(
                enrolment: enrolment.id, seed: store.secrets.studySeed(study.study.code),
                variables: variables, settings: try await settingValues(enrolment, study),
                lastActivity: state.participant.lastActivity,
                followedFrom: state.participant.versions.last { $0.version == study.study.version }?.from
                    ?? .minimum,
                decisions: state.decisions, messages: state.messages, awards: state.awards,
                publications: study.study.rules.contains(where: \.point.isPublished)
                    ? try await store.listPublications(of: study.study.code, since: state.decidedUntil) : [],
                isMuted: state.participant.isMuted(at: now)))
        let made = evaluate(&planner, state)
        let composer = MessageComposer(
            study: study, enrolment: enrolment, library: library, conditions: conditions,
            secret: store.secrets.studySeed(study.study.code), variables: variables,
            publicURL: publicURL, now: now)
        return RuleDecisions(
            studyVersion: study.study.version, decisions: made, next: planner.nextCheck(after: now),
            revokedAwards: planner.revokedAwards(at: now),
            sendsByAllChannels: study.study.reminder?.delivery == .all,
            collection: { study.study.rule($0.point.rule)?.message?.content?.collection },
            compose: { try composer.compose($0, $1) })
    }

    /// linkId -> value in force, over all settings questionnaires.
    private func settingValues(
        _ enrolment: Enrolment, _ study: PublishedStudy
    ) async throws -> [String: JSON] {
        var values: [String: JSON] = [:]
        for entry in try await settings.entries(of: enrolment, study) {
            for member in entry.values.values { values[member.name] = member.value }
        }
        return values
    }
}

/// The conditions of collections and of the rules that use them.
struct ContentConditions: Sendable {
    /// Rule -> conditions of its content.
    private var byRule: [String: [ContentCondition]] = [:]
    /// The ids of the variables that they name.
    private(set) var variables: [String] = []

    init(_ study: Study, _ library: Library?) {
        for rule in study.rules {
            guard let content = rule.message?.content,
                let collection = library?.collection(content.collection)
            else { continue }
            let conditions = [collection.condition, content.condition].compactMap(\.self).compactMap {
                Self.condition($0, collection)
            }
            byRule[rule.code] = conditions
            variables += conditions.flatMap(\.variables)
        }
    }

    func conditions(of rule: String) -> [ContentCondition] { byRule[rule] ?? [] }

    /// Nil for a condition with a syntax error, which the check of the pack rejects.
    private static func condition(_ source: String, _ collection: ContentCollection) -> ContentCondition? {
        do throws(ExpressionFault) {
            return try ContentCondition(source, over: collection)
        } catch {
            return nil
        }
    }
}
