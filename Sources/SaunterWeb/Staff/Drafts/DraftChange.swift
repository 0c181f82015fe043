import HTTPTypes
import SaunterCore
import SaunterServer

/// What the forms of journeys and practices have in common.
enum DraftChange {
    /// Writes a media file into the draft.
    /// - Parameter stem: the path without its ending, which follows from the content.
    /// - Returns: the path, what the file is, and the revision after it.
    static func upload(
        _ bytes: [UInt8], stem: String, revision: Int, _ address: DraftAddress, _ request: PageRequest
    ) async throws -> (path: String, kind: MediaFormat.Kind, revision: Int) {
        // The route refuses bytes of no known format.
        let format = MediaFormat(of: bytes) ?? .png
        let path = "\(stem).\(format == .jpeg ? "jpg" : format.rawValue)"
        var headers = DraftAddress.headers(revision: revision)
        headers[.contentType] = "application/octet-stream"
        let reply = try await request.send(
            .put, "\(address.resource)/file", query: DraftAddress.query(path: path), file: bytes,
            headers: headers)
        return (path, format.kind, reply.json["revision"]?.int ?? revision)
    }

    /// The titles of a form, by language: the fields `title:en`, `title:de`.
    static func titles(_ languages: [String], _ request: PageRequest) -> [String: String] {
        var titles: [String: String] = [:]
        for language in languages {
            let text = request.field("title:\(language)").trimmingWhitespace
            if !text.isEmpty { titles[language] = text }
        }
        return titles
    }

    /// The fields for the titles of something new.
    static func titleFields(_ languages: [String], _ request: PageRequest, isTyped: Bool) -> [[String: Any]] {
        languages.map { language in
            [
                "language": language, "name": LanguageName.text(language, in: request.words.code),
                "value": isTyped ? request.field("title:\(language)") : "",
            ]
        }
    }

    /// A value as a field for text of several lines.
    static func area(_ field: [String: Any], rows: Int) -> [String: Any] {
        var field = field
        field["input"] = nil
        field["area"] = ["rows": String(rows)]
        return field
    }
}

extension Words.Language {
    /// The name of a value of a journey or practice, such as `Title › de`.
    func nameOfValue(_ key: String, isRemoved: Bool) -> String {
        key.drop { $0 != "#" }.dropFirst().split(separator: "/").map { step in
            self["journeys", "field_\(step)"] ?? String(step)
        }.joined(separator: " › ")
    }
}
