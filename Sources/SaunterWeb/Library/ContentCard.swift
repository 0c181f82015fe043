import Foundation
import SaunterCore
import SaunterServer

/// One item of a collection as a page shows it.
struct ContentCard {
    /// The fields of the collection in their order: name and type.
    private let fields: [(name: String, type: String)]
    private let item: JSON

    /// - Parameters:
    ///   - item: an item in a response of the library.
    ///   - fields: the member `fields` of a collection's summary.
    init(_ item: JSON, fields: JSON?) {
        self.item = item
        self.fields = (fields?.array ?? []).map { ($0["field"]?.string ?? "", $0["type"]?.string ?? "") }
    }

    private func texts(_ types: Set<String>) -> [(name: String, text: String, type: String)] {
        fields.compactMap { field in
            guard types.contains(field.type), let text = item["fields"]?[field.name]?.string, !text.isEmpty
            else { return nil }
            return (field.name, text, field.type)
        }
    }

    /// The heading: the field `title` or `name`; nil if the collection has none.
    var title: String? {
        texts(["text"]).first { ["title", "name"].contains($0.name) }?.text
    }

    /// The text of the card: the first field that is not the heading.
    private var main: (name: String, text: String, type: String)? {
        let rest = texts(["text", "markdown"]).filter { $0.text != title }
        return rest.first { $0.type == "markdown" } ?? rest.first
    }

    /// The other texts, such as author and source.
    private var details: [String] {
        let shown = main?.name
        return fields.compactMap { field in
            guard field.name != shown, ["text", "markdown", "integer", "decimal"].contains(field.type) else {
                return nil
            }
            let value = item["fields"]?[field.name]
            guard let text = value?.string ?? value?.double.map({ Self.number($0) }), !text.isEmpty,
                text != title
            else { return nil }
            return text
        }
    }

    /// The name of the site of an address: `telefonseelsorge.de`.
    private static func site(_ address: String) -> String {
        let host = URL(string: address)?.host() ?? address
        return host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }

    /// The values for the template `card`. Their names differ from those of pages, because a template also sees the
    /// values of its page.
    /// - Parameter level: the level of the card's heading, one below the heading above it.
    func values(level: Int) -> [String: Any] {
        var card: [String: Any] = ["item": item["item"]?.string ?? "", "card_level": level]
        card["card_title"] = title
        if let main {
            card["card_html"] = main.type == "markdown" ? Markdown.html(main.text) : nil
            card["card_text"] = main.type == "markdown" ? nil : main.text
        }
        if !details.isEmpty { card["card_details"] = details.joined(separator: " · ") }
        card["card_links"] = texts(["url"]).map { ["address": $0.text, "site": Self.site($0.text)] }
        card["card_phones"] = texts(["phone"]).map {
            [
                "number": PhoneNumber($0.text).text,
                "address": "tel:\($0.text.filter { $0 == "+" || $0.isNumber })",
            ]
        }
        card["card_pictures"] = media("image/")
        card["card_sounds"] = media("audio/")
        card["card_films"] = media("video/")
        card["card_locked"] = item["locked"]?.bool == true
        return card
    }

    /// The card for a device without a connection: texts only.
    var plain: JSON {
        [
            "item": item["item"] ?? .null, "title": .optional(title, JSON.string),
            "text": .array(
                (main.map { $0.type == "markdown" ? Markdown.paragraphs($0.text) : [$0.text] } ?? [])
                    .map(JSON.string)),
            "details": .string(details.joined(separator: " · ")),
        ]
    }

    /// The files of one kind. Each file of a field with several variants has its number.
    private func media(_ prefix: String) -> [[String: String]] {
        fields.filter { $0.type == "media" }.flatMap { field -> [[String: String]] in
            let variants = (item["variants"]?.array ?? []).filter { $0["field"]?.string == field.name }
            let files = variants.count > 1 ? variants : [item["fields"]?[field.name]].compactMap(\.self)
            return files.enumerated().compactMap { index, file in
                guard let type = file["type"]?.string, type.hasPrefix(prefix), let url = file["url"]?.string
                else { return nil }
                var values = ["address": url, "type": type]
                if files.count > 1 { values["card_version"] = String(index + 1) }
                return values
            }
        }
    }
}
