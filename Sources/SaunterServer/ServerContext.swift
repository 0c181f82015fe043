import SaunterCore
import SaunterReminders
import SaunterStore

/// The parts of the server that handlers use. `SaunterApp` creates it once.
package struct ServerContext: Sendable {
    /// The database.
    package let store: Store
    let catalogue: StudyCatalogue
    /// The editions of content libraries.
    let content: ContentCatalogue
    let ingest: IngestQueue
    let sheetContexts: SheetContextLoader
    let enrolments: EnrolmentLoader
    let participantStates: ParticipantStateLoader
    let variableFacts: VariableFactsLoader
    let memberships: MembershipCache
    let accounts: AccountService
    /// Browser sessions.
    package let sessions: WebSessions
    /// The audit entries of actions that repeat often.
    package let audit: HourlyAudit
    let exports: ExportService
    /// Checks, archives, differences and dry runs of study packs.
    let work: HeavyWorkQueue
    /// The open streams of live changes.
    let live: LiveFeed
    /// The only clock, for work that lasts longer than a request.
    let now: @Sendable () -> Instant
    /// The public key (VAPID) with which devices subscribe to push messages of this server.
    let pushKey: String
    /// Verifies purchases in the app store; nil if the operator has not configured it.
    let appStore: AppStoreVerifier?
    /// The settings.
    package let configuration: ServerConfiguration
}

extension ServerContext {
    /// Reads the settings of participants.
    var settings: SettingsLoader { SettingsLoader(store: store, catalogue: catalogue) }

    /// Evaluates decision rules.
    var rules: RuleStep {
        RuleStep(
            store: store, catalogue: catalogue, content: content, publicURL: configuration.publicURL)
    }

    /// The enrolment of the caller with the `id` in the path.
    /// - Throws: `not-found` if it does not exist or belongs to another account.
    func enrolment(_ call: Call<Identity>) async throws -> Enrolment {
        let id: EnrolmentID = try call.id("id")
        guard try await memberships.owns(call.caller.account, id, now: call.now),
            let enrolment = try await enrolments.find(id)
        else { throw Problem(.notFound) }
        return enrolment
    }

    /// The study at the version that this enrolment follows.
    func study(of enrolment: Enrolment) async throws -> PublishedStudy {
        guard let study = try await catalogue.find(enrolment.study, version: enrolment.studyVersion) else {
            throw Problem(.internalError)
        }
        return study
    }

    /// The codes of the entitlements that a participant has, grace periods included. Without a query for studies that
    /// have none. Handlers get codes only: what was bought, and by which account, stays in the store.
    package func entitlements(of enrolment: Enrolment, at now: Instant) async throws -> Set<String> {
        guard try await !study(of: enrolment).study.entitlements.isEmpty else { return [] }
        return try await store.listEntitlements(of: enrolment.id).codes(at: now)
    }

    /// Whether the form of a questionnaire is withheld from a participant. The version that the participant follows
    /// decides, if it has the questionnaire. Without a query for questionnaires that need no entitlement.
    /// - Parameter study: the version under which the questionnaire was answered.
    func isLocked(
        _ questionnaire: String, of enrolment: Enrolment, answeredUnder study: Study, at now: Instant
    ) async throws -> Bool {
        let followed = try await self.study(of: enrolment).study
        let deciding = followed.questionnaire(questionnaire) == nil ? study : followed
        guard deciding.anyTimeRule(of: questionnaire)?.entitlement != nil else { return false }
        return deciding.isLocked(
            questionnaire, for: try await store.listEntitlements(of: enrolment.id).codes(at: now))
    }

    /// The study versions that the enrolment has followed, the current one first.
    func followedStudies(of enrolment: Enrolment) async throws -> [PublishedStudy] {
        var studies = [try await study(of: enrolment)]
        for earlier in try await store.listVersions(of: enrolment.id)
        where earlier.version != enrolment.studyVersion {
            if let study = try await catalogue.find(enrolment.study, version: earlier.version) {
                studies.append(study)
            }
        }
        return studies
    }

    /// The caller's enrolment with a plan for at least a week, as the overview needs it: without reminders, and with
    /// only those sheets that determine what is due and planned.
    /// - Throws: `not-found`.
    func participantToday(
        _ call: Call<Identity>
    ) async throws -> (participant: ParticipantState, study: PublishedStudy) {
        let id: EnrolmentID = try call.id("id")
        guard try await memberships.owns(call.caller.account, id, now: call.now),
            var participant = try await participantStates.findToday(id, now: call.now)
        else { throw Problem(.notFound) }
        let study = try await study(of: participant.enrolment)
        let followed = study.study.followedQuestionnaires
        if !followed.isEmpty {
            let others = participant.completions.filter { !followed.contains($0.questionnaire) }
            participant.completions =
                try await store.listCompletions(of: id, questionnaires: followed) + others
        }
        return try await extendPlan(of: participant, study, call)
    }

    /// The caller's enrolment with all its sheets and a plan for at least a week.
    /// - Throws: `not-found`.
    func participant(
        _ call: Call<Identity>
    ) async throws -> (participant: ParticipantState, study: PublishedStudy) {
        let id: EnrolmentID = try call.id("id")
        guard try await memberships.owns(call.caller.account, id, now: call.now),
            let participant = try await participantStates.find(id, now: call.now)
        else { throw Problem(.notFound) }
        return try await extendPlan(of: participant, try await study(of: participant.enrolment), call)
    }

    /// Runs work that reads a version of a study and stores what follows from it. If another version becomes live in
    /// between, or the enrolment moves to it, the work runs again.
    /// - Throws: `StudyVersionMismatch` after three attempts.
    func withCurrentVersion<Value>(_ work: () async throws -> Value) async throws -> Value {
        for _ in 1..<3 {
            do { return try await work() } catch is StudyVersionMismatch { continue }
        }
        return try await work()
    }

    /// Stores the plan for at least a week, and adds the occasions after the stored plan that participants see.
    private func extendPlan(
        of participant: ParticipantState, _ study: PublishedStudy, _ call: Call<Identity>
    ) async throws -> (participant: ParticipantState, study: PublishedStudy) {
        let id = participant.enrolment.id
        var (participant, study) = (participant, study)
        let today = participant.enrolment.zone.local(of: call.now).date
        if participant.enrolment.state == .active,
            participant.enrolment.plannedThrough < today.adding(days: 7)
        {
            try await store.extendHorizon(id, study: study.study, now: call.now)
            guard let extended = try await store.findParticipantState(id, now: call.now) else {
                throw Problem(.notFound)
            }
            participant = extended
            // The enrolment can have moved to another version in the meantime.
            study = try await self.study(of: participant.enrolment)
        }
        let beyondHorizon = occasionsBeyondHorizon(participant, study.study, at: call.now)
        let idsBeyondHorizon = Set(beyondHorizon.map(\.id))
        participant.occasions.removeAll { idsBeyondHorizon.contains($0.id) }
        participant.occasions += beyondHorizon
        return (participant, study)
    }

    /// Occasions after the stored plan that participants see before they are stored:
    ///
    /// 1. Occasions of schedules without repetition that have no future occasion in the plan. For example a final
    ///    assessment is visible from the first day on, but is stored only when it is near.
    /// 2. Occasions that were moved beyond the plan. Until the plan reaches them, they are stored as cancelled.
    private func occasionsBeyondHorizon(
        _ participant: ParticipantState, _ study: Study, at now: Instant
    ) -> [Occasion] {
        let enrolment = participant.enrolment
        let valid = participant.occasions.filter { $0.exclusion != .cancelled }
        let planned = Set(valid.filter { $0.window.closeAt > now }.map(\.key.schedule))
        let announced = Set(
            study.schedules.filter { !$0.anchor.isRepeated && !planned.contains($0.id) }.map(\.id))
        let cancelled = participant.occasions.filter {
            $0.exclusion == .cancelled && $0.window.openAt > now
        }
        let cancelledIDs = Set(cancelled.map(\.id))
        let schedules = announced.union(cancelled.map(\.key.schedule))
        var limitedStudy = study
        limitedStudy.schedules = study.schedules.filter { schedules.contains($0.id) }
        guard enrolment.state == .active, !limitedStudy.schedules.isEmpty else { return [] }
        let planner = Planner(
            PlanInput(
                study: limitedStudy, enrolmentID: enrolment.id, arm: enrolment.arm,
                enrolledAt: enrolment.enrolledAt,
                zones: participant.zones, anchors: participant.anchors,
                seed: store.secrets.studySeed(study.code),
                status: participant.status))
        let validIDs = Set(valid.map(\.id))
        return planner.occasions(from: enrolment.plannedThrough, through: planner.endDate)
            .filter { occasion in
                let wasMoved =
                    cancelledIDs.contains(occasion.id) && occasion.localDate > enrolment.plannedThrough
                return !validIDs.contains(occasion.id) && occasion.window.openAt > now
                    && (wasMoved || announced.contains(occasion.key.schedule))
            }
    }

    /// The language of a response: the first language in `Accept-Language` that is in `languages`. If there is
    /// none: `fallback` if it is in `languages` or if `languages` is empty, otherwise the first of them.
    /// - Parameter header: the value of `Accept-Language`.
    func language(_ header: String?, of languages: [String], fallback: String) -> String {
        let wanted = (header ?? "").split(separator: ",").map { entry in
            entry.prefix { $0 != ";" && $0 != "-" }.filter { $0 != " " }.lowercased()
        }
        return wanted.first { languages.contains($0) }
            ?? (languages.contains(fallback) ? fallback : languages.first ?? fallback)
    }
}
