import SaunterCore
import SaunterStore

/// The body of a webhook request about one message. It names the participant by the pseudonym and contains subject and
/// text.
struct WebhookPayload: Sendable {
    var message: MessageID
    var enrolment: Enrolment
    var contents: MessageContents
    var subject: String
    var text: String
    /// The message is useless from this time on.
    var expiresAt: Instant

    /// The same for all attempts, so that a receiver can recognise a duplicate.
    var id: String { "msg_\(message)" }

    func json(at now: Instant) -> JSON {
        var kinds: [String] = []
        for key in contents.keys where !kinds.contains(key.kind.rawValue) { kinds.append(key.kind.rawValue) }
        return [
            "type": "reminder.due", "timestamp": .string(now.description),
            "data": [
                "message_id": .string(message.description), "study": .string(enrolment.study),
                "enrolment_id": .string(enrolment.id.description),
                "participant_id": .string(enrolment.participantID),
                "language": .string(enrolment.language), "time_zone": .string(enrolment.zone.id),
                "kinds": .array(kinds.map(JSON.string)),
                "notices": .array(contents.notificationCodes.map(JSON.string)),
                "occasions": .array(
                    contents.occasions.map {
                        [
                            "occasion_id": .string($0.id.description),
                            "questionnaire": .string($0.questionnaire),
                            "opens_at": .string($0.window.openAt.description),
                            "due_at": .string($0.window.dueAt.description),
                            "closes_at": .string($0.window.closeAt.description),
                        ]
                    }),
                "subject": .string(subject), "text": .string(text),
                "expires_at": .string(expiresAt.description),
            ],
        ]
    }
}
