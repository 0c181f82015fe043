import SaunterCore

/// The paths of the parts of a pack below the folder `Questionnaires`. Every path is built from validated names, so a
/// reference in a pack cannot leave the folder.
package enum PackPath {
    /// The items of an instrument.
    package static let questionnaire = "questionnaire.yaml"
    /// The scoring key of an instrument.
    package static let scoring = "scoring.yaml"
    /// Test vectors: worked cases for the scoring key.
    package static let vectors = "vectors.csv"
    /// The arms, the length and the questionnaires of a study.
    package static let study = "study.yaml"
    /// The schedules of a study.
    package static let schedule = "schedule.yaml"
    /// The tailoring variables of a study. The file is optional.
    package static let variables = "variables.yaml"
    /// The decision rules of a study. The file is optional.
    package static let rules = "rules.yaml"
    /// The folder with the content library of a study. It is optional, and its editions are published separately.
    package static let library = "library/"
    /// The origin of the words of a library, for people.
    static let sources = "SOURCES.md"
    /// The folder with the pictures of a study or of an instrument, and with the media of a library.
    package static let media = "media/"

    /// `instruments/<code>/<version>/`; nil if the code or the version is not valid.
    package static func instrument(_ code: String, _ version: String) -> String? {
        isInstrumentCode(code) && isVersion(version) ? "instruments/\(code)/\(version)/" : nil
    }

    /// `studies/<code>/`; nil if the code is not valid.
    package static func study(_ code: String) -> String? {
        isStudyCode(code) ? "studies/\(code)/" : nil
    }

    /// The folder of the instrument version that contains the file; nil for other files.
    package static func instrumentFolder(of path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 3, parts[0] == "instruments" else { return nil }
        return instrument(String(parts[1]), String(parts[2]))
    }

    /// Whether a draft of the study can contain a file with this path: in the study's folder or in that of an
    /// instrument version, without hidden files and without characters that a folder on disk cannot contain.
    package static func isFile(_ path: String, ofStudy code: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard path.utf8.count <= maximumPathBytes, parts.count <= 10,
            parts.allSatisfy({ part in
                !part.isEmpty && part.utf8.count <= 200 && !part.hasPrefix(".")
                    && part.unicodeScalars.allSatisfy {
                        $0.value >= 0x20 && $0.value != 0x7F && !"\\:".unicodeScalars.contains($0)
                    }
            })
        else { return false }
        return parts.count > 2 && parts[0] == "studies" && parts[1] == code
            || instrumentFolder(of: path) != nil
    }

    /// The longest path of a file in bytes.
    static let maximumPathBytes = 400

    /// Whether a pack contains the file as bytes: in the folder `media` of a study, of its library or of an instrument
    /// version.
    package static func isMedia(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        guard let folder = parts.dropLast().last, "\(folder)/" == media else { return false }
        return parts.count == 4 && parts[0] == "studies" || parts.count == 5 && parts[0] == "instruments"
            || parts.count == 5 && parts[0] == "studies" && "\(parts[2])/" == library
    }

    /// Whether the file is a medium of the library of a study.
    package static func isLibraryMedia(_ path: String) -> Bool {
        isMedia(path) && path.split(separator: "/").dropFirst(2).first.map { "\($0)/" == library } ?? false
    }

    /// The largest permitted size of the file in bytes.
    package static func maximumBytes(_ path: String) -> Int {
        isLibraryMedia(path) ? ContentMedia.maximumBytes : PackFiles.maximumFileBytes
    }

    /// Whether the text has the form `[a-z][a-z0-9_]*`, with at most 24 characters.
    package static func isInstrumentCode(_ text: String) -> Bool {
        isCode(text, separator: UInt8(ascii: "_"), limit: 24)
    }

    /// Whether the text has the form `[a-z][a-z0-9-]*`, with at most 40 characters.
    package static func isStudyCode(_ text: String) -> Bool {
        isCode(text, separator: UInt8(ascii: "-"), limit: 40)
    }

    /// Whether the text has the form `major.minor.patch`, each number with at most five digits.
    package static func isVersion(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3
            && parts.allSatisfy { (1...5).contains($0.count) && $0.allSatisfy { (48...57).contains($0) } }
    }

    /// Whether the text is a BCP 47 tag such as `de` or `pt-BR`: letters, digits and hyphens, at most 35 characters.
    package static func isLanguage(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard text.utf8.count <= 35, let first = parts.first, (2...3).contains(first.count) else {
            return false
        }
        return first.allSatisfy(isLower)
            && parts.dropFirst().allSatisfy { part in
                (1...8).contains(part.count)
                    && part.allSatisfy { isLower($0 | 0x20) || (48...57).contains($0) }
            }
    }

    private static func isCode(_ text: String, separator: UInt8, limit: Int) -> Bool {
        guard let first = text.utf8.first, isLower(first), text.utf8.count <= limit else { return false }
        return text.utf8.allSatisfy { isLower($0) || (48...57).contains($0) || $0 == separator }
    }

    private static func isLower(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
