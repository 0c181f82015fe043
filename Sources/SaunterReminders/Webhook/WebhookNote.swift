import SaunterCore
import SaunterStore

/// What a study's own programs are told of a message: for whom by the pseudonym, about what, and in which words.
struct WebhookNote: Sendable {
    var message: MessageID
    var enrolment: Enrolment
    var contents: MessageContents
    var subject: String
    var text: String
    /// It is of no use from then on.
    var expiresAt: Instant

    /// Stays the same over attempts, so that a receiver can tell that it has this one already.
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
                "notices": .array(contents.notices.map(JSON.string)),
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
