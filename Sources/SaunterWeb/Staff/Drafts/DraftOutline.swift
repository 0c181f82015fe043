import SaunterCore

/// The response of `GET …/draft/outline`: what the forms for words and for the schedule show.
struct DraftOutline {
    /// The same text in all languages.
    struct Entry {
        let pointer: String
        /// Language -> value. A language whose file does not have the text yet has an empty value.
        var values: [String: DraftValue]
    }

    /// A questionnaire, or the study itself.
    struct Part {
        /// In the address of the page; empty for the texts of the study.
        let code: String
        var title: String
        var entries: [Entry]
    }

    /// A schedule with its fields.
    struct Schedule {
        let code: String
        let questionnaire: String
        let fields: [(name: String, value: DraftValue)]
    }

    let languages: [String]
    /// The texts of the study, then its questionnaires.
    let parts: [Part]
    let schedules: [Schedule]
    /// The length of the study, its target, and the daily reminder, by their keys in study.yaml.
    let settings: [(name: String, value: DraftValue)]

    /// - Parameter language: the language of the visitor, in which questionnaires are named if they have it.
    init(_ outline: JSON, study: String, language: String = "") {
        let languages = (outline["languages"]?.array ?? []).compactMap(\.string)
        self.languages = languages
        let files = (outline["text"]?.array ?? []).map(TextFile.init)
        let questionnaires = (outline["questionnaires"]?.array ?? []).map { questionnaire in
            Self.part(questionnaire, files, named: [language] + languages)
        }
        let own = Set(questionnaires.flatMap(\.files))
        let general = Part(
            code: "", title: outline["title"]?.string ?? study,
            entries: Self.entries(of: files.filter { !own.contains($0.path) }))
        parts = [general].filter { !$0.entries.isEmpty } + questionnaires.map(\.part)
        schedules = (outline["schedules"]?.array ?? []).map { Self.schedule($0, study) }
        settings = (outline["settings"]?.array ?? []).compactMap {
            Self.field($0, file: "studies/\(study)/study.yaml")
        }
    }

    /// All texts, in the order of the pages.
    var texts: [DraftValue] {
        parts.flatMap { part in
            part.entries.flatMap { entry in languages.compactMap { entry.values[$0] } }
        }
    }

    /// All values of the page of the schedule, in their order.
    var times: [DraftValue] { schedules.flatMap { $0.fields.map(\.value) } + settings.map(\.value) }

    // MARK: Texts

    /// A file with texts in one language.
    private struct TextFile {
        let language: String
        let path: String
        var entries: [(pointer: String, text: String)]

        init(_ file: JSON) {
            language = file["language"]?.string ?? ""
            path = file["file"]?.string ?? ""
            entries = (file["entries"]?.array ?? []).compactMap { entry in
                DraftValue.text(of: entry["text"]).map { (entry["pointer"]?.string ?? "", $0) }
            }
        }
    }

    private static func part(
        _ questionnaire: JSON, _ all: [TextFile], named languages: [String]
    ) -> (part: Part, files: [String]) {
        let code = questionnaire["code"]?.string ?? ""
        let paths = questionnaire["words"]?.object.map { $0.compactMap { $0.value.string } } ?? []
        let entries = entries(of: all.filter { paths.contains($0.path) })
        let titles = entries.first { $0.pointer == "/title" }?.values ?? [:]
        let title = languages.compactMap { titles[$0]?.text }.first { !$0.isEmpty }
        return (Part(code: code, title: title ?? code, entries: entries), paths)
    }

    /// The texts of the files side by side, in the order of the first file that has them.
    private static func entries(of files: [TextFile]) -> [Entry] {
        // Files with the same texts in several languages differ only in the language of their names.
        var groups: [(name: String, files: [TextFile])] = []
        for file in files {
            let name = file.path.replacing(".\(file.language).", with: ".*.")
            if let index = groups.firstIndex(where: { $0.name == name }) {
                groups[index].files.append(file)
            } else {
                groups.append((name, [file]))
            }
        }
        return groups.flatMap { group in
            var pointers: [String] = []
            var known: Set<String> = []
            for file in group.files {
                for entry in file.entries where known.insert(entry.pointer).inserted {
                    pointers.append(entry.pointer)
                }
            }
            let texts = group.files.map { file in
                Dictionary(
                    file.entries.map { ($0.pointer, $0.text) }, uniquingKeysWith: { first, _ in first })
            }
            return pointers.map { pointer in
                var values: [String: DraftValue] = [:]
                for (file, text) in zip(group.files, texts) {
                    values[file.language] = DraftValue(
                        file: file.path, pointer: pointer, text: text[pointer] ?? "")
                }
                return Entry(pointer: pointer, values: values)
            }
        }
    }

    // MARK: Schedules

    /// The keys that no form changes, because they identify the occasions of enrolled participants.
    private static let fixed: Set<String> = ["id", "questionnaire"]

    private static func schedule(_ schedule: JSON, _ study: String) -> Schedule {
        let file = schedule["file"]?.string ?? "studies/\(study)/schedule.yaml"
        let fields = (schedule["fields"]?.array ?? []).compactMap { Self.field($0, file: file) }
            .filter { !fixed.contains($0.name) }
        return Schedule(
            code: schedule["code"]?.string ?? "", questionnaire: schedule["questionnaire"]?.string ?? "",
            fields: fields)
    }

    /// Nil for an object, and for a list that is none of channels.
    private static func field(_ field: JSON, file: String) -> (name: String, value: DraftValue)? {
        let kind = DraftValue.Kind(rawValue: field["kind"]?.string ?? "") ?? .text
        let channels = (field["value"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
        guard let pointer = field["pointer"]?.string,
            let text = kind == .channels ? channels : DraftValue.text(of: field["value"])
        else { return nil }
        let value = DraftValue(
            file: field["file"]?.string ?? file, pointer: pointer, text: text, kind: kind)
        return (field["name"]?.string ?? "", value)
    }
}
