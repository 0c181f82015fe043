import SaunterCore
import SaunterPacks
import SaunterStore

/// The words and schedules of a draft, with the files and JSON Pointers at which forms change them.
struct DraftOutline {
    private let draft: StudyDraft
    /// The YAML files that can be read, by path.
    private let documents: [String: JSON]

    init(_ draft: StudyDraft) {
        self.draft = draft
        var documents: [String: JSON] = [:]
        for (path, text) in draft.files where path.hasSuffix(".yaml") && !PackPath.isMedia(path) {
            documents[path] = try? YAMLDocument.json(text, name: path)
        }
        self.documents = documents
    }

    private var folder: String { "studies/\(draft.study)/" }

    var json: JSON {
        let description = documents[draft.descriptionPath]
        let languages = StudyDraft.languages(in: description)
        return [
            "version": .optional(description?["version"]?.string, JSON.string),
            "title": .string(draft.title()), "languages": .strings(languages),
            "questionnaires": .array(questionnaires(description, languages)),
            "settings": .array(settings(description)), "schedules": .array(schedules), "text": .array(words),
        ]
    }

    // MARK: - Questionnaires

    private func questionnaires(_ description: JSON?, _ languages: [String]) -> [JSON] {
        var folders: Set<String> = []
        return (description?["questionnaires"]?.array ?? []).compactMap { reference in
            // A draft can name a questionnaire many times. It is shown once.
            guard let code = reference["code"]?.string, let version = reference["version"]?.string,
                let folder = PackPath.instrument(code, version), folders.insert(folder).inserted
            else { return nil }
            let definition = documents[folder + PackPath.questionnaire]
            let named = StudyDraft.languages(in: definition)
            let own = named.isEmpty ? languages : named
            let files = own.map { (language: $0, file: "\(folder)text.\($0).yaml") }.filter {
                draft.files[$0.file] != nil
            }
            return [
                "code": .string(code), "version": .string(version), "folder": .string(folder),
                "words": .object(JSONObject(files.map { .init(name: $0.language, value: .string($0.file)) })),
                "items": .array(items(definition?["item"], files)),
            ]
        }
    }

    /// All items, those of groups after their group.
    private func items(_ list: JSON?, _ files: [(language: String, file: String)]) -> [JSON] {
        (list?.array ?? []).flatMap { item -> [JSON] in
            guard let linkId = item["linkId"]?.string else { return [] }
            let texts = files.compactMap { language, file -> JSONObject.Member? in
                guard let text = documents[file]?["items"]?[linkId]?.string else { return nil }
                return .init(name: language, value: .string(text))
            }
            let own: JSON = [
                "link_id": .string(linkId), "type": .optional(item["type"]?.string, JSON.string),
                "text": .object(JSONObject(texts)),
            ]
            return [own] + items(item["item"], files)
        }
    }

    // MARK: - Settings

    /// The values of study.yaml that a form beside the schedules changes. A value that the file does not have is null.
    private static let settings: [(name: String, kind: String)] = [
        ("days", "number"), ("target", "number"), ("reminder/at", "time"), ("reminder/quiet_from", "time"),
        ("reminder/quiet_to", "time"), ("reminder/most_per_day", "number"), ("reminder/channels", "channels"),
    ]

    /// The length of the study, its target, and the daily reminder with the list of its channels. Empty if study.yaml
    /// cannot be read.
    private func settings(_ description: JSON?) -> [JSON] {
        guard let description, description.object != nil else { return [] }
        return Self.settings.compactMap { name, kind in
            let steps = name.split(separator: "/").map(String.init)
            var value: JSON? = description
            for step in steps { value = value?[step] }
            guard Self.isSettable(value, kind) else { return nil }
            return [
                "name": .string(name), "file": .string(draft.descriptionPath),
                "pointer": .string(YAMLEditor.pointer(steps)), "value": value ?? .null, "kind": .string(kind),
            ]
        }
    }

    /// Whether a form can show the value: a list of texts for channels, otherwise a single value.
    private static func isSettable(_ value: JSON?, _ kind: String) -> Bool {
        guard let value, !value.isNull else { return true }
        guard kind == "channels" else { return value.array == nil && value.object == nil }
        return value.array?.allSatisfy { $0.string != nil } ?? false
    }

    // MARK: - Schedules

    private var schedules: [JSON] {
        let file = folder + PackPath.schedule
        let list = documents[file]?["schedules"]?.array ?? []
        return list.enumerated().map { index, schedule in
            let start = ["schedules", String(index)]
            let fields = Self.leaves(schedule, start).map { steps, value -> JSON in
                [
                    "name": .string(steps.dropFirst(2).joined(separator: "/")),
                    "pointer": .string(YAMLEditor.pointer(steps)), "value": value,
                    "kind": .string(Self.kind(steps, value)),
                ]
            }
            return [
                "code": .optional(schedule["id"]?.string, JSON.string),
                "questionnaire": .optional(schedule["questionnaire"]?.string, JSON.string),
                "file": .string(file), "fields": .array(fields),
            ]
        }
    }

    private static let kinds = ["time", "duration", "date", "number", "boolean", "code", "text", "channels"]

    /// What a form asks for: by the last key, as `schedule.yaml` is read.
    private static func kind(_ steps: [String], _ value: JSON) -> String {
        switch value {
        case .bool: return "boolean"
        case .number: return "number"
        default: break
        }
        switch steps.last(where: { $0.contains { !$0.isNumber } }) {
        case "open", "from", "to": return "time"
        case "due_after", "close_after", "visible_before", "minimum_gap", "after_open", "before_due",
            "before_close", "after_anchor":
            return "duration"
        case "study_date": return "date"
        case "id", "questionnaire", "arms", "phase", "anchor", "zone_policy", "late_policy", "recurrence",
            "completion", "first_completion", "event", "reminders":
            return "code"
        default: return "text"
        }
    }

    // MARK: - Texts

    /// All words of the text files, of the study first.
    private var words: [JSON] {
        let paths = documents.keys.filter { Self.language(ofWords: $0) != nil }
        let own = paths.filter { $0.hasPrefix(folder) }.sorted()
        return (own + paths.filter { !$0.hasPrefix(folder) }.sorted()).map { path in
            let entries = Self.leaves(documents[path] ?? .null, []).compactMap { steps, value -> JSON? in
                guard let text = Self.word(value) else { return nil }
                return ["pointer": .string(YAMLEditor.pointer(steps)), "text": .string(text)]
            }
            return [
                "language": .string(Self.language(ofWords: path) ?? ""), "file": .string(path),
                "entries": .array(entries),
            ]
        }
    }

    /// A label can look like a number.
    private static func word(_ value: JSON) -> String? {
        switch value {
        case .string(let text): text
        case .number, .bool: value.text
        case .null, .array, .object: nil
        }
    }

    /// The language in `…/text.<language>.yaml` and `…/course.<language>.yaml`.
    private static func language(ofWords path: String) -> String? {
        let parts = (path.split(separator: "/").last ?? "").split(separator: ".")
        guard parts.count == 3, ["text", "course"].contains(parts[0]), parts[2] == "yaml" else { return nil }
        let language = String(parts[1])
        return PackPath.isLanguage(language) ? language : nil
    }

    /// The single values below a value, with their steps.
    private static func leaves(_ value: JSON, _ steps: [String]) -> [(steps: [String], value: JSON)] {
        switch value {
        case .object(let object): object.flatMap { leaves($0.value, steps + [$0.name]) }
        case .array(let elements):
            elements.enumerated().flatMap { leaves($0.element, steps + [String($0.offset)]) }
        case .null, .bool, .number, .string: [(steps, value)]
        }
    }

    // MARK: - Schema

    static let schema = Schema.named(
        "DraftOutline",
        .object([
            .required("version", .nullable(.string()), "The version that study.yaml states."),
            .required("title", .string(), "The title in the first language, or the code."),
            .required("languages", .array(of: .string()), "The languages of the study."),
            .required(
                "questionnaires",
                .array(
                    of: .object([
                        .required("code", .string(), "The code of the questionnaire."),
                        .required("version", .string(), "The version of the questionnaire."),
                        .required("folder", .string(), "The folder of its files, with / at the end."),
                        .required("words", .map(of: .string()), "The text file for each language."),
                        .required(
                            "items",
                            .array(
                                of: .object([
                                    .required("link_id", .string(), "The linkId of the item."),
                                    .required("type", .nullable(.string()), "The type of the item."),
                                    .required(
                                        "text", .map(of: .string()),
                                        "The question for each language. Its pointer is /items/ and the linkId."
                                    ),
                                ])), "The items in their order; those of a group follow the group."),
                    ])), "The questionnaires that study.yaml names."),
            .required(
                "settings",
                .array(
                    of: .object([
                        .required("name", .string(), "The keys in study.yaml, with /."),
                        .required("file", .string(), "The path of study.yaml."),
                        .required("pointer", .string(), "The JSON Pointer in the file."),
                        .required(
                            "value", .any,
                            "A text, a number or a list of texts; null if the file does not have the value."),
                        .required("kind", .string(values: kinds), "What the value is."),
                    ])),
                "The length of the study, its target, and the daily reminder with the list of its channels."),
            .required(
                "schedules",
                .array(
                    of: .object([
                        .required("code", .nullable(.string()), "The id of the schedule."),
                        .required("questionnaire", .nullable(.string()), "The code of the questionnaire."),
                        .required("file", .string(), "The file of the schedules."),
                        .required(
                            "fields",
                            .array(
                                of: .object([
                                    .required("name", .string(), "The keys below the schedule, with /."),
                                    .required("pointer", .string(), "The JSON Pointer in the file."),
                                    .required("value", .any, "A text, a number, true, false or null."),
                                    .required("kind", .string(values: kinds), "What the value is."),
                                ])), "Its single values."),
                    ])), "The schedules."),
            .required(
                "text",
                .array(
                    of: .object([
                        .required("language", .string(), "The language of the file."),
                        .required("file", .string(), "The path of the file."),
                        .required(
                            "entries",
                            .array(
                                of: .object([
                                    .required("pointer", .string(), "The JSON Pointer in the file."),
                                    .required("text", .string(), "The words."),
                                ])), "The words in the order of the file."),
                    ])), "The text files: those of the study first, then those of questionnaires."),
        ]))
}
