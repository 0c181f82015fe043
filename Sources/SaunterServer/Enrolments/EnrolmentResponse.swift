import Foundation
import SaunterCore
import SaunterStore

/// The response body for an enrolment.
struct EnrolmentResponse {
    var enrolment: Enrolment
    var study: Study
    var paused = false

    init(_ enrolment: Enrolment, study: Study, paused: Bool = false) {
        self.enrolment = enrolment
        self.study = study
        self.paused = paused
    }

    var json: JSON {
        let arm: JSON = study.allocation.concealed ? .null : .string(enrolment.arm)
        let guidance = study.allocation.concealed ? nil : study.text[enrolment.language]?.arms[enrolment.arm]
        return [
            "enrolment_id": .id(enrolment.id), "participant_id": .string(enrolment.participantID),
            "study": .string(enrolment.study), "study_version": .string(enrolment.studyVersion), "arm": arm,
            "guidance": .optional(guidance) { ["title": .string($0.title), "text": .string($0.text)] },
            "consent_version": .string(enrolment.consentVersion),
            "consented_at": .instant(enrolment.consentedAt),
            "enrolled_at": .instant(enrolment.enrolledAt), "time_zone": .string(enrolment.zone.id),
            "language": .string(enrolment.language), "status": .string(enrolment.state.rawValue),
            "paused": .bool(paused), "ended_at": .instant(enrolment.endedAt),
            "reminder": [
                "time": .optional(enrolment.reminderAt ?? study.reminder?.at) { .string($0.description) },
                "on": .bool(enrolment.remindersOn),
                "channels": .array(enrolment.channels.map { .string($0.rawValue) }),
                "next_at": .instant(paused ? nil : enrolment.nextReminderAt),
            ],
        ]
    }

    static let channels = Schema.array(
        of: .string(values: ReminderChannel.allCases.map(\.rawValue)), min: 1,
        max: ReminderChannel.allCases.count)

    static let schema = Schema.named(
        "Enrolment",
        .object([
            .required(
                "enrolment_id", .id, "The id of the enrolment. It is part of the addresses of all records."),
            .required("participant_id", .string(), "The participant's pseudonym in every dataset."),
            .required("study", .string(), "The code of the study."),
            .required("study_version", .string(), "The version of the study that the enrolment follows."),
            .required("arm", .nullable(.string()), "The participant's arm; null if the study conceals it."),
            .required(
                "guidance",
                .nullable(
                    .object([
                        .required("title", .string(), "The heading."),
                        .required("text", .string(), "The text."),
                    ])), "What the participant's arm reads about its study; null if there is no such text."),
            .required(
                "consent_version", .string(), "The version of the consent text that the participant accepted."
            ), .required("consented_at", .instant, "When the participant accepted the consent text."),
            .required("enrolled_at", .instant, "When the participant joined the study."),
            .required("time_zone", .zone, "The IANA time zone in which the participant is now."),
            .required("language", .string(), "The language of texts and mails, a BCP 47 tag such as `de`."),
            .required(
                "status", .string(values: ["active", "stopped", "excluded"]),
                "Whether the participant takes part, has stopped, or is excluded from the data."),
            .required("paused", .boolean, "True while the participant pauses reminders."),
            .required(
                "ended_at", .nullable(.instant),
                "When the participant left the study; null while taking part."),
            .required(
                "reminder",
                .object([
                    .required(
                        "time", .nullable(.string()),
                        "The local time of the reminder, `hh:mm`; null if there is none."),
                    .required("on", .boolean, "Whether reminders are sent."),
                    .required(
                        "channels", channels,
                        """
                        The channels in the participant's order of preference. The server uses the first one that can \
                        reach the participant.
                        """),
                    .required(
                        "next_at", .nullable(.instant),
                        "When the next reminder is sent; null if none is planned."),
                ]), "The daily reminder."),
        ]))
}

/// A participant's pseudonym in the data: the letter `P` and 80 random bits in base 32. The alphabet omits letters that
/// are easily misread. The first character is a letter, so that no tool parses the pseudonym as a number.
enum Pseudonym {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return "P" + String((0..<16).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] })
    }
}
