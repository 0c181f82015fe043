import SaunterCore
import SaunterPacks

/// Decodes a study from the stored files of a published version.
package enum PublishedStudyReader {
    /// - Parameters:
    ///   - files: the text of each file, by path.
    ///   - study: the code of the study.
    /// - Throws: `PackFaults` if this release of Saunter rejects files that an earlier release accepted.
    package static func read(_ files: [String: String], _ study: String) throws -> Study {
        try StudyPack.read(PackFiles(files: files), study: study, isPublished: true).study
    }
}
