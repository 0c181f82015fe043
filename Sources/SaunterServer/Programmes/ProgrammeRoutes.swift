import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes for the programmes of a participant, with their practices and entries, and for recommendations.
struct ProgrammeRoutes: Sendable {
    let context: ServerContext

    private var service: ProgrammeService { ProgrammeService(context: context) }

    private static let programme = PathParameter.text(
        "programme", "The code of a programme.", example: "control")

    var list: Route {
        Route(
            .get, "/v1/enrolments/{id}/programmes", who: .participant, tag: "Programmes",
            summary: "List the programmes of a participant",
            description: """
                A programme is a series of practices. A practice is a questionnaire that participants answer at any \
                time, and it is done when a current answer sheet of any of its versions exists. The list is that of the \
                live edition of the library, without withdrawn programmes. A practice that the participant's study \
                version does not have is left out, and so is a programme without other practices. An app keeps the list \
                for times without a connection.
                """,
            parameters: [.enrolment],
            outcomes: [
                .json(
                    .ok, "The programmes, in the order of the library.",
                    .page(
                        of: ProgrammeResponse.summarySchema,
                        [
                            .required(
                                "edition", .nullable(.integer(min: 1)),
                                "The live edition; null if the study has no library.")
                        ]), headers: [Outcome.entityTag])
            ], problems: [.notFound]
        ) { call in
            let participant = try await service.participant(call)
            let programmes = participant.programmes
            let progress = try await service.progress(
                in: Array(Set(programmes.flatMap(\.modules))).sorted(), of: participant)
            let recommended = try await recommended(for: participant, call)
            let items = programmes.map { programme -> JSON in
                .object(
                    ProgrammeResponse.json(
                        programme, participant, modules: .int(programme.modules.count), progress: progress,
                        isRecommended: programme.isAmong(recommended)))
            }
            let body: JSON = [
                "items": .array(items), "next": nil,
                "edition": .optional(participant.edition?.edition, JSON.int),
            ]
            return .json(.ok, body, entityTag: EntityTag(of: body))
        }
    }

    var get: Route {
        Route(
            .get, "/v1/enrolments/{id}/programmes/{programme}", who: .participant, tag: "Programmes",
            summary: "Get one programme with its practices",
            description: """
                The structure of a practice is at `/v1/enrolments/{id}/questionnaires/{code}`. A withdrawn programme \
                does not exist for this route; its entries stay readable.
                """,
            parameters: [.enrolment, Self.programme],
            outcomes: [
                .json(.ok, "The programme.", ProgrammeResponse.schema, headers: [Outcome.entityTag])
            ], problems: [.notFound]
        ) { call in
            let participant = try await service.participant(call)
            let code = try call.text("programme")
            guard let programme = participant.programmes.first(where: { $0.code == code }) else {
                throw Problem(.notFound)
            }
            let progress = try await service.progress(in: programme.modules, of: participant)
            let ratings = try await service.ratings(of: programme.modules, by: participant)
            let modules = programme.modules.compactMap { participant.study.questionnaire($0) }.map {
                ProgrammeResponse.json(
                    $0, participant, progress: progress[$0.code], rating: ratings[$0.code])
            }
            var body = ProgrammeResponse.json(
                programme, participant, modules: .array(modules), progress: progress,
                isRecommended: programme.isAmong(try await recommended(for: participant, call)))
            body["introduction"] = .optional(
                programme.words(in: participant.enrolment.language).introduction, JSON.string)
            return .json(.ok, .object(body), entityTag: EntityTag(of: .object(body)))
        }
    }

    var entries: Route {
        Route(
            .get, "/v1/enrolments/{id}/programmes/{programme}/entries", who: .participant, tag: "Programmes",
            summary: "List what a participant wrote in a programme",
            description: """
                The participant's answers to the practices of the programme, the last completed first. Each answer has \
                the text of its question in the version and the language in which the participant read it. The entries \
                of a withdrawn programme stay readable. Only answered questions are listed.
                """,
            parameters: [.enrolment, Self.programme], query: [.limit, .cursor],
            outcomes: [
                .json(.ok, "A page of entries.", .page(of: ProgrammeResponse.entrySchema))
            ], problems: [.notFound]
        ) { call in
            let participant = try await service.participant(call)
            let code = try call.text("programme")
            let practices = try await service.practices(of: code, participant)
            let (items, next) = try await service.entries(
                of: practices, participant, after: try call.listPosition(), limit: call.pageLimit)
            return .page(
                items, next: next?.cursor,
                path: "/v1/enrolments/\(participant.enrolment.id)/programmes/\(code)/entries",
                query: call.pageQuery, publicURL: context.configuration.publicURL)
        }
    }

    var recommendations: Route {
        Route(
            .get, "/v1/enrolments/{id}/recommendations", who: .participant, tag: "Programmes",
            summary: "List what is recommended to a participant",
            description: """
                The recommendations of the live edition: those of models in descending order of their scores, those of \
                rules whose condition is true, and the table that is the same for everyone, in the order that the study \
                states. Each code appears once. A model with a variable that has no value is skipped. Withdrawn \
                programmes, and practices that the participant's study version does not have, are left out. The list \
                changes with the participant's data.

                When an app shows a recommendation, it sends the usage event `content_shown` with the collection \
                `recommendations`, the code as `item`, and `why` and `rank` as `properties`.
                """,
            parameters: [.enrolment],
            outcomes: [
                .json(
                    .ok, "The recommendations, the first one first.",
                    .page(of: ProgrammeResponse.recommendationSchema), headers: [Outcome.entityTag])
            ], problems: [.notFound]
        ) { call in
            let participant = try await service.participant(call)
            let items = try await service.recommendations(for: participant, at: call.now).compactMap {
                ProgrammeResponse.json($0, participant)
            }
            let body: JSON = ["items": .array(items), "next": nil]
            return .json(.ok, body, entityTag: EntityTag(of: body))
        }
    }

    private func recommended(
        for participant: ProgrammeService.Participant, _ call: Call<Identity>
    ) async throws -> Set<String> {
        Set(try await service.recommendations(for: participant, at: call.now).map(\.code))
    }
}

extension Programme {
    /// Whether the programme or one of its practices is among these codes.
    fileprivate func isAmong(_ codes: Set<String>) -> Bool {
        codes.contains(code) || modules.contains(where: codes.contains)
    }
}
