import HTTPTypes
import SaunterCore
import SaunterStore

/// What versions of a study mean for those who are enrolled.
struct VersionRoutes: Sendable {
    let context: ServerContext

    /// A page more may be looked at than this.
    private static let maximumParticipants = 1000

    var preview: Route {
        Route(
            .get, "/v1/studies/{study}/versions/{version}/preview", who: .researcher, tag: "Monitoring",
            summary: "What a published version would do to those who follow another",
            description: """
                Counts of occasions by schedule and arm, were everybody to follow it now; nothing is written. Plans are compared to their end, not only as far as \
                occasions are stored, and a year ahead at most; where that is more than two million occasions for all together, as many days ahead as they \
                reach, and never fewer than 14. Then `through` is the last date that was looked at. Of large studies the first thousand participants are \
                looked at, and `complete` is false.
                """,
            parameters: [
                .study, .text("version", "A published version of the study.", example: "1.0.0"),
            ],
            outcomes: [.json(.ok, "As things stand.", Self.schema)], problems: [.notFound]
        ) { call in
            let code = try call.text("study")
            guard
                let published = try await context.catalogue.find(code, version: call.text("version"))
            else { throw Problem(.notFound) }
            let effect = try await context.store.effect(
                of: published.study,
                former: { try await context.catalogue.find(code, version: $0)?.study },
                now: call.now, limit: Self.maximumParticipants)
            return .json(.ok, effect.json)
        }
    }

    private static let counts = Schema.object([
        .required("moved", .integer(min: 0)), .required("cancelled", .integer(min: 0)),
        .required("added", .integer(min: 0)),
        .required(
            "told_before", .integer(min: 0),
            "Moved to another day, or cancelled, after a daily mail has told of them."),
        .required("reminded_again", .integer(min: 0), "Always 0: what was told of is not told of again."),
        .required("open", .integer(min: 0), "Open now and unanswered: they stay as they are."),
    ])

    static let schema = Schema.named(
        "PublicationEffect",
        .object([
            .required("enrolments", .integer(min: 0), "Participants who would follow the version."),
            .required("awaiting_consent", .integer(min: 0), "Participants who have to consent anew first."),
            .required("complete", .boolean, "Whether everybody was looked at."),
            .required(
                "through", .nullable(.string(format: .date)),
                """
                The last date that was looked at, where somebody's plan goes on after it: 14 to 366 days ahead, so far that \
                no more than two million occasions are laid out for all participants, by both versions.
                """),
            .required(
                "lost_arms",
                .array(
                    of: .object([
                        .required("arm", .string()), .required("participants", .integer(min: 1)),
                    ])),
                "Arms that the version does not have, with the participants who are in them: nothing that is bound to an arm is asked of these."
            ),
            .required("total", counts),
            .required(
                "schedules",
                .array(
                    of: .object([
                        .required("schedule", .string()), .required("arm", .string()),
                        .required("occasions", counts),
                    ]))),
        ]))
}

extension PublicationEffect {
    /// Under the names of the API.
    package var json: JSON {
        [
            "enrolments": .int(enrolments), "awaiting_consent": .int(awaitingConsent),
            "complete": .bool(isComplete), "through": .optional(through) { .string($0.description) },
            "lost_arms": .array(
                lostArms.sorted { $0.key < $1.key }.map {
                    ["arm": .string($0.key), "participants": .int($0.value)]
                }),
            "total": total.json,
            "schedules": .array(
                lines.map { place, counts in
                    [
                        "schedule": .string(place.schedule), "arm": .string(place.arm),
                        "occasions": counts.json,
                    ]
                }),
        ]
    }
}

extension PublicationEffect.Counts {
    fileprivate var json: JSON {
        [
            "moved": .int(moved), "cancelled": .int(cancelled), "added": .int(added),
            "told_before": .int(told), "reminded_again": .int(0), "open": .int(open),
        ]
    }
}
