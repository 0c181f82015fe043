import SaunterCore
import SaunterStore

/// The response bodies of programmes, their practices and entries, and of recommendations.
enum ProgrammeResponse {
    // MARK: - Programmes

    /// A programme in the list and on its own: everything but the practices.
    /// - Parameters:
    ///   - programme: with the practices that the participant can read.
    ///   - modules: the value of `modules`: their number, or the practices themselves.
    static func json(
        _ programme: Programme, _ participant: ProgrammeService.Participant, modules: JSON,
        progress: [String: PracticeProgress], isRecommended: Bool
    ) -> JSONObject {
        let text = programme.words(in: participant.enrolment.language)
        let done = programme.modules.compactMap { progress[$0] }
        let picture = programme.picture.map { media -> JSON in
            [
                "url": .string("/v1/enrolments/\(participant.enrolment.id)/media/\(media.digest)"),
                "media_type": .string(media.format.mediaType),
            ]
        }
        return [
            "programme": .string(programme.code), "title": .string(text.title),
            "subtitle": .optional(text.subtitle, JSON.string), "picture": picture ?? .null,
            "authors": .strings(programme.authors), "modules": modules, "done": .int(done.count),
            "last_at": .instant(done.map(\.lastAt).max()), "locked": .bool(participant.isLocked(programme)),
            "recommended": .bool(isRecommended),
        ]
    }

    private static func members(modules: Schema.Member) -> [Schema.Member] {
        [
            .required("programme", .string(), "The code of the programme."),
            .required("title", .string(), "The title in the participant's language."),
            .required("subtitle", .nullable(.string()), "A second line below the title; null for none."),
            .required(
                "picture",
                .nullable(
                    .object([
                        .required("url", .string(), "The path of the picture. It never changes."),
                        .required("media_type", .string(), "The media type, such as `image/png`."),
                    ])), "The picture; null for none."),
            .required("authors", .array(of: .string()), "The names of the authors, in their order."),
            modules,
            .required(
                "done", .integer(min: 0), "The number of practices that the participant did at least once."),
            .required(
                "last_at", .nullable(.instant),
                "When the participant last did one of the practices; null if they did none."),
            .required(
                "locked", .boolean,
                "True if the participant needs an entitlement for every practice of the programme."),
            .required(
                "recommended", .boolean,
                "True if the programme or one of its practices is recommended now."),
        ]
    }

    static let summarySchema = Schema.named(
        "ProgrammeSummary",
        .object(
            members(modules: .required("modules", .integer(min: 1), "The number of its practices."))))

    static let schema = Schema.named(
        "Programme",
        .object(
            members(
                modules: .required("modules", .array(of: practiceSchema), "The practices, in their order."))
                + [
                    .required(
                        "introduction", .nullable(.string()),
                        "What participants read before the first practice, in Markdown; null for none.")
                ]))

    // MARK: - Practices

    /// A practice with the participant's progress.
    /// - Parameter rating: as in an answer sheet; nil for none.
    static func json(
        _ questionnaire: Questionnaire, _ participant: ProgrammeService.Participant,
        progress: PracticeProgress?, rating: JSON?
    ) -> JSON {
        let (stories, inputs) = questionnaire.exercises
        return [
            "questionnaire": .string(questionnaire.code), "version": .string(questionnaire.version),
            "topic": .string(questionnaire.text(in: participant.enrolment.language).title),
            "minutes": .double(questionnaire.minutes), "exercises": .int(stories + inputs),
            "stories": .int(stories), "inputs": .int(inputs), "done": .bool(progress != nil),
            "times": .int(progress?.times ?? 0), "last_at": .instant(progress?.lastAt),
            "rating": rating ?? .null, "locked": .bool(participant.isLocked(questionnaire.code)),
        ]
    }

    private static let practiceSchema = Schema.named(
        "Practice",
        .object([
            .required("questionnaire", .string(), "The code of the questionnaire that the practice is."),
            .required("version", .string(), "The version that the participant answers now."),
            .required("topic", .string(), "The title of the questionnaire in the participant's language."),
            .required("minutes", .number(min: 0), "The expected duration in minutes."),
            .required("exercises", .integer(min: 0), "The number of stories and inputs together."),
            .required("stories", .integer(min: 0), "The number of texts and pictures without a question."),
            .required("inputs", .integer(min: 0), "The number of questions."),
            .required("done", .boolean, "True if the participant did the practice at least once."),
            .required("times", .integer(min: 0), "How often the participant did it, in any version."),
            .required("last_at", .nullable(.instant), "When it was last done; null if it was never done."),
            .required(
                "rating", .nullable(.any),
                """
                The participant's newest rating, a number or the code of an option; null if there is none. The rating \
                is the answer to the first question with one integer or one option, in the questionnaire of the first \
                schedule that follows every practice.
                """),
            .required("locked", .boolean, "True if the participant needs an entitlement for the practice."),
        ]))

    // MARK: - Entries

    /// A sheet of a practice, with the words of the version and the language in which it was answered.
    static func entry(_ sheet: StoredSheet, _ known: PublishedQuestionnaire) throws -> JSON {
        let text = known.questionnaire.text(in: sheet.language)
        let answers = try known.codec.decode(sheet.answers).json
        return [
            "questionnaire": .string(sheet.questionnaire), "version": .string(sheet.version),
            "topic": .string(text.title), "sheet_id": .id(sheet.id),
            "completed_at": .instant(sheet.correctedCompletedAt),
            "local_date": .string(sheet.localDate.description),
            "answers": .array(
                EntryAnswers(text: text).list(answers, of: known.questionnaire.item, instance: nil)),
        ]
    }

    static let entrySchema = Schema.named(
        "ProgrammeEntry",
        .object([
            .required("questionnaire", .string(), "The code of the practice."),
            .required("version", .string(), "The version that was answered."),
            .required("topic", .string(), "The title of the practice, as the participant read it."),
            .required(
                "sheet_id", .id, "The answer sheet, which can be corrected or deleted by its own route."),
            .required(
                "completed_at", .instant, "When the participant finished, corrected for the device's clock."),
            .required("local_date", .string(format: .date), "The participant's local date at that time."),
            .required(
                "answers",
                .array(
                    of: .object([
                        .required("link_id", .string(), "The question."),
                        .required(
                            "instance", .nullable(.integer(min: 1)),
                            "The number of the instance of a repeating group; null outside of such groups."),
                        .required("text", .string(), "The text of the question, as the participant read it."),
                        .required("type", .string(), "The type of the question."),
                        .required("value", .any, "The answer, as in an answer sheet."),
                        .required(
                            "display", .nullable(.string()),
                            """
                            The answer in the words that the participant read: the labels of options, and texts and \
                            numbers as they are; null for true or false and for coordinates.
                            """),
                    ])),
                """
                The answered questions, in their order. Empty if the practice has only stories, or if the participant \
                answered nothing.
                """),
        ]))

    // MARK: - Recommendations

    static let recommendationSchema = Schema.named(
        "Recommendation",
        .object([
            .required("kind", .string(values: ["practice", "programme"]), "What is recommended."),
            .required("code", .string(), "The code of the practice or programme."),
            .required("title", .string(), "The title in the participant's language."),
            .required(
                "why", .string(values: Recommendations.Source.allCases.map(\.why)),
                "Where the recommendation comes from."),
            .required("rank", .integer(min: 1), "The position, from 1."),
            .required("locked", .boolean, "True if the participant needs an entitlement for it."),
        ]))

    /// Nil if the practice or programme does not exist for the participant.
    static func json(_ recommended: Recommended, _ participant: ProgrammeService.Participant) -> JSON? {
        let language = participant.enrolment.language
        let kind: String
        let title: String
        let isLocked: Bool
        if let programme = participant.programmes.first(where: { $0.code == recommended.code }) {
            kind = "programme"
            title = programme.words(in: language).title
            isLocked = participant.isLocked(programme)
        } else if let questionnaire = participant.study.questionnaire(recommended.code) {
            kind = "practice"
            title = questionnaire.text(in: language).title
            isLocked = participant.isLocked(recommended.code)
        } else {
            return nil
        }
        return [
            "kind": .string(kind), "code": .string(recommended.code), "title": .string(title),
            "why": .string(recommended.source.why), "rank": .int(recommended.rank),
            "locked": .bool(isLocked),
        ]
    }
}
