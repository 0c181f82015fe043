import Foundation
import HTTPTypes
import SaunterCore

@testable import SaunterServer

/// Items of batch uploads.
enum SampleBatch {
    /// A new id of a record.
    static func newID() -> String { UUID().uuidString.lowercased() }

    /// An item with a sequence number; without one if it is nil.
    static func item(
        _ kind: String, _ body: JSON, id: String = newID(), sequence: Int? = nil
    ) -> JSON {
        let item: JSON = ["kind": .string(kind), "id": .string(id), "body": body]
        return sequence.map { item.with(["sequence": .int($0)]) } ?? item
    }

    /// A body with these items, by a device whose clock shows the time of the fixture.
    static func body(_ items: [JSON], _ changes: JSON = [:]) -> JSON {
        let body: JSON = ["client_now": .instant(ServerFixture.now), "items": .array(items)]
        return body.with(changes)
    }
}

extension Answer {
    /// The results of the items of a batch upload, as JSON or as JSON lines.
    var items: [JSON] {
        guard headers[.contentType] == "application/x-ndjson" else { return json["items"]?.array ?? [] }
        return text.split(separator: "\n").compactMap { try? JSONReader.read(Array($0.utf8)) }
    }

    /// The word for each item of a batch upload, such as `accepted`.
    var results: [String] { items.map { $0["result"]?.string ?? "?" } }
}
