import Crypto
import Foundation
import SaunterCore

/// What a device shows, and what its app opens. The form is that of declarative Web Push, which some systems show by themselves; a service worker
/// reads the same.
struct PushNote: Sendable, Hashable {
    var title: String
    var body: String
    var language: String
    /// Where a tap leads.
    var url: String
    var message: MessageID
    var enrolment: EnrolmentID
    var occasions: [OccasionID]
    /// From then on it tells of nothing that could be answered.
    var closesAt: Instant

    private static let mostOccasions = 20
    private static let mostTitle = 200

    /// At most so many bytes; what is too long is cut.
    func json(within most: Int) -> [UInt8] {
        var note = self
        note.title = String(title.prefix(Self.mostTitle))
        while true {
            let bytes = note.json.bytes
            if bytes.count <= most || note.body.isEmpty { return Array(bytes) }
            note.body = String(note.body.prefix(note.body.count / 2))
        }
    }

    private var json: JSON {
        [
            "web_push": 8030,
            "notification": [
                "title": .string(title), "body": .string(body), "lang": .string(language),
                "navigate": .string(url), "tag": .string(topic),
                "data": [
                    "message_id": .string(message.description),
                    "enrolment_id": .string(enrolment.description),
                    "occasion_ids": .array(
                        occasions.prefix(Self.mostOccasions).map { .string($0.description) }),
                    "closes_at": .string(closesAt.description),
                ],
            ],
        ]
    }

    /// The same for all messages about the same occasions, so that one that was not delivered yet makes way for the next; at most 32 characters of
    /// base64url, from which nothing can be told.
    var topic: String {
        let about = occasions.map(\.description).sorted().joined(separator: ",")
        let digest = SHA256.hash(data: Data("\(enrolment)|\(about)".utf8))
        return String(Data(digest).base64URL.prefix(32))
    }
}
