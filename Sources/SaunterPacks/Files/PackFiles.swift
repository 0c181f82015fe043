import Foundation
import SaunterCore

/// The texts of a pack by path. Paths are relative to the folder `Questionnaires`, such as
/// `instruments/pss_10/1.0.0/questionnaire.yaml`. The database stores the texts verbatim, and parsing them again
/// results in the same study.
package struct PackFiles: Sendable, Hashable {
    /// The largest permitted file: 1 MiB. Pictures, sounds and films of a library can be larger.
    package static let maximumFileBytes = 1 << 20

    /// Path -> text, exactly as it was read. A file in the folder `media` of a study, of its library or of an
    /// instrument version is in base 64, after `data:;base64,`. If it is larger than 1 MiB, a reference replaces its
    /// bytes, which are stored separately: `sha256:<digest>;<format>;<bytes>`.
    package let files: [String: String]

    /// Accepts all texts. The parsers report what is wrong with them.
    package init(files: [String: String]) {
        self.files = files
    }

    /// The text of one file.
    package subscript(path: String) -> String? { files[path] }

    /// The bytes of a file in a folder `media`; nil if there is no such file.
    package func media(_ path: String) -> [UInt8]? {
        guard let text = files[path], text.hasPrefix(Self.encodedPrefix) else { return nil }
        return Data(base64Encoded: String(text.dropFirst(Self.encodedPrefix.count))).map { [UInt8]($0) }
    }

    /// Describes a file in a folder `media`, also if only a reference to it is here. Nil if there is no such file, or
    /// if its format is not accepted.
    package func contentMedia(_ path: String) -> ContentMedia? {
        reference(at: path) ?? media(path).flatMap { ContentMedia($0) }
    }

    /// The medium of a library to which this file is only a reference; nil for all other files. Outside of
    /// `library/media`, a text that looks like a reference is a text.
    package func reference(at path: String) -> ContentMedia? {
        guard PackPath.isLibraryMedia(path) else { return nil }
        return files[path].flatMap { Self.referenced(by: $0) }
    }

    /// The media files of which only references are here, by path.
    package var references: [String: ContentMedia] {
        Dictionary(
            files.keys.compactMap { path in reference(at: path).map { (path, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    static let encodedPrefix = "data:;base64,"
    private static let referencePrefix = "sha256:"

    /// The file to which a text of `files` refers; nil for other texts.
    private static func referenced(by text: String) -> ContentMedia? {
        guard text.hasPrefix(referencePrefix) else { return nil }
        let parts = text.dropFirst(referencePrefix.count).split(
            separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.count == 64,
            let format = MediaFormat(rawValue: String(parts[1])),
            let count = Int(parts[2]), count >= 0
        else { return nil }
        return ContentMedia(digest: String(parts[0]), format: format, byteCount: count)
    }

    /// The text that refers to a file.
    package static func reference(to media: ContentMedia) -> String {
        "\(referencePrefix)\(media.digest);\(media.format.rawValue);\(media.byteCount)"
    }

    /// The form in which `files` contains the bytes of a media file.
    package static func encoded(_ bytes: Data) -> String { encodedPrefix + bytes.base64EncodedString() }

    /// The files in one folder and its subfolders.
    /// - Parameter folder: ends with `/`.
    package func folder(_ folder: String) -> PackFiles {
        PackFiles(files: files.filter { $0.key.hasPrefix(folder) })
    }

    /// SHA-256 of the canonical JSON of all files with LF line ends, in lower-case hexadecimal. It is the same on
    /// every operating system.
    package var digest: String {
        PackFiles(files: files.mapValues(\.withPlainLineEnds)).json.digest
    }

    /// The stored form: `{"format": 1, "files": {path: text}}`. The paths are sorted by bytes.
    package var json: JSON {
        var texts = JSONObject()
        for (path, text) in files.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            texts[path] = .string(text)
        }
        return ["format": 1, "files": .object(texts)]
    }

    /// Reads the result of `json`.
    package init(json: JSON) throws(PackFaults) {
        guard json["format"]?.int == 1, let members = json["files"]?.object else {
            throw PackFaults([PackFault(file: "", line: 1, message: "this is not a stored pack of format 1")])
        }
        var files: [String: String] = [:]
        for member in members {
            guard let text = member.value.string else {
                throw PackFaults([
                    PackFault(file: member.name, line: 1, message: "the text of the file is missing")
                ])
            }
            files[member.name] = text
        }
        self.files = files
    }
}

extension String {
    /// The text with LF instead of each CR LF and CR.
    var withPlainLineEnds: String {
        guard utf8.contains(UInt8(ascii: "\r")) else { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        var last: UInt8 = 0
        for byte in utf8 {
            if byte == UInt8(ascii: "\r") {
                bytes.append(UInt8(ascii: "\n"))
            } else if byte != UInt8(ascii: "\n") || last != UInt8(ascii: "\r") {
                bytes.append(byte)
            }
            last = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
