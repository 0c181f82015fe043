import SaunterCore

/// A programme as its files state it. The files can have faults, so nothing is checked.
package struct ProgrammeEntry: Sendable, Hashable {
    /// The words in one language; nil for those that are missing.
    package struct Words: Sendable, Hashable {
        package var title: String?
        package var subtitle: String?
        /// Markdown.
        package var introduction: String?

        package init(title: String? = nil, subtitle: String? = nil, introduction: String? = nil) {
            self.title = title
            self.subtitle = subtitle
            self.introduction = introduction
        }

        var isEmpty: Bool { title == nil && subtitle == nil && introduction == nil }
    }

    package var code: String
    /// Language -> words.
    package var words: [String: Words]
    /// The path of the picture in the folder of the library, such as `media/control.png`.
    package var picture: String?
    package var authors: [String]
    /// The codes of practices, in order.
    package var modules: [String]
    package var isWithdrawn: Bool
    /// Further members of the file, which stay as they are.
    var others = JSONObject()

    package init(
        code: String, words: [String: Words] = [:], picture: String? = nil, authors: [String] = [],
        modules: [String] = [], isWithdrawn: Bool = false
    ) {
        self.code = code
        self.words = words
        self.picture = picture
        self.authors = authors
        self.modules = modules
        self.isWithdrawn = isWithdrawn
    }
}

/// The programmes of a study's library in the files of a draft: `programmes.yaml`, and one file of words per language.
package struct ProgrammeFiles: Sendable {
    /// The programmes in the order of the file.
    package private(set) var programmes: [ProgrammeEntry]
    private let files: PackFiles
    /// `studies/<code>/library/`.
    package let folder: String
    /// The languages of the study.
    private let languages: [String]

    private static let ownKeys = ["code", "picture", "authors", "modules", "withdrawn"]

    /// Reads the programmes.
    /// - Parameter languages: the languages of the study; each has a file of words.
    /// - Throws: the faults of the syntax, if a file cannot be read.
    package init(_ files: PackFiles, study: String, languages: [String]) throws(PackFaults) {
        folder = "studies/\(study)/" + PackPath.library
        self.files = files
        self.languages = languages
        programmes = []
        guard let text = files[path] else { return }
        var words: [String: [String: JSON]] = [:]
        for (language, path) in wordPaths {
            guard let text = files[path], !Self.isEmpty(text) else { continue }
            let all = try YAMLDocument.json(text, name: path).object ?? JSONObject()
            words[language] = Dictionary(
                all.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        if Self.isEmpty(text) { return }
        // The check reports a longer list.
        programmes = (try YAMLDocument.json(text, name: path)["programmes"]?.array ?? [])
            .prefix(Programme.maximumCount).compactMap { Self.programme($0, words) }
    }

    /// `programmes.yaml`.
    package var path: String { folder + "programmes.yaml" }

    private func wordPath(_ language: String) -> String { "\(folder)programmes.\(language).yaml" }

    /// The files of words, also those of languages that the study does not have any more.
    private var wordPaths: [(language: String, path: String)] {
        let prefix = folder + "programmes."
        let present = files.files.keys.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".yaml") && $0 != path }
            .map { String($0.dropFirst(prefix.count).dropLast(5)) }.filter(PackPath.isLanguage)
        return Set(present + languages).sorted().prefix(100).map { ($0, wordPath($0)) }
    }

    private static func isEmpty(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).allSatisfy { line in
            line.first { !$0.isWhitespace }.map { $0 == "#" } ?? true
        }
    }

    private static func programme(_ json: JSON, _ words: [String: [String: JSON]]) -> ProgrammeEntry? {
        guard let code = json["code"]?.word else { return nil }
        var entry = ProgrammeEntry(
            code: code, picture: json["picture"]?.word,
            authors: (json["authors"]?.array ?? []).compactMap(\.word),
            modules: (json["modules"]?.array ?? []).compactMap(\.word),
            isWithdrawn: json["withdrawn"]?.bool ?? false)
        for (language, all) in words {
            let own = all[code]
            let found = ProgrammeEntry.Words(
                title: own?["title"]?.word, subtitle: own?["subtitle"]?.word,
                introduction: own?["introduction"]?.word)
            if !found.isEmpty { entry.words[language] = found }
        }
        entry.others = JSONObject((json.object ?? JSONObject()).filter { !ownKeys.contains($0.name) })
        return entry
    }

    // MARK: - Writing

    /// The files with other programmes. A picture that no programme uses any more is removed, unless another file of
    /// the library names it.
    /// - Parameter new: a programme that the files have keeps its further members.
    /// - Throws: the faults of the files, if they cannot be changed.
    package func writing(_ new: [ProgrammeEntry]) throws(PackFaults) -> PackFiles {
        var result = files.files
        let others = Dictionary(
            programmes.map { ($0.code, $0.others) }, uniquingKeysWith: { first, _ in first })
        let list = new.map { Self.json($0, others[$0.code] ?? $0.others) }
        result[path] = try YAMLChange.text(
            files[path], file: path, values: ["programmes": .array(list)])
        for (language, path) in wordPaths {
            var words = JSONObject()
            for programme in new {
                if let own = programme.words[language], !own.isEmpty {
                    words[programme.code] = Self.json(own)
                }
            }
            guard files[path] != nil || languages.contains(language) else { continue }
            result[path] = try YAMLChange.text(files[path], file: path, values: .object(words))
        }
        for picture in Set(programmes.compactMap(\.picture)).subtracting(new.compactMap(\.picture))
        where picture.hasPrefix(PackPath.media) && !isNamed(picture) {
            result[folder + picture] = nil
        }
        return PackFiles(files: result)
    }

    private static func json(_ programme: ProgrammeEntry, _ others: JSONObject) -> JSON {
        var object: JSONObject = ["code": .string(programme.code)]
        if let picture = programme.picture { object["picture"] = .string(picture) }
        if !programme.authors.isEmpty { object["authors"] = .array(programme.authors.map(JSON.string)) }
        object["modules"] = .array(programme.modules.map(JSON.string))
        if programme.isWithdrawn { object["withdrawn"] = true }
        for member in others { object[member.name] = member.value }
        return .object(object)
    }

    private static func json(_ words: ProgrammeEntry.Words) -> JSON {
        var object = JSONObject()
        for (name, value) in [
            ("title", words.title), ("subtitle", words.subtitle), ("introduction", words.introduction),
        ] {
            if let value { object[name] = .string(value) }
        }
        return .object(object)
    }

    /// Whether a collection of the library names the file.
    private func isNamed(_ picture: String) -> Bool {
        files.files.contains { path, text in
            path.hasPrefix(folder) && path != self.path && !PackPath.isMedia(path) && text.contains(picture)
        }
    }
}

extension JSON {
    /// A text, or the spelling of another single value; nil for lists, objects and null. In YAML, `12` is a number, and
    /// still a text for people.
    var word: String? {
        switch self {
        case .string(let text): text
        case .bool, .number: text
        case .null, .array, .object: nil
        }
    }
}
