import Foundation
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

    /// Decodes the library of a published edition.
    /// - Parameters:
    ///   - files: the text of each file, by path. A reference replaces the text of a media file.
    ///   - media: the bytes of the media files, by path.
    ///   - study: the study version whose languages, arms and settings the library uses.
    /// - Throws: `PackFaults` if the library does not fit the version.
    package static func readLibrary(
        _ files: [String: String], _ media: [String: [UInt8]], _ study: Study
    ) throws -> Library {
        let encoded = media.mapValues { PackFiles.encoded(Data($0)) }
        return try LibraryParser.read(
            PackFiles(files: files.merging(encoded) { _, bytes in bytes }), of: study, isPublished: true)
    }
}
