import Foundation
import Postgres
import SaunterCore
import SaunterStore

/// Evaluates the decision rules of one participant and stores what they decide. Any number of workers can run it
/// concurrently. Messages are queued; `ReminderStep` sends them.
package struct RuleStep: Sendable {
    private let store: Store
    private let catalogue: StudyCatalogue
    private let content: ContentCatalogue
    private let settings: SettingsLoader
    private let publicURL: String

    /// Creates a step that all workers of the process share.
    /// - Parameter publicURL: the public URL of the server, which texts can contain.
    package init(
        store: Store, catalogue: StudyCatalogue, content: ContentCatalogue, publicURL: String
    ) {
        self.store = store
        self.catalogue = catalogue
        self.content = content
        settings = SettingsLoader(store: store, catalogue: catalogue)
        self.publicURL = publicURL
    }

    /// Evaluates the rules of the participant who waits longest.
    /// - Returns: whether an evaluation was due.
    package func run(now: Instant) async throws -> Bool {
        try await store.decideRules(now: now) { state, transaction in
            try await decide(state, now: now, in: transaction) { planner, state in
                planner.decisions(
                    at: now, after: state.decidedUntil, sheets: state.newSheets,
                    records: state.newRecords)
            }
        } != nil
    }

    /// Evaluates the rules with `app_open`, because a participant has opened the app. What they decide is in the inbox
    /// afterwards.
    package func openApp(of enrolment: Enrolment, now: Instant) async throws {
        // Reads the library into memory, so that the transaction needs no second connection.
        if let study = try await catalogue.find(enrolment.study, version: enrolment.studyVersion)?.study {
            _ = try await content.findLive(study)
        }
        try await store.decideRules(of: enrolment.id, now: now) { state, transaction in
            try await decide(state, now: now, in: transaction) { planner, _ in
                planner.appOpenDecisions(at: now)
            }
        }
    }

    /// Nil if the study has no rules.
    private func decide(
        _ state: DecisionState, now: Instant, in transaction: Transaction,
        _ evaluate: (inout RulePlanner, DecisionState) -> [RuleDecision]
    ) async throws -> RuleDecisions? {
        let enrolment = state.participant.enrolment
        guard let study = try await catalogue.find(enrolment.study, version: enrolment.studyVersion),
            !study.study.rules.isEmpty
        else {
            return nil
        }
        let library = try await content.findLive(study.study, in: transaction)
        let conditions = ContentConditions(study.study, library?.library)
        var needs = study.rules.needs
        needs.formUnion(study.variables.needs(for: conditions.variables))
        let variables = try await VariableFactsLoader(
            reading: transaction, find: { try await catalogue.find($0, version: $1) }
        ).facts(of: enrolment, needs, study: study)
        let settings = try await settings(of: enrolment, study, in: transaction)
        var planner = RulePlanner(
            plan: study.rules,
            facts: RuleFacts(
                enrolment: enrolment.id, seed: store.secrets.studySeed(study.study.code),
                variables: variables, settings: settings.values, settingsSince: settings.since,
                lastActivity: state.participant.lastActivity,
                followedFrom: state.participant.versions.last { $0.version == study.study.version }?.from
                    ?? .minimum,
                decisions: state.decisions, messages: state.messages, awards: state.awards,
                publications: study.study.rules.contains(where: \.point.isPublished)
                    ? try await store.listPublications(
                        of: study.study.code, since: state.decidedUntil, in: transaction) : [],
                isMuted: state.participant.isMuted(at: now)))
        // By the pool of identities, because the transaction cannot read them.
        let entitlements =
            conditions.hasLocks && !study.study.entitlements.isEmpty
            ? try await store.listEntitlements(of: enrolment.id).codes(at: now) : []
        let made = evaluate(&planner, state)
        let composer = MessageComposer(
            study: study, enrolment: enrolment, library: library, conditions: conditions,
            secret: store.secrets.studySeed(study.study.code), variables: variables,
            entitlements: entitlements, publicURL: publicURL, now: now)
        return RuleDecisions(
            study: study.study, decisions: made, next: planner.nextCheck(after: now),
            revokedAwards: planner.revokedAwards(at: now),
            sendsByAllChannels: study.study.reminder?.delivery == .all,
            collection: { study.study.rule($0.point.rule)?.message?.content?.collection },
            compose: { try composer.compose($0, $1) })
    }

    /// The values in force over all settings questionnaires, and since when each item has a sheet.
    private func settings(
        of enrolment: Enrolment, _ study: PublishedStudy, in transaction: Transaction
    ) async throws -> (values: [String: JSON], since: [String: Instant]) {
        var values: [String: JSON] = [:]
        var since: [String: Instant] = [:]
        for entry in try await settings.entries(of: enrolment, study, in: transaction) {
            for member in entry.values.values { values[member.name] = member.value }
            guard let sheet = entry.sheet else { continue }
            for item in entry.questionnaire.questionnaire.questions {
                since[item.linkId] = sheet.completedAt
            }
        }
        return (values, since)
    }
}

/// The conditions of collections and of the rules that use them.
struct ContentConditions: Sendable {
    /// Rule -> conditions of its content.
    private var byRule: [String: [ContentCondition]] = [:]
    /// The ids of the variables that they name.
    private(set) var variables: [String] = []
    /// Whether one of the collections has items that need an entitlement.
    private(set) var hasLocks = false

    init(_ study: Study, _ library: Library?) {
        for rule in study.rules {
            guard let content = rule.message?.content,
                let collection = library?.collection(content.collection)
            else { continue }
            hasLocks = hasLocks || collection.items.contains { $0.entitlement != nil }
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
