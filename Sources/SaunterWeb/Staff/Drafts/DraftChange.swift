import HTTPTypes
import SaunterCore
import SaunterServer

/// Changes of lists of a draft by forms: read, change, and write with the revision that was read.
enum DraftChange {
    /// How often a change is made again because another part of the draft changed in the meantime.
    private static let attempts = 3

    /// Makes a change. If another editor changed the draft in the meantime, it is made again with the newest state.
    /// - Returns: nil if the draft changes all the time.
    static func repeated<Value>(_ change: () async throws -> Value) async throws -> Value? {
        for _ in 1...attempts {
            do {
                return try await change()
            } catch let problem as Problem where problem.type.status == 412 {
                continue
            }
        }
        return nil
    }

    /// Whether the route rejected what was typed. The page shows the form again.
    static func isRejection(_ problem: Problem) -> Bool {
        [400, 413, 415, 422].contains(problem.type.status)
    }

    /// Writes a media file into the draft.
    /// - Parameter stem: the path without its ending, which follows from the content.
    /// - Returns: the path, and the revision after it.
    static func upload(
        _ bytes: [UInt8], stem: String, revision: Int, _ address: DraftAddress, _ request: PageRequest
    ) async throws -> (path: String, revision: Int) {
        let ending = MediaFormat(of: bytes).map { $0 == .jpeg ? "jpg" : $0.rawValue } ?? "png"
        let path = "\(stem).\(ending)"
        var headers = DraftAddress.headers(revision: revision)
        headers[.contentType] = "application/octet-stream"
        let reply = try await request.send(
            .put, "\(address.resource)/file", query: DraftAddress.query(path: path), file: bytes,
            headers: headers)
        return (path, reply.json["revision"]?.int ?? revision)
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

    /// The conflicts of a form, as faults at their fields.
    /// - Returns: key of a value -> what it is now.
    static func note(
        _ conflicts: [(field: DraftValuesForm.Field, now: String?)], of values: [DraftValue],
        _ faults: inout FormFaults, _ words: Words.Language
    ) -> [String: String] {
        var now: [String: String] = [:]
        for conflict in conflicts {
            let name = name(of: conflict.field.key, words)
            guard let text = conflict.now else {
                faults.add(
                    words.text(
                        "draft", "fault_value_removed", ["place": name, "text": conflict.field.typed]),
                    field: nil)
                continue
            }
            now[conflict.field.key] = text
            faults.add(
                words.text("draft", "fault_value_changed", ["name": name]),
                field: DraftFormView.id(of: conflict.field.key, in: values))
        }
        return now
    }

    /// The name of a value, such as `Title › de`.
    private static func name(of key: String, _ words: Words.Language) -> String {
        key.drop { $0 != "#" }.dropFirst().split(separator: "/").map { step in
            words["journeys", "field_\(step)"] ?? String(step)
        }.joined(separator: " › ")
    }

    /// A value as a field for text of several lines.
    static func area(_ field: [String: Any], rows: Int) -> [String: Any] {
        var field = field
        field["input"] = nil
        field["area"] = ["rows": String(rows)]
        return field
    }
}
