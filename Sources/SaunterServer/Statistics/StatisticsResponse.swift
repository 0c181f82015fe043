import SaunterCore
import SaunterEvaluation
import SaunterStore

/// The statistics of one questionnaire as routes return them.
struct StatisticsResponse {
    /// The present state of the study.
    struct State {
        /// The number of the last change.
        var changeSequence: Int64
        /// Statistics with another tag are stale.
        var tag: String
    }

    private let questionnaire: ScoredQuestionnaire
    private let jobs: StatisticsJobs
    private let state: State

    init(_ questionnaire: ScoredQuestionnaire, _ jobs: StatisticsJobs, _ state: State) {
        self.questionnaire = questionnaire
        self.jobs = jobs
        self.state = state
    }

    private var versions: [JSON] { jobs.result?.json["versions"]?.array ?? [] }

    /// - Parameter showsArms: whether the scores by arm are included.
    func json(showsArms: Bool) -> JSON {
        var object = summary
        object["versions"] = .array(versions.map { questionnaire.json($0, showsArms: showsArms) })
        return .object(object)
    }

    /// The members without the statistics themselves.
    var summary: JSONObject {
        let result = jobs.result
        return [
            "questionnaire": .string(questionnaire.code), "title": .string(questionnaire.title),
            "state": .string(jobs.pending?.state.rawValue ?? (result == nil ? "none" : "done")),
            "requested_at": .instant(jobs.pending?.requestedAt),
            "failure": .optional(jobs.pending?.failure, JSON.string),
            "computed_at": .instant(result?.computedAt),
            "as_of": .optional(result?.json["as_of"]?.string, JSON.string),
            "change_seq": .optional(result?.changeSequence) { .int(Int($0)) },
            "stale": .bool(result?.tag != state.tag),
            "newer_changes": .optional(result?.changeSequence) {
                .int(Int(max(0, state.changeSequence - $0)))
            },
            "sheets": result == nil ? .null : .int(versions.reduce(0) { $0 + ($1["sheets"]?.int ?? 0) }),
            "scales": .array(
                questionnaire.scales.map { scale in
                    [
                        "scale": .string(scale), "label": .string(questionnaire.label(scale)),
                        "n": result == nil ? .null : .int(count(of: scale)),
                    ]
                }),
        ]
    }

    /// The number of scores of a scale in all versions.
    private func count(of id: String) -> Int {
        let scales = versions.flatMap { $0["scales"]?.array ?? [] }.filter { $0["scale"]?.string == id }
        let figures = scales.flatMap { $0["figures"]?.array ?? [] }
        return figures.filter { $0["figure"]?.string == "n" }.reduce(0) { $0 + Int($1["value"]?.double ?? 0) }
    }

    // MARK: Schemas

    private static let states = ["none", "queued", "running", "done", "failed"]

    private static let summaryMembers: [Schema.Member] = [
        .required("questionnaire", .string(), "The code of the questionnaire."),
        .required("title", .string(), "The title of the questionnaire."),
        .required(
            "state", .string(values: states),
            """
            The state of the newest request: `none` without a request or after the result was deleted. `done` if no \
            request is newer than the result.
            """),
        .required(
            "requested_at", .nullable(.instant), "When the statistics were requested again; null if `done`."),
        .required("failure", .nullable(.string()), "Why the newest request failed; null if it did not."),
        .required("computed_at", .nullable(.instant), "When the result was computed; null without a result."),
        .required(
            "as_of", .nullable(.instant),
            "The last change of the data that the result shows; null without a result."),
        .required(
            "change_seq", .nullable(.integer(min: 0)),
            "The number of the last change of the study that the result includes; null without a result."),
        .required(
            "stale", .boolean,
            "Whether the study or its published versions have changed since; true without a result."),
        .required(
            "newer_changes", .nullable(.integer(min: 0)),
            "How many numbers of changes the study has assigned since; null without a result."),
        .required(
            "sheets", .nullable(.integer(min: 0)),
            "The number of sheets of all versions; null without a result."
        ),
        .required(
            "scales",
            .array(
                of: .object([
                    .required("scale", .string(), "The code of the scale."),
                    .required("label", .string(), "The name of the scale."),
                    .required(
                        "n", .nullable(.integer(min: 0)),
                        "The number of scores in all versions; null without a result."),
                ])), "The scales of all versions."),
    ]

    static let summarySchema = Schema.named("StatisticsSummary", .object(summaryMembers))

    static let schema = Schema.named(
        "Statistics",
        .object(
            summaryMembers + [
                .required(
                    "versions", .array(of: versionSchema),
                    "The statistics of each version that has sheets, in the order of publication.")
            ]))

    private static let figureSchema = Schema.named(
        "StatisticsFigure",
        .object([
            .required(
                "figure", .string(values: QuestionnaireStatistics.figures.map(\.name)),
                QuestionnaireStatistics.figures.map { "`\($0.name)`: \($0.meaning)." }.joined(separator: " ")),
            .required(
                "missing_data", .nullable(.string(values: QuestionnaireStatistics.missingData)),
                "The treatment of missing answers; null if the figure does not relate answers to each other."),
            .required(
                "n", .nullable(.integer(min: 0)),
                "The number of sheets, participants or pairs that the figure is based on; null if not stated."
            ),
            .required("value", .nullable(.number()), "The value; null if it is undefined."),
            .required(
                "lower", .nullable(.number()),
                "The lower end of the 95 % interval; null if it is undefined or not computed."),
            .required(
                "upper", .nullable(.number()),
                "The upper end of the 95 % interval; null if it is undefined or not computed."),
            .required(
                "why_not", .nullable(.string(values: QuestionnaireStatistics.undefinedReasons)),
                "Why the value is undefined; null if it is defined."),
        ]))

    private static let histogramSchema = Schema.named(
        "StatisticsHistogram",
        .object([
            .required("lower", .number(), "The lower end of the first bin."),
            .required("width", .number(), "The width of a bin."),
            .required(
                "one_value_per_bin", .boolean,
                "Whether each bin contains exactly one possible score, its middle."),
            .required("counts", .array(of: .integer(min: 0)), "The number of scores in each bin."),
        ]))

    private static let weekSchema = Schema.named(
        "StatisticsWeek",
        .object([
            .required("week", .integer(min: 1), "The week of the study. Week 1 begins with the enrolment."),
            .required("people", .integer(min: 1), "The number of participants. Each one counts once."),
            .required("mean", .number(), "The mean of the participants' means."),
            .required("lower", .nullable(.number()), "The lower end of its 95 % interval."),
            .required("upper", .nullable(.number()), "The upper end of its 95 % interval."),
            .required("median", .nullable(.number()), "The median of the participants' means."),
            .required(
                "lower_quartile", .nullable(.number()),
                "The lower quartile of the participants' means (type 7, as R's `quantile`)."),
            .required(
                "upper_quartile", .nullable(.number()), "The upper quartile of the participants' means."),
        ]))

    private static let answerSchema = Schema.named(
        "StatisticsAnswer",
        .object([
            .required("value", .number(), "The number of the option in scoring, before reversal."),
            .required("label", .string(), "The text of the option."),
            .required("n", .integer(min: 0), "The number of sheets with this answer."),
        ]))

    private static let scaleSchema = Schema.named(
        "StatisticsScale",
        .object([
            .required("scale", .string(), "The code of the scale."),
            .required("title", .string(), "The name of the scale."),
            .required(
                "missing_by_reason",
                .array(
                    of: .object([
                        .required(
                            "reason", .string(values: ScoreReason.allCases.map(\.rawValue)),
                            "Why there is no score."),
                        .required("n", .integer(min: 1), "The number of sheets."),
                    ])),
                "The sheets without a score by reason. With the figure `n` they are the number of sheets."),
            .required("figures", .array(of: figureSchema), "The statistics of the scale."),
            .required(
                "items",
                .array(
                    of: .object([
                        .required("item", .string(), "The `linkId` of the item, or the code of a scale."),
                        .required("title", .string(), "The text of the item."),
                        .required("figures", .array(of: figureSchema), "The statistics of the item."),
                        .required(
                            "answers", .array(of: answerSchema),
                            """
                            How often each option was chosen on the sheets that the statistics of the item use, in \
                            the order of the options. Empty if the item is no single choice of options with numbers.
                            """),
                    ])), "The items of the scale; empty if their statistics are undefined."),
            .required("histogram", .nullable(histogramSchema), "The distribution; null without scores."),
            .required("weeks", .array(of: weekSchema), "The mean score by week of the study."),
            .required(
                "arms",
                .array(
                    of: .object([
                        .required("arm", .string(), ArmView.description),
                        .required(
                            "people", .nullable(.integer(min: 0)), "The number of participants with a sheet."),
                        .required("figures", .array(of: figureSchema), "The statistics of the arm."),
                        .required(
                            "histogram", .nullable(histogramSchema),
                            "The distribution in the bins of all arms; null without scores."),
                        .required("weeks", .array(of: weekSchema), "The mean score by week of the study."),
                    ])),
                "The scores by arm; empty if the study has fewer than two arms or if counts would reveal them."
            ),
        ]))

    private static let versionSchema = Schema.named(
        "StatisticsVersion",
        .object([
            .required("questionnaire", .string(), "The code of the questionnaire."),
            .required("version", .string(), "The version of the questionnaire."),
            .required("title", .string(), "The title of the version."),
            .required("sheets", .integer(min: 0), "The number of sheets."),
            .required("people", .nullable(.integer(min: 0)), "The number of participants."),
            .required(
                "reliability_from", .string(values: ["all_sheets", "first_sheet_of_each_person"]),
                "The sheets on which reliability and item statistics are based."),
            .required(
                "scales", .array(of: scaleSchema), "The scales of the active key that are not helpers."),
            .required(
                "sheet_figures", .array(of: figureSchema),
                "Medians of indicators of careless responding over the sheets."),
        ]))
}
