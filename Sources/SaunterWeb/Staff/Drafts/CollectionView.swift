import Crypto
import Foundation
import SaunterCore
import SaunterServer

/// The response of `GET /v1/studies/{study}/draft/collections/{collection}` in words.
struct CollectionView {
    /// An item as the form shows it.
    struct Item: Equatable {
        var id = ""
        var values: [String: String] = [:]
        /// Language -> column -> text.
        var words: [String: [String: String]] = [:]

        init() {}

        init(_ json: JSON) {
            id = json["id"]?.string ?? ""
            values = Self.texts(json["values"])
            for member in json["words"]?.object ?? [:] { words[member.name] = Self.texts(member.value) }
        }

        /// - Parameter form: the fields of the request: `id`, `value:<column>` and `word:<language>:<column>`.
        init(form: JSON) {
            id = form["id"]?.string ?? ""
            for member in form.object ?? [:] {
                let parts = member.name.split(separator: ":", maxSplits: 2).map(String.init)
                let text = DraftValuesForm.plain(member.value.string ?? "")
                guard !text.isEmpty else { continue }
                if parts.count == 2, parts[0] == "value" { values[parts[1]] = text }
                if parts.count == 3, parts[0] == "word" { words[parts[1], default: [:]][parts[2]] = text }
            }
        }

        private static func texts(_ json: JSON?) -> [String: String] {
            var texts: [String: String] = [:]
            for member in json?.object ?? [:] { texts[member.name] = member.value.string ?? "" }
            return texts
        }

        /// The item as the API takes it. It always has the values and the words, so that cleared fields are removed.
        var json: JSON {
            func object(_ texts: [String: String]) -> JSON {
                .object(
                    JSONObject(
                        texts.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) }
                    ))
            }
            return [
                "values": object(values),
                "words": .object(
                    JSONObject(
                        words.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: object($0.value)) })
                ),
            ]
        }

        /// Identifies the content, so that a change by another editor is noticed.
        var digest: String { Hex.encode(SHA256.hash(data: Data(json.text.utf8))) }

        /// The first text of the item, preferably in the language.
        func excerpt(_ language: String) -> String {
            let own = words[language] ?? words.sorted { $0.key < $1.key }.first?.value ?? [:]
            let title = own["title"] ?? own["name"]
            let text = title ?? own.sorted { $0.key < $1.key }.first?.value ?? ""
            return text.count > 120 ? String(text.prefix(120)) + "…" : text
        }
    }

    /// A field of the collection.
    struct Field {
        let name: String
        let type: String
        let isPerLanguage: Bool
        let columns: [String]
    }

    let code: String
    let revision: Int
    let isEditable: Bool
    let file: String
    let languages: [String]
    let fields: [Field]
    let items: [Item]
    /// The media files, as values name them.
    let media: [String]
    let faults: [[String: Any]]
    private let titles: JSON?

    init(_ json: JSON, _ visit: DraftVisit) {
        code = json["collection"]?.string ?? ""
        revision = json["revision"]?.int ?? 0
        isEditable = json["editable"]?.bool ?? false
        file = json["file"]?.string ?? ""
        languages = (json["languages"]?.array ?? []).compactMap(\.string)
        fields = (json["fields"]?.array ?? []).map { field in
            Field(
                name: field["name"]?.string ?? "", type: field["type"]?.string ?? "",
                isPerLanguage: field["per_language"]?.bool ?? false,
                columns: (field["columns"]?.array ?? []).compactMap(\.string))
        }
        items = (json["items"]?.array ?? []).map { Item($0) }
        media = (json["media"]?.array ?? []).compactMap(\.string)
        faults = (json["faults"]?.array ?? []).map { DraftView.line($0, visit.address) }
        titles = json["title"]
    }

    func title(_ language: String) -> String? {
        titles?[language]?.string ?? titles?.object?.map(\.value).first?.string
    }

    func item(_ id: String) -> Item? { items.first { $0.id == id } }

    /// The name of a field that many collections have, in words; otherwise its code.
    static func title(of field: Field, _ words: Words.Language) -> String {
        words["collections", "field_\(field.name)"] ?? field.name
    }

    /// The inputs of a field: one for all languages, or one per language.
    /// - Parameter now: what another editor wrote in the meantime; nil if there is no conflict.
    func inputs(
        _ field: Field, _ item: Item, _ now: Item?, _ words: Words.Language
    ) -> [[String: Any]] {
        field.columns.flatMap { column -> [[String: Any]] in
            let title = field.columns.count > 1 ? column : ""
            var inputs: [[String: Any]] = []
            // A field that can differ between languages can also have one value for all of them.
            let hasCommon = !field.isPerLanguage || field.type == "media" || item.values[column] != nil
            if hasCommon {
                let common =
                    field.isPerLanguage ? words.text("collections", "all_languages") : ""
                inputs.append(
                    input(
                        Self.title(of: field, words), field, "value:\(column)", [title, common], nil,
                        item.values[column], now.map { $0.values[column] ?? "" }))
            }
            if field.isPerLanguage {
                inputs += languages.map { language in
                    input(
                        Self.title(of: field, words), field, "word:\(language):\(column)",
                        [title, LanguageName.text(language, in: words.code)], language,
                        item.words[language]?[column], now.map { $0.words[language]?[column] ?? "" })
                }
            }
            return inputs
        }
    }

    /// - Parameter legend: the name of the field, which the page shows above its inputs.
    private func input(
        _ legend: String, _ field: Field, _ name: String, _ title: [String], _ language: String?,
        _ value: String?,
        _ now: String?
    ) -> [String: Any] {
        let value = value ?? ""
        let parts = title.filter { !$0.isEmpty }
        var model: [String: Any] = [
            "id": "f-" + name.replacing(":", with: "-").replacing(".", with: "-"), "name": name,
            "value": value, "title": parts.isEmpty ? legend : parts.joined(separator: " · "),
            "repeats_legend": parts.isEmpty,
        ]
        if let language { model["language"] = language }
        if let now, now != value { model["now"] = ["text": now] }
        switch field.type {
        case "markdown": model["area"] = ["rows": "8"]
        case "text" where value.count > 40 || value.contains("\n"): model["area"] = ["rows": "4"]
        case "media":
            // A path that the draft does not have stays selectable, so that saving does not change it.
            let choices = media + (value.isEmpty || media.contains(value) ? [] : [value])
            model["choice"] = [
                "options": choices.map { path -> [String: Any] in
                    ["path": path, "selected": path == value]
                }
            ]
        default: model["line"] = ["text": true]
        }
        return model
    }
}
