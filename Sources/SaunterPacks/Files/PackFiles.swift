import Foundation
import SaunterCore

/// The texts of a pack by path. Paths are relative to the folder `Questionnaires`, such as
/// `instruments/pss_10/1.0.0/questionnaire.yaml`. The database stores the texts verbatim, and parsing them again
/// results in the same study.
package struct PackFiles: Sendable, Hashable {
    /// The largest permitted file: 1 MiB.
    package static let maximumFileBytes = 1 << 20

    /// Path -> text, exactly as it was read. A file in the folder `media` of a study, of its library or of an
    /// instrument version is in base 64, after `data:;base64,`.
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

    static let encodedPrefix = "data:;base64,"

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
