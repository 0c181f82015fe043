import SaunterCore

/// Names the journeys (programmes) of a library in a difference.
struct JourneyTitles {
    /// Code -> title in the first language that has one.
    private let titles: [String: String]
    /// `studies/<code>/library/`.
    private let folder: String

    init(_ before: PackFiles, _ after: PackFiles, study: String) {
        let folder = "studies/\(study)/" + PackPath.library
        self.folder = folder
        var titles: [String: String] = [:]
        let languages = (try? PracticeFiles(after, study: study))?.languages ?? []
        for files in [after, before] {
            guard let found = try? ProgrammeFiles(files, study: study, languages: languages) else { continue }
            for programme in found.programmes where titles[programme.code] == nil {
                let order = languages + programme.words.keys.sorted()
                titles[programme.code] = order.lazy.compactMap { programme.words[$0]?.title }.first
            }
        }
        self.titles = titles
    }

    /// The language of a file of words, empty for `programmes.yaml`; nil for any other file.
    private func language(of path: String) -> String? {
        guard path.hasPrefix(folder) else { return nil }
        let parts = path.dropFirst(folder.count).split(separator: ".").map(String.init)
        guard parts.first == "programmes", parts.last == "yaml", (2...3).contains(parts.count) else {
            return nil
        }
        return parts.count == 3 ? parts[1] : ""
    }

    /// The text of such a file without journeys; nil for any other file.
    func emptyText(of path: String) -> String? {
        language(of: path).map { $0.isEmpty ? "programmes: []\n" : "{}\n" }
    }

    /// The place of a change in words; nil if the file is none of journeys.
    func place(_ steps: [String], in path: String) -> String? {
        guard let language = language(of: path) else { return nil }
        let isList = language.isEmpty
        if isList, steps == ["programmes", "order"] { return "order of the journeys" }
        let rest = steps.dropFirst(isList ? 1 : 0)
        guard let code = rest.first, !isList || steps.first == "programmes" else { return nil }
        let parts = rest.dropFirst().map { $0 == "modules" ? "practices" : $0 }
        let place = (["journey \(name(code))"] + parts).joined(separator: " › ")
        return isList ? place : "\(place) (\(language))"
    }

    /// The names of journeys instead of their codes.
    func named(_ codes: String) -> String {
        codes.split(separator: ", ").map { name(String($0)) }.joined(separator: ", ")
    }

    private func name(_ code: String) -> String { titles[code].map { "“\($0)”" } ?? code }
}
