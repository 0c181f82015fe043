import SaunterCore
import SaunterPacks
import SaunterStore

extension ServerContext {
    /// The bytes of a media file of a study's draft; nil if there is none. The caller has checked who may see it.
    package func draftMedia(_ path: String, of study: String) async throws -> [UInt8]? {
        guard let draft = try await store.findDraft(of: study) else { return nil }
        return PackFiles(files: draft.files).media(path)
    }
}
