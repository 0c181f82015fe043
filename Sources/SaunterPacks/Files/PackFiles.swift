import SaunterCore

/// The texts of a pack by their paths relative to the folder `Questionnaires`, such as
/// `instruments/pss_10/1.0.0/questionnaire.yaml`. What is stored is this, verbatim; reading it again gives the same study.
package struct PackFiles: Sendable, Hashable {
    /// Path -> text, exactly as it was read.
    package let files: [String: String]

    /// Takes any texts; reading the pack says what is wrong with them.
    package init(files: [String: String]) {
        self.files = files
    }

    /// The text of one file.
    package subscript(path: String) -> String? { files[path] }

    /// The files in one folder and below it; the folder's path ends in `/`.
    package func folder(_ folder: String) -> PackFiles {
        PackFiles(files: files.filter { $0.key.hasPrefix(folder) })
    }

    /// SHA-256 as lower-case hexadecimal over the canonical JSON of all files, lines ended by LF: the same on every system that
    /// a pack is checked out on.
    package var digest: String {
        PackFiles(files: files.mapValues(\.withPlainLineEnds)).json.digest
    }

    /// The form for storage: `{"format": 1, "files": {path: text}}`, paths in order of their bytes.
    package var json: JSON {
        var texts = JSONObject()
        for (path, text) in files.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            texts[path] = .string(text)
        }
        return ["format": 1, "files": .object(texts)]
    }

    /// Reads what `json` wrote.
    package init(json: JSON) throws(PackFaults) {
        guard json["format"]?.int == 1, let members = json["files"]?.object else {
            throw PackFaults([PackFault(file: "", line: 1, message: "this is no stored pack of format 1")])
        }
        var files: [String: String] = [:]
        for member in members {
            guard let text = member.value.string else {
                throw PackFaults([
                    PackFault(file: member.name, line: 1, message: "the file's text is missing")
                ])
            }
            files[member.name] = text
        }
        self.files = files
    }
}

extension String {
    /// With LF wherever a line ends in CR LF or CR.
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
