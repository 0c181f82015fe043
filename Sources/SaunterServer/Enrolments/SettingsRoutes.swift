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
            let codes = study.study.settings
            let ids =
                codes.isEmpty ? [] : try await context.store.listNewestSheets(enrolment.id, of: codes)
            let sheets =
                ids.isEmpty
                ? []
                : try await context.store.listSheets(
                    enrolment.id, SheetFilter(ids: ids), limit: ids.count)
            let newest = Dictionary(
                sheets.map { ($0.questionnaire, $0) }, uniquingKeysWith: { first, _ in first })
            var items: [JSON] = []
            for code in codes {
                guard let known = study.questionnaires[code] else { continue }
                items.append(try await entry(known, newest[code], enrolment))
            }
            return .json(.ok, ["items": .array(items), "next": nil])
        }
    }

    /// - Parameter sheet: the newest sheet; nil if the participant has changed nothing.
    private func entry(
        _ known: PublishedQuestionnaire, _ sheet: StoredSheet?, _ enrolment: Enrolment
    ) async throws -> JSON {
        var answers: AnswerSheet?
        if let sheet {
            // The sheet can belong to an earlier version of the questionnaire.
            let study = try await AnswerSheetService(context: context).study(of: sheet, enrolment)
            guard let form = study.questionnaires[sheet.questionnaire] else { throw Problem(.internalError) }
            answers = try form.codec.decode(sheet.answers)
        }
        let settings = SettingValues(newest: answers, of: known.questionnaire)
        return [
            "questionnaire": .string(known.questionnaire.code),
            "title": .string(known.questionnaire.text(in: enrolment.language).title),
            "version": .string(known.questionnaire.version), "values": .object(settings.values),
            "set_at": .instant(sheet?.correctedCompletedAt), "sheet_id": .id(sheet?.id),
            "defaults": .object(settings.defaults),
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
