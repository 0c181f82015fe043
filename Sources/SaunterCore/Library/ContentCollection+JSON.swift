/// The JSON of the API.
extension ContentCollection {
    /// The title in a language; the code if there is none.
    package func title(in language: String) -> String {
        title[language] ?? title.sorted { $0.key < $1.key }.first?.value ?? code
    }

    /// The members `collection`, `title`, `items` (their number), `select`, `offline` and `fields`.
    package func summary(in language: String) -> JSONObject {
        var select: [JSON] = []
        if selections.contains(.list) { select.append("list") }
        if selections.contains(.dailyForParticipant) || selections.contains(.dailyForStudy) {
            select.append("daily")
        }
        if selections.contains(.draw) { select.append("draw") }
        return [
            "collection": .string(code), "title": .string(title(in: language)), "items": .int(items.count),
            "select": .array(select), "offline": .bool(isOffline), "fields": fieldsJSON,
        ]
    }

    /// Name and type of each field, in their order.
    package var fieldsJSON: JSON {
        .array(fields.map { ["field": .string($0.name), "type": .string($0.kind.rawValue)] })
    }

    /// An item: `{item, order, fields, variants, locked}`. A locked item has only its heading: the text of the field
    /// `title` or `name`.
    /// - Parameters:
    ///   - order: the position from 1; nil for an item that is not part of a list.
    ///   - variant: the variant of media that comes first; nil for the first of the pack.
    ///   - entitlements: what the reader has.
    ///   - mediaPath: the path of media, to which the digest is appended.
    package func json(
        of item: ContentItem, order: Int? = nil, in language: String, variant: String? = nil,
        entitlements: Set<String>, mediaPath: String
    ) -> JSONObject {
        let isLocked = item.isLocked(for: entitlements)
        var object: JSONObject = ["item": .string(item.id)]
        if let order { object["order"] = .int(order) }
        var values: JSONObject = [:]
        var variants: [JSON] = []
        for field in isLocked ? headings : fields {
            switch item.value(of: field.name, in: language) {
            case .text(let text): values[field.name] = .string(text)
            case .integer(let number): values[field.name] = .int(number)
            case .decimal(let number): values[field.name] = .double(number)
            case .map(let map):
                values[field.name] = .object(
                    JSONObject(
                        map.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) }))
            case .media(let media): values[field.name] = Self.json(of: media, mediaPath)
            case .variants(let files):
                let known = field.variants.filter { files[$0] != nil }
                let first = variant.flatMap { known.contains($0) ? $0 : nil } ?? known.first
                values[field.name] = first.flatMap { files[$0] }.map { Self.json(of: $0, mediaPath) }
                for name in known {
                    guard let file = files[name] else { continue }
                    var one = Self.json(of: file, mediaPath).object ?? [:]
                    one["field"] = .string(field.name)
                    one["variant"] = .string(name)
                    variants.append(.object(one))
                }
            case nil: break
            }
        }
        object["fields"] = .object(values)
        object["variants"] = .array(variants)
        object["locked"] = .bool(isLocked)
        return object
    }

    /// The fields that a locked item shows.
    private var headings: [ContentField] {
        fields.filter { $0.kind == .text && ["title", "name"].contains($0.name) }
    }

    private static func json(of media: ContentMedia, _ path: String) -> JSON {
        [
            "sha256": .string(media.digest), "type": .string(media.format.mediaType),
            "bytes": .int(media.byteCount), "url": .string(path + media.digest),
        ]
    }
}
