import Foundation
import HTTPTypes
import SaunterCore

/// Where a page of a list that is sorted by moment and id goes on: after this entry.
struct PagePlace: Sendable {
    var moment: Instant
    var id: UUID

    var cursor: Cursor { Cursor([String(moment.milliseconds), id.uuidString.lowercased()]) }
}

extension Call {
    /// The place that `cursor` names; throws `request-invalid` for one that no page gave out.
    func place() throws(Problem) -> PagePlace? {
        guard let cursor = try cursor(parts: 2) else { return nil }
        guard let milliseconds = Int64(cursor.parts[0]), let id = ID<PagePlace>(cursor.parts[1]) else {
            throw Problem(
                .requestInvalid,
                Faults([
                    Fault(pointer: "/cursor", code: "wrong_format", detail: "It must be the next of a page.")
                ]))
        }
        return PagePlace(moment: Instant(milliseconds: milliseconds), id: id.uuid)
    }
}

extension Call {
    /// What the next page's address repeats of this one's: every parameter but the place.
    var pageQuery: [(name: String, value: String)] {
        queryValues.filter { $0.key != "cursor" }.sorted { $0.key < $1.key }.map {
            name, value in
            let text = value.array?.compactMap(\.string).joined(separator: ",") ?? value.string ?? value.text
            return (name, text)
        }
    }
}

extension Reply {
    /// One page that carries more than its items.
    static func page(
        _ items: [JSON], next: Cursor?, path: String, query: [(name: String, value: String)] = [],
        publicURL: String, more: JSONObject
    ) -> Reply {
        let page = Reply.page(items, next: next, path: path, query: query, publicURL: publicURL)
        var object: JSONObject = ["items": .array(items), "next": .optional(next) { .string($0.text) }]
        for member in more { object[member.name] = member.value }
        return .json(.ok, .object(object), headers: page.headers)
    }
}
