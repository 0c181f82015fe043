import Crypto
import Foundation
import SaunterCore

/// The content of a push message: what the device shows and what its app opens. The format is declarative Web Push,
/// which some systems show without a service worker. A service worker reads the same format.
struct PushPayload: Sendable, Hashable {
    var title: String
    var body: String
    var language: String
    /// The public URL of the server: the beginning of the URL that a tap opens.
    var publicURL: String
    var message: MessageID
    var enrolment: EnrolmentID
    var occasions: [OccasionID]
    /// From this time on the message is useless (`closes_at` in the payload).
    var expiresAt: Instant
    /// The URL that a tap opens, for the message of a rule; nil: the page of the occasions.
    var url: String?

    private static let maximumOccasions = 20
    private static let maximumTitleCharacters = 200

    /// The JSON in at most `maximumBytes` bytes. The title and the body are cut if they are too long.
    func json(maximumBytes: Int) -> [UInt8] {
        var payload = self
        payload.title = String(title.prefix(Self.maximumTitleCharacters))
        while true {
            let bytes = payload.json.bytes
            if bytes.count <= maximumBytes || payload.body.isEmpty { return Array(bytes) }
            payload.body = String(payload.body.prefix(payload.body.count / 2))
        }
    }

    private var json: JSON {
        [
            "web_push": 8030,
            "notification": [
                "title": .string(title), "body": .string(body), "lang": .string(language),
                "navigate": .string(pageURL), "tag": .string(topic),
                "data": [
                    "message_id": .string(message.description),
                    "enrolment_id": .string(enrolment.description),
                    "occasion_ids": .array(
                        occasions.prefix(Self.maximumOccasions).map { .string($0.description) }),
                    "closes_at": .string(expiresAt.description),
                    "url": .optional(url, JSON.string),
                ],
            ],
        ]
    }

    /// The URL that a tap opens.
    private var pageURL: String {
        url ?? MessageURL.page(publicURL: publicURL, enrolment: enrolment, occasions: occasions)
    }

    /// The same for all messages about the same occasions, so that a newer message replaces an undelivered one. A
    /// digest that reveals nothing: 32 characters of base64url.
    var topic: String {
        let occasionIDs = occasions.map(\.description).sorted().joined(separator: ",")
        // The message of a rule replaces no other message.
        let subject = url == nil ? occasionIDs : message.description
        let digest = SHA256.hash(data: Data("\(enrolment)|\(subject)".utf8))
        return String(Data(digest).base64URL.prefix(32))
    }
}
