import HTTPTypes
import SaunterCore
import SaunterServer

/// The pages of programmes: what there is to discover, one programme with its practices, and the participant's own
/// answers in it. A practice is a question document; see `AnswerPages`.
struct ProgrammePages: Sendable {
    let context: PageContext

    /// What is recommended, then all programmes.
    var programmes: Route {
        context.get("/my/{id}/programmes") { request in
            var request = request
            let participant = try await request.participant()
            let items = try await request.get("\(participant.resource)/programmes")["items"]?.array ?? []
            let recommended =
                participant.isActive
                ? try await request.get("\(participant.resource)/recommendations")["items"]?.array ?? [] : []
            let model = ProgrammeModel(participant, words: request.words, now: request.call.now)
            return context.renderer.page(
                "programmes", title: Self.title(participant, request),
                [
                    "recommended": recommended.map { model.recommendation($0, programmes: items) },
                    "has_recommended": !recommended.isEmpty, "programmes": items.map { model.card($0) },
                    "has_programmes": !items.isEmpty,
                ],
                frame: participant.frame(
                    request.words, current: ProgrammePages.path, modules: ["today", "shown"]), of: request)
        }
    }

    /// The address of the list below that of the participant.
    static let path = "/programmes"

    /// The name of the list: that of the study's feature.
    private static func title(_ participant: Participant, _ request: PageRequest) -> String {
        participant.features.first { $0.path == path }?.title ?? request.words.text("programmes", "title")
    }

    /// The introduction of a programme, and its practices in order.
    var programme: Route {
        context.get("/my/{id}/programmes/{programme}") { request in
            var request = request
            let participant = try await request.participant()
            let programme = try await request.get(Self.resource(participant, request))
            let model = ProgrammeModel(participant, words: request.words, now: request.call.now)
            return context.renderer.page(
                "programme", title: programme["title"]?.string ?? "", model.page(programme),
                frame: participant.frame(
                    request.words, current: Self.path, back: participant.home + Self.path, modules: ["today"]),
                of: request)
        }
    }

    private static func resource(_ participant: Participant, _ request: PageRequest) throws -> String {
        "\(participant.resource)/programmes/\(PageAddress.encodePart(try request.path("programme")))"
    }

    /// The participant's own answers in a programme, also in one that has left the list.
    var entries: Route {
        context.get("/my/{id}/programmes/{programme}/entries", query: ["cursor"]) { request in
            var request = request
            let participant = try await request.participant()
            let resource = try Self.resource(participant, request)
            let query = request.call.query("cursor").map { "cursor=\(PageAddress.encode($0))" }
            let found = try await request.get("\(resource)/entries", query: query)
            let items = found["items"]?.array ?? []
            let title = try await programmeTitle(resource, request)
            let model = ProgrammeModel(participant, words: request.words, now: request.call.now)
            let groups = model.entries(items, edits: try await edits(of: items, participant, request))
            var values: [String: Any] = [
                "practices": groups, "has_entries": !groups.isEmpty, "time_zone": participant.zone.id,
                "programme": title.map { ["title": $0] } ?? false,
            ]
            let address = model.address(of: try request.path("programme"))
            values["next"] = found["next"]?.string.map {
                "\(address)/entries?cursor=\(PageAddress.encode($0))"
            }
            return context.renderer.page(
                "programme_entries", title: request.words.text("programmes", "entries"), values,
                frame: participant.frame(
                    request.words, current: Self.path,
                    back: title == nil ? "\(participant.home)/entries" : address),
                of: request)
        }
    }

    /// The title of a programme; nil if it has left the list.
    private func programmeTitle(_ resource: String, _ request: PageRequest) async throws -> String? {
        do {
            return try await request.get(resource)["title"]?.string
        } catch let problem as Problem where problem.type == .notFound {
            return nil
        }
    }

    /// Questionnaire -> how long its sheets can be changed.
    private func edits(
        of items: [JSON], _ participant: Participant, _ request: PageRequest
    ) async throws -> [String: JSON] {
        var edits: [String: JSON] = [:]
        for code in Set(items.compactMap { $0["questionnaire"]?.string }) {
            edits[code] = try await request.questionnaire(code, of: participant)?["edit"]
        }
        return edits
    }
}

extension PageRequest {
    /// The structure of a questionnaire; nil if the study has it no longer, or it is locked for the participant.
    func questionnaire(_ code: String, of participant: Participant) async throws -> JSON? {
        do {
            return try await get("\(participant.resource)/questionnaires/\(PageAddress.encodePart(code))")
        } catch let problem as Problem where [403, 404].contains(problem.type.status) {
            return nil
        }
    }
}
