import SaunterCore
import SaunterPacks
import SaunterStore

/// The study that a rehearsal shows.
package struct RehearsedStudy: Sendable {
    /// The study with its prepared questionnaires. It is not published if `isDraft`.
    package let published: PublishedStudy
    /// Whether it is the draft, not a published version.
    package let isDraft: Bool
}

extension ServerContext {
    /// The draft of a study, or a published version, for a member of its team.
    /// - Parameters:
    ///   - version: nil for the draft.
    ///   - caller: has a role in the study, and sees arms if the study is blinded.
    /// - Throws: `not-found`; `arms-blinded`; `draft-faulty` with the faults of the files.
    package func rehearsedStudy(
        _ study: String, version: String?, for caller: Identity
    ) async throws -> RehearsedStudy {
        guard caller.grants.contains(where: { $0.study == study || $0.study == Grant.allStudies }) else {
            throw Problem(.notFound)
        }
        try await armView(of: study, for: caller).requireCodes()
        if let version {
            guard let found = try await catalogue.find(study, version: version) else {
                throw Problem(.notFound)
            }
            return RehearsedStudy(published: found, isDraft: false)
        }
        guard let draft = try await store.findDraft(of: study) else { throw Problem(.notFound) }
        let pack: StudyPack
        do throws(PackFaults) {
            pack = try StudyPack.read(PackFiles(files: draft.files), study: study)
        } catch {
            throw Problem(
                .draftFaulty,
                Faults(
                    error.list.map {
                        Fault(
                            pointer: "", code: "invalid_file", detail: "\($0.file):\($0.line): \($0.message)")
                    }))
        }
        // The arms of a study that was never published are hidden as well.
        if pack.study.allocation.isBlinded, !caller.seesArms(in: study),
            try await store.findStudy(study) == nil
        {
            throw Problem(.armsBlinded)
        }
        return RehearsedStudy(
            published: PublishedStudy(study: pack.study, digest: pack.digest), isDraft: true)
    }
}
