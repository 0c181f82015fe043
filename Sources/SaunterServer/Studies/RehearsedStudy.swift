import SaunterCore
import SaunterPacks
import SaunterStore

/// The study that a rehearsal shows.
package struct RehearsedStudy: Sendable {
    /// The study with its prepared questionnaires. It is not published if `isDraft`.
    package let published: PublishedStudy
    /// Whether it is the draft, not a published version.
    package let isDraft: Bool
    /// Path -> text of each file of the draft; nil for a published version.
    var files: [String: String]?
}

extension ServerContext {
    /// The draft of a study, or a published version, for a member of its team.
    /// - Parameters:
    ///   - version: nil for the draft.
    ///   - caller: has a role in the study, and sees arms if the study is blinded.
    /// - Throws: `not-found`; `arms-blinded`; `draft-invalid` with the faults of the files.
    package func rehearsedStudy(
        _ study: String, version: String?, for caller: Identity
    ) async throws -> RehearsedStudy {
        if let version {
            try await requireFiles(of: study, for: caller)
            guard let found = try await catalogue.find(study, version: version) else {
                throw Problem(.notFound)
            }
            return RehearsedStudy(published: found, isDraft: false)
        }
        let found = try await store.findDraft(of: study)
        try await requireFiles(of: study, draft: found, for: caller)
        guard let draft = found else { throw Problem(.notFound) }
        let published = try await work.run {
            do throws(PackFaults) {
                let pack = try StudyPack.read(draft.pack, study: study)
                return PublishedStudy(study: pack.study, digest: pack.digest)
            } catch {
                throw Problem(draft: error.list)
            }
        }
        return RehearsedStudy(published: published, isDraft: true, files: draft.files)
    }
}
