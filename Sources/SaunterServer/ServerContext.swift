import Logging
import SaunterCore
import SaunterStore

/// What handlers work with; made once, when the server is put together.
struct ServerContext: Sendable {
    let store: Store
    let catalogue: StudyCatalogue
    let ingest: IngestQueue
    let memberships: MembershipCache
    let accounts: AccountDesk
    let exports: ExportDesk
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

    /// Everything about the caller's enrolment, with a plan that reaches at least a week ahead.
    func participation(
        _ call: Call<Identity>
    ) async throws -> (participation: Participation, study: PublishedStudy) {
        let id: EnrolmentID = try call.id("id")
        guard try await memberships.owns(call.caller.account, id, now: call.now),
            var participation = try await store.findParticipation(id, now: call.now)
        else { throw Problem(.notFound) }
        let study = try await study(of: participation.enrolment)
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
        return (participation, study)
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
