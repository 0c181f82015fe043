import HTTPTypes
import SaunterCore
import SaunterStore

/// The tailoring variables of a study, for researchers.
struct VariableRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/variables", who: .researcher, tag: "Insights",
            summary: "List the variables of a study",
            description: """
                The variables of the live version in their order, with the definition of each. The values of a \
                participant that the study shows are at \
                `/v1/studies/{study}/participants/{participant}/insights`. Titles are in the language of \
                `Accept-Language`. In a blinded study, callers who may not see arms get no definition that names an \
                arm; variables whose ids name an arm are left out.
                """,
            parameters: [.study],
            outcomes: [
                .json(
                    .ok, "The variables.",
                    .object([
                        .required(
                            "items", .array(of: Self.schema), "The variables, in the order of the study."),
                        .required("study_version", .string(), "The live version of the study."),
                        .required("as_of", .instant, "The instant of the list."),
                        .required(
                            "left_out", .integer(min: 0),
                            "The number of variables that are left out because their ids name a hidden arm."),
                    ]), example: Self.example)
            ], problems: [.notFound]
        ) { call in
            let (study, visibility) = try await context.visibleStudy(call)
            let language = context.language(
                call.headers[.acceptLanguage], of: study.languages, fallback: study.languages[0])
            let variables = study.variables.filter { !visibility.isHidden($0.id) }
            return .json(
                .ok,
                [
                    "items": .array(variables.map { Self.json($0, of: study, in: language, visibility) }),
                    "study_version": .string(study.version), "as_of": .instant(call.now),
                    "left_out": .int(study.variables.count - variables.count),
                ])
        }
    }

    private static func json(
        _ variable: TailoringVariable, of study: Study, in language: String, _ visibility: RuleVisibility
    ) -> JSON {
        var members = HiddenMembers(visibility)
        let title = study.text[language]?.variables[variable.id]?.title
        return [
            "variable": .string(variable.id),
            "title": members.visible(.optional(title, JSON.string), at: "/title"),
            "kind": .string(variable.kind.name),
            "definition": members.visible(
                .string(variable.definition.packText), at: "/definition", of: variable.definition),
            "unit": .optional(study.unit(of: variable), JSON.string),
            "visible_to": .strings(readers(variable.shown)),
            "hides_values": .bool(visibility.hidesValues(of: variable.id)), "hidden": members.json,
        ]
    }

    private static func readers(_ visibility: TailoringVariable.Visibility) -> [String] {
        switch visibility {
        case .hidden: []
        case .staff: ["staff"]
        case .participants: ["participants", "staff"]
        }
    }

    private static let example: JSON = [
        "items": [
            [
                "variable": "mood_week", "title": "Your mood this week", "kind": "mean",
                "definition": "mean: {entry: log, item: mood}, window: {last: 7d}", "unit": nil,
                "visible_to": ["participants", "staff"], "hides_values": false, "hidden": [],
            ]
        ], "study_version": "1.0.0", "as_of": "2026-11-21T17:30:00.000Z", "left_out": 0,
    ]

    private static let schema = Schema.named(
        "Variable",
        .object([
            .required("variable", .string(), "The id of the variable."),
            .required("title", .nullable(.string()), "The name for people; null if the study has none."),
            .required("kind", .string(), "What is computed, such as `mean`."),
            .required(
                "definition", .nullable(.string()),
                "The definition as in `variables.yaml`, without the id and who may read the value."),
            .required(
                "unit", .nullable(.string()),
                "The UCUM unit of the values; null for none, and if the definition does not decide it."),
            .required(
                "visible_to", .array(of: .string(values: ["participants", "staff"])),
                "Who may read the value as an insight; empty for a variable that only rules and variables use."
            ),
            .required(
                "hides_values", .boolean,
                "Whether decisions show the caller no values of the variable, because they follow from the arm."
            ),
            RuleVisibility.hiddenMember,
        ]))
}
