import Foundation
import HTTPTypes
import SaunterCore
import SaunterReminders
import SaunterStore

/// Routes with which a study team sees the study as a participant would. They read the draft of the study, or a
/// published version, and store nothing about the made-up participant.
struct RehearsalRoutes: Sendable {
    let context: ServerContext

    /// The maximum number of answers that a rehearsal takes into account.
    static let maximumAnswers = 100
    /// How many days after the end of the study a rehearsal can show.
    private static let daysAfterStudy = 366
    /// In place of the name of a participant in the texts of messages.
    private static let name = "N. N."

    private static let version = QueryParameter(
        "version", .string(minLength: 1, maxLength: 20), "A published version. The default is the draft.")
    private static let code = PathParameter.text("code", "The questionnaire's code.", example: "pss_10")

    // MARK: - A moment

    var rehearse: Route {
        Route(
            .post, "/v1/studies/{study}/draft/rehearsal", who: .member, tag: "Drafts",
            summary: "Show the study to a made-up participant at one moment",
            description: """
                Returns what a participant would see and receive who enrolled at `enrolled_at`: the overview, the \
                occasions and the messages of the day. Nothing is stored. Any member of the study team can call the \
                route. In a blinded study, the caller must be permitted to see arms.

                The made-up participant permits all kinds of data, records no walks and reports no events. Random \
                times follow from a fixed seed. Messages of decision rules are not included.
                """,
            parameters: [.study], query: [Self.version],
            body: .json(
                Self.bodySchema,
                example: [
                    "arm": "experimental", "enrolled_at": "2026-11-21T08:00:00.000Z",
                    "at": "2026-11-28T17:30:00.000Z", "time_zone": "Europe/Berlin", "language": "de",
                ]),
            outcomes: [.json(.ok, "The moment.", Self.schema)],
            problems: [.notFound, .armsBlinded, .draftInvalid]
        ) { call in
            let rehearsed = try await context.rehearsedStudy(
                call.text("study"), version: call.query("version"), for: call.caller)
            let study = rehearsed.published.study
            let (rehearsal, language) = try rehearsal(of: study, call)
            return .json(.ok, json(rehearsal, rehearsed, language: language))
        }
    }

    /// - Throws: every fault of the body that its schema does not describe.
    private func rehearsal(of study: Study, _ call: Call<Identity>) throws -> (Rehearsal, language: String) {
        let body = call.body
        guard let enrolledAt = body["enrolled_at"]?.moment, let at = body["at"]?.moment else {
            throw Problem(.bodyInvalid)
        }
        var faults: [Fault] = []
        let arm = body["arm"]?.string ?? study.arms.first?.code
        if let arm, !study.arms.contains(where: { $0.code == arm }) {
            faults.append(
                Fault(pointer: "/arm", code: "unknown_arm", detail: "The study has no arm with this code."))
        }
        if at > enrolledAt.adding(seconds: (study.days + Self.daysAfterStudy) * 86_400) {
            faults.append(
                Fault(
                    pointer: "/at", code: "too_late",
                    detail: "The moment is more than \(Self.daysAfterStudy) days after the end of the study.")
            )
        }
        let language = language(body["language"]?.string, of: study, call, &faults)
        var answers: [Rehearsal.Answer] = []
        for (index, answer) in (body["answered"]?.array ?? []).enumerated() {
            let occasion = answer["occasion_id"]?.string.flatMap { OccasionID($0) }
            let questionnaire = answer["questionnaire"]?.string
            guard let moment = answer["at"]?.moment,
                let subject = occasion.map(Rehearsal.Answer.Subject.occasion)
                    ?? questionnaire.map(Rehearsal.Answer.Subject.questionnaire),
                (occasion == nil) != (questionnaire == nil)
            else {
                faults.append(
                    Fault(
                        pointer: "/answered/\(index)", code: "not_one_subject",
                        detail: "An answer names either an occasion or a questionnaire."))
                continue
            }
            answers.append(Rehearsal.Answer(subject, at: moment))
        }
        guard faults.isEmpty else { throw Problem(.bodyInvalid, Faults(faults)) }
        let zone = body["time_zone"]?.string.flatMap { Zone($0) } ?? study.zone
        return (
            Rehearsal(
                study: study, arm: arm, enrolledAt: enrolledAt, at: at, zone: zone, answers: answers),
            language
        )
    }

    /// The language of the texts: the given one, otherwise the first in `Accept-Language` that the study offers.
    private func language(
        _ given: String?, of study: Study, _ call: Call<Identity>, _ faults: inout [Fault]
    ) -> String {
        if let given, !study.languages.contains(given) {
            faults.append(
                Fault(
                    pointer: "/language", code: "unknown_language",
                    detail: "The study does not have this language."))
        }
        return given
            ?? context.language(
                call.headers[.acceptLanguage], of: study.languages, fallback: study.languages[0])
    }

    private func json(_ rehearsal: Rehearsal, _ rehearsed: RehearsedStudy, language: String) -> JSON {
        let study = rehearsal.study
        let text = study.text[language]
        return [
            "study": .string(study.code), "version": .string(study.version),
            "draft": .bool(rehearsed.isDraft),
            "title": .string(text?.title ?? study.code), "language": .string(language),
            "languages": .array(study.languages.map(JSON.string)),
            "brand": StudyBrandResponse(study, text: text).json,
            "permitted_kinds": .array(study.dataKinds.map { .string($0.code) }),
            "arm": .optional(rehearsal.arm, JSON.string),
            "arms": .array(
                study.arms.map {
                    ["arm": .string($0.code), "title": .string(text?.arms[$0.code]?.title ?? $0.code)]
                }),
            "enrolled_at": .instant(rehearsal.enrolledAt), "at": .instant(rehearsal.moment),
            "day": .int(rehearsal.day), "days": .int(study.days),
            "phase": .optional(rehearsal.phase, JSON.string),
            "decision_rules": .int(study.rules.count),
            "overview": overview(rehearsal, language: language), "occasions": occasions(rehearsal),
            "sheets": .array(
                rehearsal.completions.map {
                    [
                        "sheet_id": .id($0.sheet), "questionnaire": .string($0.questionnaire),
                        "occasion_id": .id($0.occasion), "completed_at": .instant($0.at),
                    ]
                }),
            "messages": .array(rehearsal.messages.map { message($0, rehearsal, language: language) }),
        ]
    }

    private func overview(_ rehearsal: Rehearsal, language: String) -> JSON {
        let (study, now) = (rehearsal.study, rehearsal.moment)
        let readiness = WalkReadiness(study: study, facts: rehearsal.facts, at: now)
        let items = rehearsal.overview.map {
            OverviewRoutes.json(
                $0, study.questionnaire($0.questionnaire), study, language: language,
                // A rehearsal shows everything.
                entitlements: Set(study.entitlements.map(\.code)))
        }
        let feedback = rehearsal.arm.map { study.walking?.targetFeedbackArms.contains($0) ?? false } ?? false
        return [
            "items": .array(items), "next": .null,
            "walk": [
                "may_start": .bool(readiness.canStart),
                "reason": .optional(readiness.reason) { .string($0.rawValue) }, "calibration_id": .null,
                "target_speed_kmh": .null, "target_feedback": .bool(feedback), "walks": 0,
            ],
            "time_zone": .string(rehearsal.zone.id), "local_date": .string(rehearsal.today.description),
            "study_day": .int(rehearsal.day),
            "adherence": Adherence(occasions: rehearsal.occasions, at: now).json,
            "streak": Streak(
                occasions: rehearsal.occasions, at: now, today: rehearsal.today, skippedByTravel: []
            ).json,
            "weeks": Adherence.weeksJSON(
                of: rehearsal.occasions, enrolledOn: rehearsal.enrolledOn, at: now),
            "consent_due": .null, "features": FeatureResponse.json(of: study, language: language),
        ]
    }

    private func occasions(_ rehearsal: Rehearsal) -> JSON {
        let known = rehearsal.knownOccasions.sorted { ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id) }
        return [
            "items": .array(known.map { OverviewRoutes.json($0, of: rehearsal.study, at: rehearsal.moment) }),
            "next": .null,
            "due_today": .array(
                known.filter { $0.isDueToday(at: rehearsal.moment, zone: rehearsal.zone) }.map { .id($0.id) }),
        ]
    }

    private func message(_ message: PlannedMessage, _ rehearsal: Rehearsal, language: String) -> JSON {
        let study = rehearsal.study
        let url = context.configuration.publicURL
        var object =
            ReminderResponse.plannedMessage(message) { code in
                ReminderText.notificationText(
                    code, study: study, language: language, name: Self.name, url: url)
            }.object ?? [:]
        let text = ReminderText.message(
            message, study: study, language: language, zone: rehearsal.zone, name: Self.name, url: url)
        object["title"] = .string(text.subject)
        object["text"] = .string(text.body)
        return .object(object)
    }

    // MARK: - A questionnaire

    var questionnaire: Route {
        Route(
            .get, "/v1/studies/{study}/draft/questionnaires/{code}", who: .member, tag: "Drafts",
            summary: "Get the structure and texts of a questionnaire of the draft",
            description: """
                Returns the questionnaire as `GET /v1/enrolments/{id}/questionnaires/{code}` returns it to a \
                participant. Any member of the study team can call the route. In a blinded study, the caller must be \
                permitted to see arms.
                """,
            parameters: [.study, Self.code],
            query: [
                Self.version,
                QueryParameter("language", .string(format: .language), "The language of the texts."),
            ],
            outcomes: [
                .json(
                    .ok, "The questionnaire.", OverviewRoutes.questionnaireSchema,
                    headers: [Outcome.entityTag])
            ], problems: [.armsBlinded, .draftInvalid]
        ) { call in
            let (published, known) = try await questionnaire(call)
            let study = published.study
            let language = call.query("language")
            if let language, !study.languages.contains(language) {
                throw Problem(
                    .requestInvalid,
                    Faults([
                        Fault(
                            pointer: "/language", code: "unknown_language",
                            detail: "The study does not have this language.")
                    ]))
            }
            let structure = known.form(
                in: published,
                language: language
                    ?? context.language(
                        call.headers[.acceptLanguage], of: study.languages, fallback: study.languages[0]))
            return .json(.ok, structure, entityTag: EntityTag(of: structure))
        }
    }

    var answer: Route {
        Route(
            .post, "/v1/studies/{study}/draft/questionnaires/{code}/rehearsal", who: .member, tag: "Drafts",
            summary: "Check and score answers without storing them",
            description: """
                Checks the answers as `PUT /v1/enrolments/{id}/answer-sheets/{sheet_id}` does, with the same faults, \
                and returns the scores that a participant would see. Nothing is stored. Covariates are known only if the \
                answers themselves supply them.
                """,
            parameters: [.study, Self.code], query: [Self.version],
            body: .json(
                Self.answerSchema, limit: 1024 * 1024,
                example: ["answers": ["q1": 3, "q2": 4, "q3": 2, "q4": 5, "q5": 1]]),
            outcomes: [.json(.ok, "The answers are valid.", Self.receiptSchema)],
            problems: [.armsBlinded, .draftInvalid, .answerSheetInvalid]
        ) { call in
            let (published, known) = try await questionnaire(call)
            let (study, body) = (published.study, call.body)
            let zone = body["time_zone"]?.string.flatMap { Zone($0) } ?? study.zone
            let moment = body["completed_at"]?.moment ?? call.now
            let today = zone.local(of: moment).date
            var faults: [Fault] = []
            let language = language(body["language"]?.string, of: study, call, &faults)
            guard faults.isEmpty else { throw Problem(.bodyInvalid, Faults(faults)) }
            let sheet: AnswerSheet
            do throws(Faults) {
                sheet = try AnswerSheet(
                    answers: body["answers"]?.object ?? [:], reasons: body["reasons"]?.object ?? [:],
                    of: known.index, today: today, language: language)
            } catch {
                throw Problem(.answerSheetInvalid, error)
            }
            let arm = body["arm"]?.string ?? study.arms.first?.code ?? ""
            let keys = ActiveScoringKeys([study], live: study.version)
            let rule = keys[known.questionnaire.code, known.questionnaire.version]
            let scoring = SheetScoring(
                rule: rule, known: KnownCovariates(study.covariates, arm: arm, sheets: []))
            let scored = scoring.result(
                for: sheet, SheetID(UUID()), of: known, at: moment, on: today)
            return .json(
                .ok,
                [
                    "scores": .array(
                        AnswerSheetResponse.shown(scored.scores, language, rule?.keyed ?? known.questionnaire)
                    ),
                    "cleared": .strings(sheet.cleared), "flags": .strings(sheet.answerFlags),
                ])
        }
    }

    /// The questionnaire in the path.
    private func questionnaire(
        _ call: Call<Identity>
    ) async throws -> (PublishedStudy, PublishedQuestionnaire) {
        let rehearsed = try await context.rehearsedStudy(
            call.text("study"), version: call.query("version"), for: call.caller)
        guard let known = rehearsed.published.questionnaires[try call.text("code")] else {
            throw Problem(.notFound)
        }
        return (rehearsed.published, known)
    }
}

extension JSON {
    /// The instant that a text states; nil for another value.
    fileprivate var moment: Instant? { string.flatMap { Instant($0) } }
}

// MARK: - Schemas

extension RehearsalRoutes {
    private static let bodySchema = Schema.named(
        "RehearsalRequest",
        .object([
            .required("enrolled_at", .instant, "When the made-up participant enrolled."),
            .required("at", .instant, "The moment to show. A moment before the enrolment is the enrolment."),
            .optional("arm", .string(maxLength: 64), "The code of the arm. The default is the first arm."),
            .optional("time_zone", .zone, "The zone of the participant. The default is that of the study."),
            .optional("language", .string(format: .language), "The language of the texts."),
            .optional(
                "answered",
                .array(
                    of: .object([
                        .optional("occasion_id", .id, "The occasion that was answered."),
                        .optional(
                            "questionnaire", .string(minLength: 1, maxLength: 24),
                            "Instead of an occasion: a questionnaire that was answered at any time."),
                        .required("at", .instant, "When it was answered."),
                    ]), max: maximumAnswers),
                """
                What the participant has answered. Answers after `at` are not given yet. An answer is ignored if its \
                occasion was not open then.
                """),
        ]))

    private static let schema = Schema.named(
        "Rehearsal",
        .object([
            .required("study", .string(format: .code), "The code of the study."),
            .required("version", .string(), "The version in the files of the study."),
            .required("draft", .boolean, "True for the draft, false for a published version."),
            .required("title", .string(), "The title of the study."),
            .required("language", .string(), "The language of the texts in this response."),
            .required("languages", .array(of: .string()), "The languages of the study."),
            .required("brand", StudyBrandResponse.schema, "How the app of the study looks."),
            .required(
                "permitted_kinds", .array(of: .string()),
                "The kinds of data that the participant permits: all."),
            .required("arm", .nullable(.string()), "The arm of the participant; null if the study has none."),
            .required(
                "arms",
                .array(
                    of: .object([
                        .required("arm", .string(), "The code of the arm."),
                        .required("title", .string(), "Its title for participants, otherwise its code."),
                    ])), "The arms of the study."),
            .required("enrolled_at", .instant, "When the participant enrolled."),
            .required("at", .instant, "The moment that the response shows."),
            .required("day", .integer(), "The number of the study day; 0 on the day of enrolment."),
            .required("days", .integer(min: 0), "The number of the study's last day."),
            .required(
                "phase", .nullable(.string()),
                "The code of the first phase that contains the moment; null if none does."),
            .required(
                "decision_rules", .integer(min: 0),
                "The number of decision rules of the study, whose messages are not included."),
            .required(
                "overview", .page(of: OverviewRoutes.entrySchema, OverviewRoutes.overviewMembers),
                "As `GET /v1/enrolments/{id}/overview` returns it."),
            .required(
                "occasions",
                .page(
                    of: OverviewRoutes.occasionSchema,
                    [
                        .required(
                            "due_today", .array(of: .id), "The ids of the occasions that are due today.")
                    ]), "The occasions that the participant can know, in the order in which they open."),
            .required(
                "sheets",
                .array(
                    of: .object([
                        .required("sheet_id", .id, "A made-up id."),
                        .required("questionnaire", .string(), "The code of the questionnaire."),
                        .required(
                            "occasion_id", .nullable(.id),
                            "The occasion that the sheet answers; null if it answers none."),
                        .required("completed_at", .instant, "When it was answered."),
                    ])), "The answers that were taken into account, in the order of time."),
            .required(
                "messages",
                .array(
                    of: .object(
                        ReminderResponse.plannedMessageMembers + [
                            .required("title", .string(), "The subject of the message."),
                            .required("text", .string(), "The text of the mail."),
                        ])),
                "The reminders and notifications of the day, in the order of time."),
        ]))

    private static let answerSchema = Schema.named(
        "RehearsedAnswers",
        .object([
            .required("answers", .map(of: .any), "The answers by `linkId`, as in an answer sheet."),
            .optional("reasons", .map(of: .any), "Why an item has no answer, by `linkId`."),
            .optional("arm", .string(maxLength: 64), "The code of the arm. The default is the first arm."),
            .optional("completed_at", .instant, "When the answers were given. The default is now."),
            .optional("time_zone", .zone, "The zone of the participant. The default is that of the study."),
            .optional("language", .string(format: .language), "The language of the questions."),
        ]))

    private static let receiptSchema = Schema.named(
        "RehearsedReceipt",
        .object([
            .required(
                "scores", .array(of: AnswerSheetResponse.shownScoreSchema),
                "The scores that the study shows to participants."),
            .required(
                "cleared", .array(of: .string()),
                "Items whose answers would be removed, because they are hidden."
            ),
            .required("flags", .array(of: .string()), "Conditions that matter for the analysis of the data."),
        ]))
}
