import SaunterCore
import SaunterPacks

/// How the files of a published version become a study again.
package enum StudyReading {
    /// - Throws: `PackFaults`, which a published version never has unless a newer engine cannot read what an older one could.
    package static func read(_ files: [String: String], _ study: String) throws -> Study {
        try StudyPack.read(PackFiles(files: files), study: study, isPublished: true).study
    }
}
