import Foundation
import HTTPTypes
import SaunterCore
import SaunterServer

/// Pages of collections: the card of the day, a new card on request, and the list.
struct LibraryPages: Sendable {
    let context: PageContext

    var collection: Route {
        context.get("/my/{id}/c/{collection}", query: ["draw"]) { request in
            var request = request
            let participant = try await request.participant()
            let summary = try await Self.summary(participant, request)
            let code = summary["collection"]?.string ?? ""
            let path = "\(participant.resource)/library/\(PageAddress.encodePart(code))"
            let select = (summary["select"]?.array ?? []).compactMap(\.string)
            var model: [String: Any] = ["home": participant.home, "collection": code]
            let drawn = request.call.query("draw").flatMap { UUID(uuidString: $0)?.uuidString.lowercased() }
            if let drawn, select.contains("draw"), participant.isActive {
                let item = try await request.send(.put, "\(path)/draws/\(drawn)").json
                model["card"] = ContentCard(item, fields: summary["fields"]).values(level: 2)
            } else if select.contains("daily") {
                let today = try await request.get("\(path)/today")["items"]?.array?.first
                model["card"] = today.map { ContentCard($0, fields: summary["fields"]).values(level: 2) }
                model["of_day"] = today?["local_date"]?.string.map { participant.time(request.words).day($0) }
            }
            if select.contains("draw"), participant.isActive {
                model["another"] = "\(participant.home)/c/\(PageAddress.encodePart(code))"
            }
            if select.contains("list") {
                let items = try await request.list(path, query: "limit=1000").map {
                    ContentCard($0, fields: summary["fields"]).values(level: 3)
                }
                model["items"] = items
                model["has_items"] = !items.isEmpty
            }
            model["is_empty"] =
                model["card"] == nil && model["another"] == nil && model["has_items"] as? Bool != true
            return context.renderer.page(
                "collection", title: summary["title"]?.string ?? code, model,
                frame: participant.frame(
                    request.words, current: "/c/\(code)", modules: ["shown"]), of: request)
        }
    }

    /// Draws a new item. Loading the page again shows the same one.
    var draw: Route {
        context.post("/my/{id}/c/{collection}") { request in
            var request = request
            let participant = try await request.participant()
            let code = PageAddress.encodePart(try request.path("collection"))
            return PageRenderer.redirect(
                "\(participant.home)/c/\(code)?draw=\(UUID().uuidString.lowercased())")
        }
    }

    private static func summary(_ participant: Participant, _ request: PageRequest) async throws -> JSON {
        let code = try request.path("collection")
        let all = try await request.get("\(participant.resource)/library")["items"]?.array ?? []
        guard let found = all.first(where: { $0["collection"]?.string == code }) else {
            throw Problem(.notFound)
        }
        return found
    }

    /// The contacts of a study for a crisis. They need no account. Those of the visitor's country come first: the one
    /// that the address states, otherwise those of the browser's languages.
    var contacts: Route {
        context.get("/studies/{study}/contacts", query: ["country"]) { request in
            let code = try request.path("study")
            let study = try await request.get("/v1/studies/\(PageAddress.encode(code))")
            guard let collection = study["contacts"]?.string else { throw Problem(.notFound) }
            let list = try await request.get(
                "/v1/studies/\(PageAddress.encode(code))/library/\(PageAddress.encodePart(collection))")
            let items = list["items"]?.array ?? []
            let countries = request.call.query("country").map { Set([$0.uppercased()]) }
            let regions = countries ?? Countries.countries(in: request.call.headers[.acceptLanguage])
            let isNear = { (item: JSON) in
                item["fields"]?["region"]?.string.map { regions.contains($0.uppercased()) } ?? true
            }
            let near = items.filter(isNear)
            let cards = { (items: [JSON]) in
                items.map { item -> [String: Any] in
                    var values = ContentCard(item, fields: list["fields"]).values(level: 2)
                    values["region"] = item["fields"]?["region"]?.string
                    return values
                }
            }
            var model: [String: Any] = ["study": code]
            model["near"] = cards(near.isEmpty ? items : near)
            let far = near.isEmpty ? [] : items.filter { !isNear($0) }
            if !far.isEmpty { model["far"] = ["items": cards(far)] }
            return context.renderer.page(
                "contacts", title: list["title"]?.string ?? "", model,
                frame: PageFrame(
                    studyTitle: study["title"]?.string,
                    home: request.identity == nil ? "/studies/\(code)" : "/studies/\(code)/my",
                    isLoggedIn: request.identity != nil, back: "/studies/\(code)", look: StudyLook(study)),
                of: request)
        }
    }
}

extension PageRequest {
    /// The cards of today of all collections that have one, in the order of the library.
    func cardsOfDay(_ participant: Participant) async throws -> [[String: Any]] {
        let library = try await get("\(participant.resource)/library")["items"]?.array ?? []
        var cards: [[String: Any]] = []
        for summary in library where (summary["select"]?.array ?? []).contains("daily") {
            let code = summary["collection"]?.string ?? ""
            let path = "\(participant.resource)/library/\(PageAddress.encodePart(code))/today"
            guard let today = try await get(path)["items"]?.array?.first else { continue }
            var card = ContentCard(today, fields: summary["fields"]).values(level: 3)
            card["collection"] = code
            card["collection_title"] = summary["title"]?.string ?? code
            card["date"] = today["local_date"]?.string ?? ""
            cards.append(card)
        }
        return cards
    }

    /// The cards of today that a study shows to anyone.
    /// - Parameter study: the response of `GET /v1/studies/{study}`.
    func publicCardsOfDay(_ study: JSON) async throws -> [[String: Any]] {
        var cards: [[String: Any]] = []
        for summary in study["library"]?.array ?? [] where (summary["select"]?.array ?? []).contains("daily")
        {
            let code = PageAddress.encodePart(summary["collection"]?.string ?? "")
            let today = try await get(
                "/v1/studies/\(PageAddress.encode(study["study"]?.string ?? ""))/library/\(code)/today")
            var card = ContentCard(today, fields: summary["fields"]).values(level: 3)
            card["collection_title"] = summary["title"]?.string
            card["until"] = today["valid_until"]?.string
            let day = LocalTimeText(language: words.code, zone: "UTC").day(today["local_date"]?.string ?? "")
            card["from"] = words.text("library", "from_day", ["day": day])
            cards.append(card)
        }
        return cards
    }
}
