import Logging
import SaunterCore
import SaunterStore

/// What handlers work with; made once, when the server is put together.
struct ServerContext: Sendable {
    let store: Store
    let catalogue: StudyCatalogue
    let ingest: IngestQueue
    let sheetContexts: SheetContexts
    let participations: Participations
    let memberships: MembershipCache
    let accounts: AccountDesk
    let exports: ExportDesk
    let readings: ReadingDesk
    /// By which devices subscribe to pushes of this server.
    let pushKey: String
    let configuration: ServerConfiguration
}

extension ServerContext {
    /// The enrolment that the path names, if it is the caller's own; 404 for anybody else's, as for one that does not exist.
    func enrolment(_ call: Call<Identity>) async throws -> Enrolment {
        let id: EnrolmentID = try call.id("id")
        guard try await memberships.owns(call.caller.account, id, now: call.now),
            let enrolment = try await store.findEnrolment(id)
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

    /// The caller's enrolment as it is today, with a plan that reaches at least a week ahead: without reminders, and with no more of the sheets than
    /// what is due and planned follows from.
    func today(_ call: Call<Identity>) async throws -> (participation: Participation, study: PublishedStudy) {
        let id: EnrolmentID = try call.id("id")
        guard try await memberships.owns(call.caller.account, id, now: call.now),
            var participation = try await participations.findToday(id, now: call.now)
        else { throw Problem(.notFound) }
        let study = try await study(of: participation.enrolment)
        let followed = study.study.followedQuestionnaires
        if !followed.isEmpty {
            let today = participation.completions.filter { !followed.contains($0.questionnaire) }
            participation.completions =
                try await store.listCompletions(of: id, questionnaires: followed) + today
        }
        return try await planned(participation, study, call)
    }

    /// Everything about the caller's enrolment, with a plan that reaches at least a week ahead.
    func participation(
        _ call: Call<Identity>
    ) async throws -> (participation: Participation, study: PublishedStudy) {
        let id: EnrolmentID = try call.id("id")
        guard try await memberships.owns(call.caller.account, id, now: call.now),
            let participation = try await participations.find(id, now: call.now)
        else { throw Problem(.notFound) }
        return try await planned(participation, try await study(of: participation.enrolment), call)
    }

    private func planned(
        _ participation: Participation, _ study: PublishedStudy, _ call: Call<Identity>
    ) async throws -> (participation: Participation, study: PublishedStudy) {
        let id = participation.enrolment.id
        var participation = participation
        let today = participation.enrolment.zone.local(of: call.now).date
        if participation.enrolment.state == .active,
            participation.enrolment.plannedThrough < today.adding(days: 7)
        {
            try await store.extendHorizon(id, study: study.study, now: call.now)
            guard let extended = try await store.findParticipation(id, now: call.now) else {
                throw Problem(.notFound)
            }
            participation = extended
        }
        let distant = beyondHorizon(participation, study.study, at: call.now)
        let moved = Set(distant.map(\.id))
        participation.occasions.removeAll { moved.contains($0.id) }
        participation.occasions += distant
        return (participation, study)
    }

    /// What comes after the stored horizon, for schedules that have nothing within it: a final assessment is announced from the first day on, though
    /// it is stored only when its time draws near. What was moved that far is stored as cancelled until then, and is told at its new time.
    private func beyondHorizon(_ participation: Participation, _ study: Study, at now: Instant) -> [Occasion]
    {
        let enrolment = participation.enrolment
        let standing = participation.occasions.filter { $0.setAside != .cancelled }
        let ahead = Set(standing.filter { $0.window.closeAt > now }.map(\.key.schedule))
        let announced = Set(
            study.schedules.filter { !$0.anchor.isRepeated && !ahead.contains($0.id) }.map(\.id))
        let away = participation.occasions.filter { $0.setAside == .cancelled && $0.window.openAt > now }
        let awayIDs = Set(away.map(\.id))
        let asking = announced.union(away.map(\.key.schedule))
        var distant = study
        distant.schedules = study.schedules.filter { asking.contains($0.id) }
        guard enrolment.state == .active, !distant.schedules.isEmpty else { return [] }
        let planner = Planner(
            PlanInput(
                study: distant, enrolmentID: enrolment.id, arm: enrolment.arm,
                enrolledAt: enrolment.enrolledAt,
                zones: participation.zones, anchors: participation.anchors,
                seed: store.secrets.studySeed(study.code),
                status: participation.status))
        let stored = Set(standing.map(\.id))
        return planner.occasions(from: enrolment.plannedThrough, through: planner.endDate)
            .filter { occasion in
                let isMovedThere =
                    awayIDs.contains(occasion.id) && occasion.localDate > enrolment.plannedThrough
                return !stored.contains(occasion.id) && occasion.window.openAt > now
                    && (isMovedThere || announced.contains(occasion.key.schedule))
            }
    }

    /// The language to answer in: the first of `Accept-Language` that the study has, else the given one.
    func language(_ header: String?, of languages: [String], otherwise: String) -> String {
        let wanted = (header ?? "").split(separator: ",").map { entry in
            entry.prefix { $0 != ";" && $0 != "-" }.filter { $0 != " " }.lowercased()
        }
        return wanted.first { languages.contains($0) }
            ?? (languages.contains(otherwise) ? otherwise : languages[0])
    }
}
