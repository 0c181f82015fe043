import Foundation
import SaunterCore

/// Parses the folder `library` of a study: one file per collection, with its items, words and media; the programmes;
/// and the recommendations.
///
/// The library is published in editions that are independent of study versions. Therefore it is parsed against a
/// complete study, whose languages, arms, settings and variables it uses.
package struct LibraryParser {
    /// All faults, each with file and line.
    package private(set) var faults: [PackFault] = []

    private let files: PackFiles
    /// `studies/<code>/library/`.
    private let folder: String
    private let study: Study
    private let isPublished: Bool
    private let used = UsedFiles()

    /// - Parameters:
    ///   - files: the files of the pack, or of a stored edition.
    ///   - study: a study without faults.
    ///   - isPublished: whether the files are a stored edition. An edition may name practices, variables, languages,
    ///     arms, entitlements and settings that this version of the study does not have, so what is read does not
    ///     depend on the version.
    package init(files: PackFiles, study: Study, isPublished: Bool = false) {
        folder = "studies/\(study.code)/" + PackPath.library
        self.files = files.folder(folder)
        self.study = study
        self.isPublished = isPublished
    }

    /// Reads a library.
    /// - Parameter isPublished: whether the files are a stored edition; see `init`.
    /// - Throws: all faults.
    package static func read(
        _ files: PackFiles, of study: Study, isPublished: Bool = false
    ) throws(PackFaults) -> Library {
        var parser = LibraryParser(files: files, study: study, isPublished: isPublished)
        let library = parser.library()
        guard parser.faults.isEmpty else { throw PackFaults(parser.faults) }
        return library
    }

    /// The collections that could be read, by code; and the programmes and recommendations.
    package mutating func library() -> Library {
        var collections: [ContentCollection] = []
        for path in files.files.keys.sorted() {
            guard let code = Self.collectionCode(path.dropFirst(folder.count)) else { continue }
            used.paths.insert(path)
            var parser = CollectionParser(
                files: files, folder: folder, code: code, study: study, isPublished: isPublished, used: used)
            if let collection = parser.collection() { collections.append(collection) }
            faults += parser.faults
        }
        var programmes = ProgrammeParser(
            files: files, folder: folder, study: study, isPublished: isPublished, used: used)
        var library = Library(collections: collections, programmes: programmes.programmes())
        faults += programmes.faults
        var recommendations = RecommendationParser(
            files: files, folder: folder, programmes: library.programmes, study: study,
            isPublished: isPublished, used: used)
        library.recommendations = recommendations.recommendations()
        faults += recommendations.faults
        if !isPublished { noteUnknownFiles() }
        return library
    }

    /// The programmes of a stored edition, without the rest of its library. What cannot be read is left out.
    package static func publishedProgrammes(_ files: PackFiles, of study: Study) -> [Programme] {
        let parser = LibraryParser(files: files, study: study, isPublished: true)
        var programmes = ProgrammeParser(
            files: parser.files, folder: parser.folder, study: study, isPublished: true, used: parser.used)
        return programmes.programmes()
    }

    /// The names of files that describe no collection.
    private static let reserved: Set<String> = [ProgrammeParser.name, RecommendationParser.name]

    /// The code of a file such as `quotes.yaml`; nil for `quotes.en.yaml` and other files.
    static func collectionCode(_ name: Substring) -> String? {
        guard name.hasSuffix(".yaml") else { return nil }
        let code = name.dropLast(5)
        return code.contains(".") || code.contains("/") || reserved.contains(String(code))
            ? nil : String(code)
    }

    private mutating func noteUnknownFiles() {
        for path in files.files.keys.sorted()
        where !used.paths.contains(path) && path != folder + PackPath.sources {
            faults.append(
                PackFault(file: path, line: 1, message: "no part of the library uses this file"))
        }
    }
}

/// The paths of the files that a library uses. The parsers of its parts share it.
final class UsedFiles {
    var paths: Set<String> = []
}
