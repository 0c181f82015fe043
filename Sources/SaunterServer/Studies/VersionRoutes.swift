import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes for the versions of a study: the list, and the effect of a version on enrolled participants.
struct VersionRoutes: Sendable {
    let context: ServerContext

    /// The number of participants after which the comparison ends. It can compare up to one page more.
    private static let maximumParticipants = 1000

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/versions", who: .member, tag: "Drafts",
            summary: "List the versions of a study, newest first",
            description: """
                Also lists the editions of the library, on the first page. \
                `POST /v1/studies/{study}/versions/{version}/moves` moves the participants of `behind`.
                """,
            parameters: [.study], query: [.limit, .cursor],
            outcomes: [
                .json(
                    .ok, "A page of versions.",
                    .page(
                        of: Self.versionSchema,
                        [
                            .required(
                                "editions",
                                .array(
                                    of: .object([
                                        .required("edition", .integer(min: 1), "The number of the edition."),
                                        .required("published_at", .instant, "When it was published."),
                                    ])), "The editions of the library, newest first."),
                            .required(
                                "behind", .integer(min: 0),
                                """
                                The number of participants who follow another version than the live one, and have \
                                consented to its text.
                                """),
                        ]))
            ], problems: [.notFound]
        ) { call in
            let code = try call.text("study")
            // A study with only a draft has no versions.
            let live = try await context.store.findStudy(code)?.liveVersion
            let all = try await context.store.listVersionSummaries(of: code)
            let after = try call.cursor(parts: 1)?.parts[0]
            let start = try after.map { last in
                guard let index = all.firstIndex(where: { $0.version == last }) else {
                    throw Problem.invalidCursor
                }
                return index + 1
            }
            let page = all.dropFirst(start ?? 0).prefix(call.pageLimit)
            let hasMore = page.endIndex < all.count
            let editions = try await after == nil ? context.store.listEditions(of: code) : []
            var behind = 0
            if let live, let published = try await context.catalogue.find(code, version: live) {
                behind = try await context.store.countEnrolmentsBehind(published.study)
            }
            return .page(
                page.map { version in
                    [
                        "version": .string(version.version), "published_at": .instant(version.publishedAt),
                        "digest": .string(version.digest), "live": .bool(version.version == live),
                        "enrolments": .int(version.enrolments),
                    ]
                }, next: hasMore ? page.last.map { Cursor([$0.version]) } : nil,
                path: "/v1/studies/\(code)/versions", query: call.pageQuery,
                publicURL: context.configuration.publicURL,
                more: [
                    "editions": .array(
                        editions.map {
                            ["edition": .int($0.edition), "published_at": .instant($0.publishedAt)]
                        }), "behind": .int(behind),
                ])
        }
    }

    private static let versionSchema = Schema.named(
        "StudyVersion",
        .object([
            .required("version", .string(), "Three numbers, such as `1.0.0`."),
            .required("published_at", .instant, "When the version was published."),
            .required("digest", .string(), "The SHA-256 of the files."),
            .required("live", .boolean, "True if new participants join this version."),
            .required(
                "enrolments", .integer(min: 0), "The number of active enrolments that follow the version."),
        ]))

    var preview: Route {
        Route(
            .get, "/v1/studies/{study}/versions/{version}/preview", who: .researcher, tag: "Monitoring",
            summary: "Preview the effect of a published version on enrolled participants",
            description: """
                Counts how many occasions would be moved, cancelled and added, by schedule and arm, if all \
                participants followed this version now. Nothing is written. The server compares complete plans, not \
                only stored occasions, up to 366 days ahead. If all participants together would have more than two \
                million occasions, it compares fewer days, but at least 14; `through` is then the last date that it \
                compared. In a large study it compares the first 1000 participants, and `complete` is false.
                In a blinded study, `arm` is a letter for callers who may not see arms.
                """,
            parameters: [
                .study, .text("version", "A published version of the study.", example: "1.0.0"),
            ],
            outcomes: [.json(.ok, "The effect of the version at this time.", Self.schema)],
            problems: [.notFound]
        ) { call in
            let code = try call.text("study")
            guard
                let published = try await context.catalogue.find(code, version: call.text("version"))
            else { throw Problem(.notFound) }
            let effect = try await context.store.previewEffect(
                of: published.study,
                loadVersion: { try await context.catalogue.find(code, version: $0)?.study },
                now: call.now, limit: Self.maximumParticipants)
            let view = try await context.armView(of: code, for: call.caller)
            return .json(.ok, effect.json(view))
        }
    }

    private static let counts = Schema.object([
        .required("moved", .integer(min: 0), "The number of occasions whose window moves."),
        .required("cancelled", .integer(min: 0), "The number of occasions that are cancelled."),
        .required("added", .integer(min: 0), "The number of occasions that are added."),
        .required(
            "told_before", .integer(min: 0),
            "The number of occasions that are moved to another day or cancelled after a daily mail announced them."
        ),
        .required(
            "reminded_again", .integer(min: 0), "Always 0: an announced occasion is not announced again."),
        .required(
            "open", .integer(min: 0),
            "The number of occasions that are open and unanswered now. They do not change."),
    ])

    static let schema = Schema.named(
        "PublicationEffect",
        .object([
            .required(
                "enrolments", .integer(min: 0), "The number of participants who would follow the version."),
            .required(
                "awaiting_consent", .integer(min: 0),
                "The number of participants who first have to consent to the new consent text."),
            .required("complete", .boolean, "True if the server compared all participants."),
            .required(
                "through", .nullable(.string(format: .date)),
                """
                The last date that the server compared, if the plan of a participant continues after it; otherwise \
                null. It is 14 to 366 days ahead, so that both versions together have at most two million occasions.
                """),
            .required(
                "lost_arms",
                .array(
                    of: .object([
                        .required("arm", .string(), "The code of the arm that the version removes."),
                        .required(
                            "participants", .integer(min: 1), "The number of participants in this arm."),
                    ])),
                """
                Arms that the version does not contain, with the number of participants in them. These participants \
                get no occasions of schedules that are limited to an arm.
                """
            ),
            .required("total", counts, "The sums over all schedules and arms."),
            .required(
                "schedules",
                .array(
                    of: .object([
                        .required("schedule", .string(), "The code of the schedule."),
                        .required("arm", .string(), "The code of the arm."),
                        .required("occasions", counts, "The affected occasions."),
                    ])), "The effect on each schedule in each arm."),
        ]))
}

extension PublicationEffect {
    /// The effect as JSON, with the member names of the API.
    /// - Parameter arms: how arms are named. Entries are in the order of these names.
    package func json(_ arms: ArmView = .codes) -> JSON {
        let lost = lostArms.map { (arm: arms.name($0.key), participants: $0.value) }.sorted {
            $0.arm < $1.arm
        }
        let named = lines.map {
            (schedule: $0.group.schedule, arm: arms.name($0.group.arm), counts: $0.counts)
        }
        .sorted { ($0.schedule, $0.arm) < ($1.schedule, $1.arm) }
        return [
            "enrolments": .int(enrolments), "awaiting_consent": .int(awaitingConsent),
            "complete": .bool(isComplete), "through": .optional(through) { .string($0.description) },
            "lost_arms": .array(
                lost.map { ["arm": .string($0.arm), "participants": .int($0.participants)] }),
            "total": total.json,
            "schedules": .array(
                named.map { line in
                    [
                        "schedule": .string(line.schedule), "arm": .string(line.arm),
                        "occasions": line.counts.json,
                    ]
                }),
        ]
    }
}

extension PublicationEffect.Counts {
    fileprivate var json: JSON {
        [
            "moved": .int(moved), "cancelled": .int(cancelled), "added": .int(added),
            "told_before": .int(alreadyAnnounced), "reminded_again": .int(0), "open": .int(open),
        ]
    }
}
