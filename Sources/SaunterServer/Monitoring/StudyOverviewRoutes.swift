import HTTPTypes
import SaunterCore
import SaunterStore

/// The route for the state of a study.
struct StudyOverviewRoutes: Sendable {
    let context: ServerContext

    var overview: Route {
        Route(
            .get, "/v1/studies/{study}/overview", who: .researcher, tag: "Monitoring",
            summary: "Count participants, today's answers and problems of a study",
            description: """
                Participants who left the study with `exclude` or `erase` are not counted. Each number of `steps` and \
                `trouble` is the number of participants that `/v1/studies/{study}/participants` lists with the same \
                `state`. If the arms of a blinded study have different ratios, the course for callers who may not see \
                arms is not divided by arm, because the numbers reveal which arm a letter means; `group` is `none`.
                """,
            parameters: [.study],
            query: [
                QueryParameter(
                    "group", .string(values: StudyOverview.Grouping.allCases.map(\.rawValue)),
                    "By what the course of enrolment is divided. The default is `arm`.")
            ],
            outcomes: [.json(.ok, "The current counts.", StudyOverview.schema)], problems: [.notFound]
        ) { call in
            guard let live = try await context.catalogue.findLive(call.text("study")) else {
                throw Problem(.notFound)
            }
            let study = live.published.study
            let wanted =
                call.query("group").flatMap { StudyOverview.Grouping(rawValue: $0) } ?? .arm
            async let days = context.store.countEnrolmentsByDay(study.code, days: study.days, at: call.now)
            async let numbers = context.store.countStudies([study.code], at: call.now)
            async let troubles = context.store.listTroubles(study.code, at: call.now)
            let overview = StudyOverview(
                asOf: call.now, days: try await days,
                numbers: try await numbers[study.code] ?? StudyNumbers(), troubles: try await troubles,
                target: study.target)
            let arms = try await context.armView(of: study.code, for: call.caller)
            let grouping = wanted == .arm && !arms.showsNumbers(of: study) ? .none : wanted
            return .json(.ok, overview.json(by: grouping, arms))
        }
    }
}
