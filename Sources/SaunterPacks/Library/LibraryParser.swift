import Foundation
import SaunterCore

/// Parses the folder `library` of a study: one file per collection, with its items, words and media.
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
    private let used = UsedFiles()

    /// - Parameters:
    ///   - files: the files of the pack, or of a stored edition.
    ///   - study: a study without faults.
    package init(files: PackFiles, study: Study) {
        folder = "studies/\(study.code)/" + PackPath.library
        self.files = files.folder(folder)
        self.study = study
    }

    /// Reads a library.
    /// - Throws: all faults.
    package static func read(_ files: PackFiles, of study: Study) throws(PackFaults) -> Library {
        var parser = LibraryParser(files: files, study: study)
        let library = parser.library()
        guard parser.faults.isEmpty else { throw PackFaults(parser.faults) }
        return library
    }

    /// The collections that could be read, by code.
    package mutating func library() -> Library {
        var collections: [ContentCollection] = []
        for path in files.files.keys.sorted() {
            guard let code = Self.collectionCode(path.dropFirst(folder.count)) else { continue }
            used.paths.insert(path)
            var parser = CollectionParser(
                files: files, folder: folder, code: code, study: study, used: used)
            if let collection = parser.collection() { collections.append(collection) }
            faults += parser.faults
        }
        noteUnknownFiles()
        return Library(collections: collections)
    }

    /// The code of a file such as `quotes.yaml`; nil for `quotes.en.yaml` and other files.
    static func collectionCode(_ name: Substring) -> String? {
        guard name.hasSuffix(".yaml") else { return nil }
        let code = name.dropLast(5)
        return code.contains(".") || code.contains("/") ? nil : String(code)
    }

    private mutating func noteUnknownFiles() {
        for path in files.files.keys.sorted()
        where !used.paths.contains(path) && path != folder + PackPath.sources {
            faults.append(
                PackFault(file: path, line: 1, message: "no collection of the library uses this file"))
        }
    }
}

/// The paths of the files that a library uses. The parsers of its parts share it.
final class UsedFiles {
    var paths: Set<String> = []
}
