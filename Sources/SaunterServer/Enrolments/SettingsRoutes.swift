import HTTPTypes
import SaunterCore
import SaunterStore

/// The route that shows a participant's settings. A setting is changed by an answer sheet of its questionnaire.
struct SettingsRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/enrolments/{id}/settings", who: .participant, tag: "Enrolments",
            summary: "List the settings that are in force",
            description: """
                The study defines which questionnaires contain settings. To change settings, submit an answer sheet with \
                all items of the questionnaire. The newest sheet by its completion is in force.
                """,
            parameters: [.enrolment],
            outcomes: [.json(.ok, "One entry for each questionnaire with settings.", .page(of: Self.schema))]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let study = try await context.study(of: enrolment)
            let entries = try await context.settings.entries(of: enrolment, study)
            let items = entries.map { Self.json($0, language: enrolment.language) }
            return .json(.ok, ["items": .array(items), "next": nil])
        }
    }

    private static func json(_ entry: SettingsLoader.Entry, language: String) -> JSON {
        let questionnaire = entry.questionnaire.questionnaire
        return [
            "questionnaire": .string(questionnaire.code),
            "title": .string(questionnaire.text(in: language).title),
            "version": .string(questionnaire.version), "values": .object(entry.values.values),
            "set_at": .instant(entry.sheet?.correctedCompletedAt), "sheet_id": .id(entry.sheet?.id),
            "defaults": .object(entry.values.defaults),
        ]
    }

    static let schema = Schema.named(
        "Settings",
        .object([
            .required("questionnaire", .string(), "The code of the questionnaire."),
            .required("title", .string(), "The title in the participant's language."),
            .required("version", .string(), "The version with which the participant changes the settings."),
            .required(
                "values", .map(of: .any),
                "The settings in force by `linkId`. An item that the participant left blank is absent."),
            .required(
                "set_at", .nullable(.instant),
                """
                When the participant last changed the settings, by the server's clock; null if they are the defaults.
                """),
            .required(
                "sheet_id", .nullable(.id),
                "The answer sheet with the settings in force; null if they are the defaults."),
            .required(
                "defaults", .map(of: .any), "The settings before the first change by `linkId`."),
        ]))
}
