import HTTPTypes
import SaunterCore
import SaunterServer

/// The pages about stored walks: the list, and one walk with its figure and its samples.
struct WalkPages: Sendable {
    let context: PageContext

    var walks: Route {
        context.get("/my/{id}/walks", query: ["cursor", "deleted"]) { request in
            var request = request
            let participant = try await request.participant()
            var query = "limit=50"
            if let cursor = request.call.query("cursor") { query += "&cursor=\(PageAddress.encode(cursor))" }
            let page = try await request.get("\(participant.resource)/walks", query: query)
            let time = participant.time(request.words)
            let items = (page["items"]?.array ?? []).map { walk -> [String: Any] in
                [
                    "address": "\(participant.home)/walks/\(walk["walk_id"]?.string ?? "")",
                    "title": walk["started_at"]?.instant.map { time.dayAndTime($0) } ?? "",
                    "line": WalkText(request.words).line(walk["summary"] ?? .null),
                ]
            }
            let overview = try await request.get("\(participant.resource)/overview")
            var model: [String: Any] = [
                "items": items, "has_items": !items.isEmpty, "home": participant.home,
                "may_start": overview["walk"]?["may_start"]?.bool ?? false,
                "has_walks": overview["walk"]?["reason"]?.string != "not_in_study",
                "deleted": request.call.query("deleted") != nil,
            ]
            if let cursor = page["next"]?.string.map(PageAddress.encode) {
                model["next"] = "\(participant.home)/walks?cursor=\(cursor)"
            }
            return context.renderer.page(
                "walks", title: request.words.text("nav", "walks"), model,
                frame: participant.frame(request.words, current: "/walks"), of: request)
        }
    }

    var walk: Route {
        context.get("/my/{id}/walks/{walk}") { request in
            var request = request
            let participant = try await request.participant()
            return try await page(participant, request, FormFaults(request.words))
        }
    }

    private func page(
        _ participant: Participant, _ request: PageRequest, _ faults: FormFaults
    ) async throws -> Reply {
        let walk = try await request.get(try address(participant, request))
        var model = WalkPageModel(walk, request.words).model
        model["address"] = "\(participant.home)/walks/\(walk["walk_id"]?.string ?? "")"
        for (name, value) in faults.model { model[name] = value }
        return context.renderer.page(
            "walk", title: request.words.text("walk", "one"), model,
            frame: participant.frame(
                request.words, current: "/walks", back: "\(participant.home)/walks", modules: ["walk"],
                styles: ["walk"]),
            of: request, status: faults.status)
    }

    /// The address of the walk in the API.
    private func address(_ participant: Participant, _ request: PageRequest) throws -> String {
        "\(participant.resource)/walks/\(PageAddress.encode(try request.path("walk")))"
    }

    /// The samples of a walk as a file for a spreadsheet.
    var samples: Route {
        context.get("/my/{id}/walks/{walk}/samples.csv") { request in
            var request = request
            let participant = try await request.participant()
            let walk = try await request.get(try address(participant, request))
            return WalkSamples.file(of: walk, name: "walk")
        }
    }

    var delete: Route {
        context.post("/my/{id}/walks/{walk}") { request in
            var request = request
            let participant = try await request.participant()
            guard request.field("confirmed") == "on" else {
                var faults = FormFaults(request.words)
                faults.add(request.words.text("walk", "confirm_delete"), field: "confirmed")
                return try await page(participant, request, faults)
            }
            try await request.send(.delete, try address(participant, request))
            return PageRenderer.redirect("\(participant.home)/walks?deleted=1")
        }
    }
}
