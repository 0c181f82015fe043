import Foundation
import SaunterCore
import SaunterStore

/// The response body for an enrolment.
struct EnrolmentResponse {
    var enrolment: Enrolment
    var study: Study
    /// When the current pause began; nil if the participant has not paused.
    var pausedSince: Instant?
    /// The participant's permissions. Empty if the study has no data kinds.
    var grants: [DataKindGrant]
    /// The functions of the app; see `FeatureResponse`.
    var features: JSON

    init(
        _ enrolment: Enrolment, study: Study, pausedSince: Instant? = nil, grants: [DataKindGrant],
        features: JSON
    ) {
        self.enrolment = enrolment
        self.study = study
        self.pausedSince = pausedSince
        self.grants = grants
        self.features = features
    }

    var json: JSON {
        let arm: JSON = study.allocation.isConcealed ? .null : .string(enrolment.arm)
        let guidance =
            study.allocation.isConcealed ? nil : study.text[enrolment.language]?.arms[enrolment.arm]
        return [
            "enrolment_id": .id(enrolment.id), "participant_id": .string(enrolment.participantID),
            "study": .string(enrolment.study), "study_version": .string(enrolment.studyVersion), "arm": arm,
            "guidance": .optional(guidance) { ["title": .string($0.title), "text": .string($0.text)] },
            "consent_version": .string(enrolment.consentVersion),
            "consented_at": .instant(enrolment.consentedAt),
            "enrolled_at": .instant(enrolment.enrolledAt), "time_zone": .string(enrolment.zone.id),
            "language": .string(enrolment.language), "status": .string(enrolment.state.rawValue),
            "paused": .bool(pausedSince != nil), "paused_since": .instant(pausedSince),
            "ended_at": .instant(enrolment.endedAt),
            "reminder": [
                "time": .optional(enrolment.reminderAt ?? study.reminder?.at) { .string($0.description) },
                "on": .bool(enrolment.remindersOn),
                "channels": .array(enrolment.channels.map { .string($0.rawValue) }),
                "next_at": .instant(pausedSince != nil ? nil : enrolment.nextReminderAt),
            ],
            "data_kinds": .object(
                JSONObject(
                    study.dataKinds.map { kind in
                        JSONObject.Member(
                            name: kind.code,
                            value: .optional(grants.permittedSince(kind.code)) {
                                ["granted_at": .instant($0)]
                            })
                    })),
            "features": features,
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
                    ])),
                "The text of the study for the participant's arm; null if there is none, or if the study conceals the arm."
            ),
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
                "paused_since", .nullable(.instant), "When the current pause began; null if there is none."),
            .required(
                "ended_at", .nullable(.instant),
                "When the participant left the study; null while the participant takes part."),
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
            .required(
                "data_kinds",
                .map(
                    of: .nullable(
                        .object([
                            .required("granted_at", .instant, "When the participant permitted the kind.")
                        ]))),
                """
                For each kind of data of the study, when the participant permitted it; null if the participant does \
                not permit it.
                """),
            .required(
                "features", .array(of: FeatureResponse.schema),
                "The functions of the app, in the order of its navigation."),
        ]))

    /// The schema of `data_kinds` in requests.
    static let permissions = Schema.map(of: .boolean)
}

extension ServerContext {
    /// The response body for an enrolment.
    func response(_ enrolment: Enrolment, study: Study, pausedSince: Instant? = nil) async throws -> JSON {
        EnrolmentResponse(
            enrolment, study: study, pausedSince: pausedSince,
            grants: study.dataKinds.isEmpty ? [] : try await store.listDataKindGrants(of: enrolment.id),
            features: try await features(of: study, enrolment)
        ).json
    }
}
