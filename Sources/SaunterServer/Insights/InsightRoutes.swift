import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes for insights: the variables that a study shows, computed from a participant's own data when they are
/// requested.
struct InsightRoutes: Sendable {
    let context: ServerContext

    /// How far `at` may be in the past: one year, in seconds.
    private static let maximumAge = 366 * 86_400

    private static let query: [QueryParameter] = [
        QueryParameter(
            "variables", .array(of: .string(minLength: 1, maxLength: 40)),
            "Only these variables, in this order. Without this parameter: all variables that the caller may read."
        ),
        QueryParameter(
            "at", .string(format: .dateTime),
            "The instant for which the values are computed, within the past year. The default is now. A sheet that has been deleted since then does not count."
        ),
    ]

    var own: Route {
        Route(
            .get, "/v1/enrolments/{id}/insights", who: .participant, tag: "Insights",
            summary: "Compute a participant's insights from their own data",
            description: """
                Returns the variables that the study shows to participants. A value is computed when it is requested, \
                so a late, corrected or deleted sheet changes the next response. A missing value is null and has a \
                `reason`; counts are 0. `n` is the number of entries from which the value was computed. Texts are in the \
                language of the enrolment.
                """,
            parameters: [.enrolment], query: Self.query,
            outcomes: [
                .json(.ok, "The insights.", InsightResponse.schema, headers: [Outcome.entityTag])
            ], problems: [.notFound]
        ) { call in
            let enrolment = try await context.enrolment(call)
            return try await reply(
                call, enrolment, visibleTo: [.participants],
                path: "/v1/enrolments/\(enrolment.id)/insights", language: enrolment.language)
        }
    }

    var ofParticipant: Route {
        Route(
            .get, "/v1/studies/{study}/participants/{participant}/insights", who: .researcher,
            tag: "Insights", summary: "Compute the insights of a participant",
            description: """
                The same values as the participant reads, and also the variables that the study shows to researchers \
                only. Texts are in the first language of the study.
                """,
            parameters: [.study, ArmRoutes.participant], query: Self.query,
            outcomes: [
                .json(.ok, "The insights.", InsightResponse.schema, headers: [Outcome.entityTag])
            ], problems: [.notFound]
        ) { call in
            let enrolment = try await context.fetchParticipant(call)
            let study = try await context.study(of: enrolment).study
            return try await reply(
                call, enrolment, visibleTo: [.participants, .staff],
                path: "/v1/studies/\(study.code)/participants/\(enrolment.participantID)/insights",
                language: study.languages.first ?? enrolment.language)
        }
    }

    private func reply(
        _ call: Call<Identity>, _ enrolment: Enrolment,
        visibleTo visibilities: Set<TailoringVariable.Visibility>, path: String, language: String
    ) async throws -> Reply {
        let published = try await context.study(of: enrolment)
        let at = try instant(call)
        let visible = published.study.variables.filter { visibilities.contains($0.shown) }.map(\.id)
        let wanted = call.queryList("variables") ?? visible
        guard wanted.allSatisfy(visible.contains) else { throw Problem(.notFound) }
        let (values, today) = try await InsightService(context: context).values(
            of: wanted, enrolment, published, at: at)
        let response = InsightResponse(published.study, language: language)
        var tag: EntityTag?
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("items")
            writer.array(values) { writer, value in
                response.write(value, published.variables.shape(of: value.variable), to: &writer)
            }
            // Two requests at different instants have the same tag if the values are the same.
            tag = EntityTag(of: writer.bytes + Array(today.description.utf8))
            writer.member("as_of", .instant(at))
            writer.member("local_date", today.description)
            writer.member("next", .null)
        }
        return .jsonText(writer.bytes, entityTag: tag)
    }

    private func instant(_ call: Call<Identity>) throws(Problem) -> Instant {
        guard let at = call.queryInstant("at") else { return call.now }
        guard at <= call.now, at >= call.now.adding(seconds: -Self.maximumAge) else {
            throw Problem(
                .requestInvalid,
                Faults([
                    Fault(
                        pointer: "/at", code: "out_of_range",
                        detail: "`at` must be within the past year and not in the future.")
                ]))
        }
        return at
    }
}
