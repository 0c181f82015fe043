import SaunterCore
import SaunterServer

/// What follows a practice: how the participant found it, and the way back to its programmes.
struct PracticeEnd {
    /// The practice's sheet that the occasions follow.
    private let origin: String
    private let questionnaire: String
    private let participant: Participant
    private let request: PageRequest

    /// Finds the practice that a new sheet is about: the sheet itself, or the one that its occasion follows.
    /// - Parameters:
    ///   - sheet: the sheet that was just sent.
    ///   - context: finds the programmes of the practice.
    /// - Returns: the values of the template; nil if the sheet is not about a practice.
    static func values(
        after sheet: JSON, _ participant: Participant, _ request: PageRequest, _ context: PageContext
    ) async throws -> [String: Any]? {
        let id = sheet["sheet_id"]?.string ?? ""
        let code = sheet["questionnaire"]?.string ?? ""
        // Windows that closed more than a day ago do not matter here.
        let from = request.call.now.adding(seconds: -86_400)
        if let programmes = try await context.server.programmes(with: code, of: participant.id) {
            let occasions = try await request.list(
                "\(participant.resource)/occasions", query: "limit=1000&from=\(from)")
            return try await PracticeEnd(
                origin: id, questionnaire: code, participant: participant, request: request
            ).values(
                occasions, order: try await context.server.scheduleOrder(of: participant.id),
                programmes: programmes, isPractice: true)
        }
        guard participant.hasProgrammes, let occasion = sheet["occasion_id"]?.string else { return nil }
        let occasions = try await request.list(
            "\(participant.resource)/occasions", query: "limit=1000&from=\(from)")
        guard let followed = Self.origin(of: occasion, in: occasions) else { return nil }
        let origin = try await request.get(
            "\(participant.resource)/answer-sheets/\(PageAddress.encode(followed))")
        let practice = origin["questionnaire"]?.string ?? ""
        guard let programmes = try await context.server.programmes(with: practice, of: participant.id) else {
            return nil
        }
        return try await PracticeEnd(
            origin: followed, questionnaire: practice, participant: participant, request: request
        ).values(
            occasions, order: try await context.server.scheduleOrder(of: participant.id),
            programmes: programmes, isPractice: false)
    }

    /// The sheet that an occasion follows; nil if it follows none.
    static func origin(of occasion: String, in occasions: [JSON]) -> String? {
        occasions.first { $0["occasion_id"]?.string == occasion }?["follows_sheet"]?.string
    }

    /// The occasions that a sheet has opened and that can be answered now, each questionnaire once.
    /// - Parameter order: the ids of the schedules in the order of the study. Occasions that open at the same instant
    ///   have no other order that means something.
    static func open(after sheet: String, in occasions: [JSON], order: [String]) -> [JSON] {
        let open = occasions.filter {
            $0["follows_sheet"]?.string == sheet && ["open", "overdue"].contains($0["state"]?.string)
        }
        let rank = { (occasion: JSON) in
            order.firstIndex(of: occasion["schedule"]?.string ?? "") ?? order.count
        }
        var seen: Set<String> = []
        return open.sorted { rank($0) < rank($1) }
            .filter { seen.insert($0["questionnaire"]?.string ?? "").inserted }
    }

    /// - Parameters:
    ///   - order: the ids of the schedules in the order of the study.
    ///   - isPractice: whether the new sheet is that of the practice itself.
    private func values(
        _ occasions: [JSON], order: [String], programmes: [String], isPractice: Bool
    ) async throws -> [String: Any] {
        let open = Self.open(after: origin, in: occasions, order: order)
        let titles =
            open.isEmpty
            ? [:] : MessageList.titles(try await request.get("\(participant.resource)/overview"))
        let model = ProgrammeModel(participant, words: request.words, now: request.call.now)
        var ways: [[String: Any]] = []
        for code in programmes {
            let found = try await request.get(
                "\(participant.resource)/programmes/\(PageAddress.encodePart(code))")
            let next = ProgrammeModel.next(after: questionnaire, in: found["modules"]?.array ?? [])
            ways.append([
                "title": found["title"]?.string ?? code, "address": model.address(of: code),
                "next": next.map { module -> [String: Any] in
                    let practice = module["questionnaire"]?.string ?? ""
                    return [
                        "title": module["topic"]?.string ?? practice,
                        "address": model.address(ofPractice: practice),
                    ]
                } ?? false,
            ])
        }
        return [
            "is_practice": isPractice, "has_open": !open.isEmpty,
            "open": open.map { occasion -> [String: Any] in
                let code = occasion["questionnaire"]?.string ?? ""
                return [
                    "title": titles[code] ?? code,
                    "address": "\(participant.home)/o/\(occasion["occasion_id"]?.string ?? "")",
                ]
            },
            "ways": ways, "has_ways": !ways.isEmpty, "all": "\(participant.home)\(ProgrammePages.path)",
        ]
    }
}
