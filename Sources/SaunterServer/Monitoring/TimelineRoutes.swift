import HTTPTypes
import SaunterCore
import SaunterStore

/// The route for what happened to one participant.
struct TimelineRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/participants/{participant}/timeline", who: .researcher,
            tag: "Monitoring", summary: "List what happened to a participant",
            description: """
                Occasions whose window has opened, answer sheets, edits, walks, calibrations, observations, messages, \
                decisions of rules, alerts, consents, changes of the arm and of the time zone, pauses, study events and \
                permissions, each at its instant by the corrected clock. The list contains no answers, no addresses and \
                no texts of messages. Walks and observations that the participant deleted are left out; a deleted sheet \
                has the state `deleted` and no scores. Titles are in the language of `Accept-Language`. `previous` leads \
                to newer entries, also to those that have arrived since.
                """,
            parameters: [.study, ArmRoutes.participant],
            query: [
                QueryParameter(
                    "kinds", .array(of: .string(values: TimelineKind.allCases.map(\.rawValue))),
                    "Only entries of these kinds."),
                QueryParameter(
                    "from", .string(format: .date),
                    "Only entries from this date on, in the participant's present time zone."),
                QueryParameter(
                    "to", .string(format: .date),
                    "Only entries up to this date, in the participant's present time zone."),
                .limit, .cursor,
            ],
            outcomes: [
                .json(
                    .ok, "Entries, the newest first.",
                    .page(
                        of: TimelineResponse.schema,
                        [
                            .required(
                                "previous", .nullable(.string()),
                                "The cursor of the page with newer entries; null on the first page."),
                            .required("as_of", .instant, "The instant of the states."),
                        ]))
            ], problems: [.notFound]
        ) { call in
            let enrolment = try await context.fetchParticipant(call)
            let position = try Self.position(call)
            let found = try await context.store.listTimeline(
                of: enrolment.id, kinds: Self.kinds(call), period: Self.period(call, in: enrolment.zone),
                at: position, now: call.now, limit: call.pageLimit + 1)
            let page = TimelinePage(found, at: position, limit: call.pageLimit)
            return .page(
                try await items(page.entries, of: enrolment, call), next: page.older.map(Self.cursor),
                path: "\(context.path(of: enrolment))/timeline", query: call.pageQuery,
                publicURL: context.configuration.publicURL,
                more: [
                    "previous": .optional(page.newer.map(Self.cursor)) { .string($0.text) },
                    "as_of": .instant(call.now),
                ])
        }
    }

    private static func kinds(_ call: Call<Identity>) -> [TimelineKind] {
        call.queryList("kinds")?.compactMap { TimelineKind(rawValue: $0) } ?? TimelineKind.allCases
    }

    private static func period(_ call: Call<Identity>, in zone: Zone) -> (from: Instant?, to: Instant?) {
        let from = call.query("from").flatMap { LocalDate($0) }
        let to = call.query("to").flatMap { LocalDate($0) }
        return (from.map(zone.startOfDay), to.map { zone.startOfDay($0.adding(days: 1)) })
    }

    private static func cursor(_ position: TimelinePosition) -> Cursor {
        Cursor([
            position.isNewer ? "newer" : "older", String(position.at.milliseconds), position.kind.rawValue,
            position.id,
        ])
    }

    private static func position(_ call: Call<Identity>) throws(Problem) -> TimelinePosition? {
        guard let cursor = try call.cursor(parts: 4) else { return nil }
        guard ["newer", "older"].contains(cursor.parts[0]), let milliseconds = Int64(cursor.parts[1]),
            let kind = TimelineKind(rawValue: cursor.parts[2])
        else { throw .invalidCursor }
        return TimelinePosition(
            at: Instant(milliseconds: milliseconds), kind: kind, id: cursor.parts[3],
            isNewer: cursor.parts[0] == "newer")
    }

    /// The entries with what other tables know about them.
    private func items(
        _ entries: [TimelineEntry], of enrolment: Enrolment, _ call: Call<Identity>
    ) async throws -> [JSON] {
        let published = try await context.study(of: enrolment)
        let language = context.language(
            call.headers[.acceptLanguage], of: published.study.languages,
            fallback: published.study.languages[0])
        let arms = try await context.armView(of: enrolment.study, for: call.caller)
        var response = TimelineResponse(
            published, language: language, enrolment: enrolment, arms: arms, now: call.now)
        if entries.contains(where: { $0.kind == .occasion }) {
            let all = try await context.store.listOccasions(of: [enrolment.id])[enrolment.id] ?? []
            response.occasions = Dictionary(
                all.map { ($0.id.description, $0) }, uniquingKeysWith: { first, _ in first })
        }
        if entries.contains(where: { $0.kind == .arm }) {
            let changes = try await context.store.listArmChanges(of: enrolment.id)
            response.armChanges = Dictionary(
                changes.map { (String($0.ordinal), $0) }, uniquingKeysWith: { first, _ in first })
        }
        let sheets = entries.filter { $0.kind == .sheet }.compactMap { SheetID($0.id) }
        for (sheet, scores) in try await context.store.listCurrentScores(of: enrolment.id, sheets) {
            response.scores[sheet.description] = scores
        }
        return entries.compactMap(response.json)
    }
}

/// One page of a timeline, and how to reach the pages beside it.
struct TimelinePage {
    /// The newest first.
    let entries: [TimelineEntry]
    /// Nil if there are no older entries.
    let older: TimelinePosition?
    /// Nil on the first page.
    let newer: TimelinePosition?

    /// - Parameters:
    ///   - found: the newest first; one more than `limit` if there are more in the direction of the position.
    ///   - position: nil for the first page.
    init(_ found: [TimelineEntry], at position: TimelinePosition?, limit: Int) {
        let hasMore = found.count > limit
        let isNewer = position?.isNewer ?? false
        entries = Array(isNewer ? found.suffix(limit) : found.prefix(limit))
        let hasOlder = isNewer || hasMore
        // The page from which a newer page was requested is older than it.
        older = hasOlder ? entries.last.map { TimelinePosition($0, isNewer: false) } : nil
        let hasNewer = isNewer ? hasMore : position != nil
        newer = hasNewer ? entries.first.map { TimelinePosition($0, isNewer: true) } : nil
    }
}
