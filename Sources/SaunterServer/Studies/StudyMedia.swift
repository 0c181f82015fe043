import SaunterCore
import SaunterStore

extension ServerContext {
    /// A picture, sound or film of any published version of a study, its questions included.
    /// - Parameters:
    ///   - name: the name of the file, which begins with its digest; see `MediaFile.name`.
    ///   - identity: the caller; nil for a visitor without a login.
    /// - Returns: the file, and whether everyone may read it. A file that only questions of locked questionnaires
    ///   show is for participants with the entitlement and for the study team.
    /// - Throws: `not-found`, also for a visitor and a locked file; `entitlement-required`.
    package func media(
        _ name: String, of code: String, for identity: Identity?, at now: Instant
    ) async throws -> (file: MediaFile, isPublic: Bool) {
        // The live version first, because most requests are about its files. It also decides who may read them.
        guard let row = try await store.findStudy(code) else { throw Problem(.notFound) }
        let versions = try await store.listStudyVersions(code)
        for version in [row.liveVersion] + versions.filter({ $0 != row.liveVersion }) {
            guard let study = try await catalogue.find(code, version: version)?.study,
                let file = study.brand.media.first(where: { $0.name == name })
            else { continue }
            if study.isOpen(media: name) { return (file, true) }
            try await requireEntitlement(toMedia: name, of: study, identity, at: now)
            return (file, false)
        }
        throw Problem(.notFound)
    }

    /// - Throws: `not-found` if the caller neither participates in the study nor has a role in it;
    ///   `entitlement-required` if all questionnaires that show the file are locked for the participant.
    private func requireEntitlement(
        toMedia name: String, of study: Study, _ identity: Identity?, at now: Instant
    ) async throws {
        guard let identity else { throw Problem(.notFound) }
        let grants = try await store.listGrants(identity.account)
        if grants.contains(where: { [study.code, Grant.allStudies].contains($0.study) }) { return }
        let memberships = try await store.listMemberships(identity.account)
        guard let membership = memberships.first(where: { $0.study == study.code }),
            let enrolment = try await store.findEnrolment(membership.enrolment)
        else { throw Problem(.notFound) }
        let followed = try await self.study(of: enrolment).study
        if followed.isOpen(media: name) { return }
        let questionnaires = followed.questionnaires(showing: name).union(study.questionnaires(showing: name))
        for code in questionnaires.sorted() {
            if try await !isLocked(code, of: enrolment, answeredUnder: study, at: now) { return }
        }
        throw Problem(.entitlementRequired)
    }
}
