import SaunterCore
import SaunterPacks
import SaunterStore

/// A collection of a draft in requests and responses.
struct DraftCollection {
    private let code: String
    private let draft: StudyDraft
    /// Nil if the files cannot be read.
    private let table: CollectionTable?

    init(_ code: String, of draft: StudyDraft) {
        self.code = code
        self.draft = draft
        // The faults of the files are in the check of the draft.
        table =
            (try? CollectionTable(code, in: draft.pack, study: draft.study, languages: draft.languages))
            .flatMap(\.self)
    }

    /// The path of the collection's own file.
    static func path(_ code: String, of draft: StudyDraft) -> String {
        "studies/\(draft.study)/" + PackPath.library + "\(code).yaml"
    }

    var summary: JSON {
        [
            "collection": .string(code), "title": .object(Self.texts(table?.title ?? [:])),
            "items": .int(table?.items.count ?? 0), "editable": .bool(table?.isEditable ?? false),
        ]
    }

    func json(_ faults: [PackFault]) -> JSON {
        let languages = draft.languages
        let media = draft.files.keys.filter {
            PackPath.isMedia($0) && $0.hasPrefix("studies/\(draft.study)/" + PackPath.library)
        }
        let prefix = "studies/\(draft.study)/" + PackPath.library
        return [
            "collection": .string(code), "title": .object(Self.texts(table?.title ?? [:])),
            "editable": .bool(table?.isEditable ?? false), "languages": .strings(languages),
            "file": .string(Self.path(code, of: draft)),
            "fields": .array((table?.fields ?? []).map(Self.json)),
            "items": .array((table?.items ?? []).map(Self.json)),
            "media": .strings(media.map { String($0.dropFirst(prefix.count)) }.sorted()),
            "revision": .int(draft.revision), "faults": .array(faults.map(\.json)),
        ]
    }

    private static func texts(_ texts: [String: String]) -> JSONObject {
        JSONObject(
            texts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
                .init(name: $0.key, value: .string($0.value))
            })
    }

    private static func json(_ field: ContentField) -> JSON {
        [
            "name": .string(field.name), "type": .string(field.kind.rawValue),
            "per_language": .bool(field.kind.isPerLanguage),
            "max_length": .optional(field.maximumLength ?? field.kind.maximumLength, JSON.int),
            "media_kind": .optional(field.mediaKind?.rawValue, JSON.string),
            "columns": .strings(field.columns),
        ]
    }

    private static func json(_ item: CollectionTable.Item) -> JSON {
        let words = item.words.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return [
            "id": .string(item.id), "values": .object(texts(item.values)),
            "words": .object(
                JSONObject(words.map { .init(name: $0.key, value: .object(texts($0.value))) })),
        ]
    }

    // MARK: Requests

    /// An item of a request. Unknown columns and languages are faults.
    static func item(
        _ json: JSON, id: String, _ pointer: String, _ table: CollectionTable, _ faults: inout [Fault]
    ) -> CollectionTable.Item {
        if !isID(id) {
            faults.append(
                Fault(
                    pointer: pointer + "/id", code: "not_a_value",
                    detail: "An id has 1 to 80 lower-case letters, digits, _ and -."))
        }
        let known = Set(CollectionTable.ownColumns + table.columns)
        let perLanguage = Set(table.fields.filter(\.kind.isPerLanguage).flatMap(\.columns))
        func cells(_ json: JSON?, _ pointer: String, _ columns: Set<String>) -> [String: String] {
            var cells: [String: String] = [:]
            for member in json?.object ?? [:] {
                if columns.contains(member.name) {
                    cells[member.name] = (member.value.string ?? "").replacing("\r\n", with: "\n")
                } else {
                    faults.append(
                        Fault(
                            pointer: "\(pointer)/\(member.name)", code: "unknown_member",
                            detail: "The collection has no such field here."))
                }
            }
            return cells
        }
        var words: [String: [String: String]] = [:]
        for member in json["words"]?.object ?? [:] {
            let place = "\(pointer)/words/\(member.name)"
            guard table.languages.contains(member.name) else {
                faults.append(
                    Fault(
                        pointer: place, code: "unknown_member", detail: "The study has no such language."))
                continue
            }
            words[member.name] = cells(member.value, place, perLanguage)
        }
        return CollectionTable.Item(
            id: id, values: cells(json["values"], pointer + "/values", known), words: words)
    }

    private static func isID(_ id: String) -> Bool {
        (1...80).contains(id.utf8.count)
            && id.utf8.allSatisfy {
                (97...122).contains($0) || (48...57).contains($0) || "_-".utf8.contains($0)
            }
    }

    static let example: JSON = [
        "id": "patience", "values": ["tags": "calm"],
        "words": [
            "en": ["body": "Grass does not grow faster if one pulls it."],
            "de": ["body": "Gras wächst nicht schneller, wenn man daran zieht."],
        ],
    ]

    private static let cells = Schema.map(of: .string(maxLength: 50_000))
    private static let members: [Schema.Member] = [
        .optional(
            "values", cells,
            "Column -> text for all languages: a field, `field.variant`, `tags`, `arms` or `entitlement`."),
        .optional("words", .map(of: cells), "Language -> column -> text."),
    ]

    static let itemSchema = Schema.named(
        "DraftItem",
        .object(
            [.required("id", .string(minLength: 1, maxLength: 80), "Unique in the collection.")] + members))

    static let newItemSchema = Schema.named(
        "DraftItemChange",
        .object(
            [
                .optional("id", .string(maxLength: 80), "Ignored; the path has the id."),
                .optional(
                    "position", .integer(min: 0, max: ContentCollection.maximumItems),
                    "The index among all items, from 0."),
            ] + members))

    static let summarySchema = Schema.named(
        "DraftCollectionSummary",
        .object([
            .required("collection", .string(), "The code of the collection."),
            .required("title", .map(of: .string()), "Language -> title; empty if it cannot be read."),
            .required("items", .integer(min: 0), "The number of items."),
            .required("editable", .boolean, "Whether these routes can change the items."),
        ]))

    static let schema = Schema.named(
        "DraftCollection",
        .object([
            .required("collection", .string(), "The code of the collection."),
            .required("title", .map(of: .string()), "Language -> title; empty if it cannot be read."),
            .required("editable", .boolean, "Whether these routes can change the items."),
            .required("languages", .array(of: .string()), "The languages of the study."),
            .required("file", .string(), "The path of the collection's file."),
            .required(
                "fields",
                .array(
                    of: .object([
                        .required("name", .string(), "The name of the field."),
                        .required("type", .string(), "The type, such as text or media."),
                        .required(
                            "per_language", .boolean, "Whether the values can differ between languages."),
                        .required(
                            "max_length", .nullable(.integer(min: 1)), "The maximum number of characters."),
                        .required("media_kind", .nullable(.string()), "The kind of media."),
                        .required(
                            "columns", .array(of: .string()), "The name of the field, or one per variant."),
                    ])), "In the order of the pack."),
            .required("items", .array(of: itemSchema), "In the order of the collection."),
            .required("media", .array(of: .string()), "The files in `library/media`, as values name them."),
            .required("revision", .integer(min: 1), "The revision of the draft."),
            .required("faults", .array(of: PackFault.schema), "The faults in the files of the collection."),
        ]))
}
