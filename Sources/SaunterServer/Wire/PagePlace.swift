import Foundation
import HTTPTypes
import SaunterCore

/// Where a page of a list that is sorted by moment and id begins: after this entry. Opaque to clients.
struct PagePlace: Sendable {
    var moment: Instant
    var id: UUID

    init(moment: Instant, id: UUID) {
        self.moment = moment
        self.id = id
    }

    /// Nil for what this server did not make.
    init?(cursor: String) {
        let parts = cursor.split(separator: "~", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 20, let milliseconds = Int64(parts[0]),
            let id = ID<PagePlace>(parts[1])
        else { return nil }
        moment = Instant(milliseconds: milliseconds)
        self.id = id.uuid
    }

    var cursor: String { "\(moment.milliseconds)~\(id.uuidString.lowercased())" }
}

extension Call {
    /// The place that `cursor` names; 400 for a cursor of our own making only.
    func place() throws(Problem) -> PagePlace? {
        guard let cursor = query("cursor") else { return nil }
        guard let place = PagePlace(cursor: cursor) else {
            throw Problem(
                .requestInvalid, faults: [Fault(pointer: "cursor", code: "unknown_cursor", detail: "Take `next` of a page.")])
        }
        return place
    }
}

extension Reply {
    /// One page, with the next page's address in the header as well.
    static func page(_ items: [JSON], next: String?, path: String, more: JSONObject = [:]) -> Reply {
        var object: JSONObject = ["items": .array(items), "next": .optional(next, JSON.string)]
        for member in more { object[member.name] = member.value }
        var headers: HTTPFields = [:]
        if let next { headers[.link] = "<\(path)?cursor=\(next)>; rel=\"next\"" }
        return .json(.ok, .object(object), headers: headers)
    }
}
