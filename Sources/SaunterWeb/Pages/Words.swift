import SaunterCore
import Yams

/// The words of the pages in all languages (`words/<language>.yaml`). The words of a study are in its pack.
struct Words: Sendable {
    /// The words of one language.
    struct Language: Sendable {
        /// The tag of the language, such as `de`.
        let code: String
        /// Section -> name -> text.
        let texts: [String: [String: String]]

        /// A text; nil if there is none.
        subscript(section: String, name: String) -> String? { texts[section]?[name] }

        /// A text with values for its placeholders, such as `{count}`. The name itself if there is no such text.
        func text(_ section: String, _ name: String, _ values: [String: String] = [:]) -> String {
            var text = texts[section]?[name] ?? name
            for (name, value) in values { text = text.replacing("{\(name)}", with: value) }
            return text
        }

        /// The texts of a section as JSON, for a script.
        func json(_ section: String) -> String { json(section) { _ in true }.text }

        /// The texts of a section whose names are wanted.
        func json(_ section: String, where isWanted: (_ name: String) -> Bool) -> JSON {
            .object(
                JSONObject(
                    (texts[section] ?? [:]).filter { isWanted($0.key) }.sorted { $0.key < $1.key }
                        .map { JSONObject.Member(name: $0.key, value: .string($0.value)) }))
        }

        /// The name of the script with the words of this language.
        var scriptName: String { "words_\(code).js" }

        /// A script with the words that the other scripts need only at times: of the status line, of questions and of
        /// their faults.
        var script: String {
            let words = JSON.object([
                "ask": json("ask") { !Words.ofEveryQuestion.contains($0) },
                "fault": json("fault") { _ in true }, "status": json("status") { _ in true },
            ])
            return "export const words = \(words.text);\n"
        }

        /// A number with at most one decimal place, or two between -1 and 1, and the decimal mark of the language, such
        /// as `5,3` or `-0,02`.
        func number(_ value: Double) -> String {
            let scale = abs(value) < 1 ? 100.0 : 10.0
            let rounded = (value * scale).rounded() / scale
            guard rounded != rounded.rounded() || abs(rounded) >= 1e15 else { return String(Int(rounded)) }
            return String(rounded).replacing(".", with: text("format", "decimal_mark"))
        }

        /// The direction of the script.
        var direction: String { ["ar", "fa", "he", "ur"].contains(code) ? "rtl" : "ltr" }
    }

    /// The names of the texts about asking that every question document has. Its script loads all others when it needs
    /// one of them.
    static let ofEveryQuestion: Set<String> = [
        "clear", "cleared", "continue", "error", "find", "left", "matches", "no_longer", "not_saved",
        "not_sent", "of",
        "one_match", "only", "over", "previous", "read_as", "review", "saved", "skip", "type_number",
        "unanswered",
    ]

    /// The first one is the fallback.
    let languages: [Language]

    /// - Throws: an error of the files.
    init(_ files: WebFiles) throws {
        languages = try files.words().sorted { $0.language == "en" && $1.language != "en" }.map {
            code, bytes in
            let texts = try YAMLDecoder().decode(
                [String: [String: String]].self, from: String(decoding: bytes, as: UTF8.self))
            return Language(code: code, texts: texts)
        }
    }

    static let embedded: [(language: String, yaml: [UInt8])] = [
        ("en", PackageResources.en_yaml), ("de", PackageResources.de_yaml),
    ]

    /// The first language of an `Accept-Language` header that there are words for; otherwise the fallback.
    func language(accepting header: String?) -> Language {
        let wanted = (header ?? "").split(separator: ",").map { entry in
            entry.prefix { $0 != ";" && $0 != "-" }.filter { $0 != " " }.lowercased()
        }
        for code in wanted {
            if let language = languages.first(where: { $0.code == code }) { return language }
        }
        return languages[0]
    }
}
