import Foundation
import HTTPTypes
import SaunterCore

/// Where a list goes on, as an opaque text. Made of strings; hostile texts give nil or other strings, so their reader checks them as it
/// would any other input.
package struct Cursor: Sendable, Hashable {
    package let parts: [String]

    package init(_ parts: [String]) {
        self.parts = parts
    }

    /// Base64url of a JSON list.
    package var text: String { Data(JSON.array(parts.map(JSON.string)).bytes).base64URL }

    /// Nil for anything that `text` does not give.
    package init?(_ text: String) {
        guard text.utf8.count <= 512, let data = Data(base64URL: text),
            let list = (try? JSONReader.read(Array(data)))?.array
        else { return nil }
        let parts = list.compactMap(\.string)
        guard parts.count == list.count else { return nil }
        self.parts = parts
    }
}

extension Reply {
    /// One page of a list: `{"items": […], "next": …}`, with a `Link` to the next page. `publicURL` and `path` make that link absolute; `query`
    /// holds the parameters that are kept, without `cursor`.
    package static func page(
        _ items: [JSON], next: Cursor?, path: String, query: [(name: String, value: String)] = [],
        publicURL: String
    ) -> Reply {
        var headers = HTTPFields()
        if let next {
            let pairs = (query + [("cursor", next.text)]).map { name, value in
                "\(PercentEncoding.encode(name))=\(PercentEncoding.encode(value))"
            }
            headers[.link] = "<\(publicURL)\(path)?\(pairs.joined(separator: "&"))>; rel=\"next\""
        }
        let body: JSON = ["items": .array(items), "next": .optional(next) { .string($0.text) }]
        return .json(.ok, body, headers: headers)
    }
}

extension Schema {
    /// The shape of every list.
    package static func page(of item: Schema) -> Schema {
        .object([
            .required("items", .array(of: item)),
            .required("next", .nullable(.string()), "The cursor of the next page; null on the last."),
        ])
    }
}

extension Call {
    /// `cursor`, read; throws `request-invalid` for a text that no page gave out.
    package func cursor(parts count: Int) throws(Problem) -> Cursor? {
        guard let text = query("cursor") else { return nil }
        guard let cursor = Cursor(text), cursor.parts.count == count else {
            throw Problem(
                .requestInvalid,
                Faults([
                    Fault(pointer: "/cursor", code: "wrong_format", detail: "It must be the next of a page.")
                ]))
        }
        return cursor
    }
}
