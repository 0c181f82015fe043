import Foundation
import HTTPTypes
import SaunterCore

/// A position in a list, as an opaque text. A client can send any text, so the route that reads the parts must check
/// them.
package struct Cursor: Sendable, Hashable {
    /// The values by which the list is sorted, taken from the last item of a page.
    package let parts: [String]

    /// Creates a cursor after the item with these values.
    package init(_ parts: [String]) {
        self.parts = parts
    }

    /// The parts as a JSON list, in base64url.
    package var text: String { Data(JSON.array(parts.map(JSON.string)).bytes).base64URL }

    /// Nil if the text does not have the format of `text`.
    package init?(_ text: String) {
        guard text.utf8.count <= 512, let data = Data(base64URL: text),
            let list = (try? JSONReader.read(Array(data)))?.array
        else { return nil }
        let parts = list.compactMap(\.string)
        guard parts.count == list.count else { return nil }
        self.parts = parts
    }
}

/// A position in a list that is sorted by time and id: after the entry with this time and id.
struct ListPosition: Sendable {
    var moment: Instant
    var id: UUID

    var cursor: Cursor { Cursor([String(moment.milliseconds), id.uuidString.lowercased()]) }
}

extension Problem {
    /// The error for a `cursor` that no page contained.
    package static var invalidCursor: Problem {
        Problem(
            .requestInvalid,
            Faults([
                Fault(
                    pointer: "/cursor", code: "wrong_format",
                    detail: "The cursor must be the value of next from a page of this list.")
            ]))
    }
}

extension Call {
    /// The query parameter `cursor`; nil if it is absent.
    /// - Parameter count: the number of its parts.
    /// - Throws: `request-invalid` for a text that is not a cursor with so many parts.
    package func cursor(parts count: Int) throws(Problem) -> Cursor? {
        guard let text = query("cursor") else { return nil }
        guard let cursor = Cursor(text), cursor.parts.count == count else { throw .invalidCursor }
        return cursor
    }

    /// The query parameter `cursor` of a list that is sorted by time and id; nil if it is absent.
    /// - Throws: `request-invalid` for a text that is not such a cursor.
    func listPosition() throws(Problem) -> ListPosition? {
        guard let cursor = try cursor(parts: 2) else { return nil }
        guard let milliseconds = Int64(cursor.parts[0]), let id = ID<ListPosition>(cursor.parts[1]) else {
            throw .invalidCursor
        }
        return ListPosition(moment: Instant(milliseconds: milliseconds), id: id.uuid)
    }

    /// The query parameters for the link to the next page: all parameters of this request except `cursor`. Commas
    /// separate the values of a list, or of a parameter that occurs several times.
    package var pageQuery: [(name: String, value: String)] {
        queryValues.filter { $0.key != "cursor" }.sorted { $0.key < $1.key }.map { name, value in
            let text = value.array?.compactMap(\.string).joined(separator: ",") ?? value.string ?? value.text
            return (name, text)
        }
    }
}

extension Reply {
    /// One page of a list: `{"items": […], "next": …}`, with a `Link` header to the next page.
    /// - Parameters:
    ///   - next: the position after the last item; nil on the last page.
    ///   - path: the path of the list.
    ///   - query: the query parameters of the next page without `cursor`; see `Call.pageQuery`.
    ///   - more: further members of the page.
    package static func page(
        _ items: [JSON], next: Cursor?, path: String, query: [(name: String, value: String)] = [],
        publicURL: String, more: JSONObject = [:]
    ) -> Reply {
        var headers = HTTPFields()
        if let next {
            let pairs = (query + [("cursor", next.text)]).map { name, value in
                "\(PercentEncoding.encode(name))=\(PercentEncoding.encode(value))"
            }
            headers[.link] = "<\(publicURL)\(path)?\(pairs.joined(separator: "&"))>; rel=\"next\""
        }
        var body: JSONObject = ["items": .array(items), "next": .optional(next) { .string($0.text) }]
        for member in more { body[member.name] = member.value }
        return .json(.ok, .object(body), headers: headers)
    }
}

extension Schema {
    /// The schema of one page of a list.
    /// - Parameter more: further members of the page.
    package static func page(of item: Schema, _ more: [Schema.Member] = []) -> Schema {
        .object(
            [
                .required("items", .array(of: item), "The entries of this page."),
                .required(
                    "next", .nullable(.string()), "The cursor of the next page; null on the last page."),
            ] + more)
    }
}
