import Crypto
import Foundation
import HTTPTypes
import SaunterCore
import SaunterServer

/// What a device keeps for times without a connection: which pages, and when which questionnaire can be answered.
struct OfflinePlan: Sendable {
    /// One visit prepares a device for this many days.
    private static let days = 14
    /// Pages of a participant, besides those of the navigation, whose content does not depend on a choice.
    private static let pages = ["/more", "/course", "/licences", "/messages"]
    private static let walkPages = ["/walk", "/walk/calibrate"]

    let context: PageContext

    /// The documents with their digests, and the occasions of the next 14 days. A page without a digest changes often.
    var plan: Route {
        context.get("/my/{id}/plan") { request in
            var request = request
            guard let identity = request.identity else { throw LoginNeeded() }
            try await context.server.planAhead(
                try request.path("id"), of: identity.account, days: Self.days, now: request.call.now)
            let participant = try await request.participant()
            let overview = try await request.get("\(participant.resource)/overview")
            let occasions = try await occasions(participant, request)
            let items = overview["items"]?.array ?? []
            let codes = Set(
                items.compactMap { $0["questionnaire"]?.string }
                    + occasions.compactMap { $0["questionnaire"]?.string })
            var documents: [JSON] = []
            for code in codes.sorted() {
                if let document = try await document(code, participant, request) {
                    documents.append(document)
                }
            }
            let contents = try await request.get("\(participant.resource)/library")
            let library = contents["items"]?.array ?? []
            documents += try await programmes(edition: contents["edition"] ?? .null, participant, request)
            let collections = library.filter {
                $0["offline"]?.bool == true || ($0["select"]?.array ?? []).contains("daily")
            }.compactMap { $0["collection"]?.string }
            let pages =
                ["/unsent"] + participant.frame(request.words, current: "").navigation.map(\.address)
                + Self.pages.map { participant.home + $0 }
                + collections.map { "\(participant.home)/c/\($0)" }
                + (participant.hasProgrammes ? [participant.home + ProgrammePages.path] : [])
                + (participant.study["walking"]?.object == nil
                    ? [] : Self.walkPages.map { participant.home + $0 })
            var seen = Set(documents.compactMap { $0["address"]?.string })
            documents += pages.filter { seen.insert($0).inserted }.map { ["address": .string($0)] }
            return .json(
                .ok,
                [
                    "account": .string(PageRenderer.deviceAccount(of: identity)),
                    "as_of": .string(request.call.now.description),
                    "home": .string(participant.home), "title": .string(participant.studyTitle),
                    "time_zone": overview["time_zone"] ?? .null, "study_day": overview["study_day"] ?? .null,
                    "days": participant.study["days"] ?? .null,
                    "documents": .array(documents), "occasions": .array(occasions),
                    "content": .array(try await content(library, participant, request)),
                    "contacts": .optional(participant.contacts, JSON.string),
                    "questionnaires": .array(
                        items.map { item in
                            [
                                "questionnaire": item["questionnaire"] ?? .null,
                                "title": item["title"] ?? .null,
                                "minutes": .string(minutes(item, request)),
                            ]
                        }),
                    "locked": .array(
                        items.filter { $0["locked"]?.bool == true }.compactMap { $0["questionnaire"] }),
                    "walk_leads_to": .array(walkLeadsTo(items)),
                ], headers: [.cacheControl: "no-store"])
        }
    }

    /// The cards of the next 14 days: collection, local date and texts.
    private func content(
        _ library: [JSON], _ participant: Participant, _ request: PageRequest
    ) async throws -> [JSON] {
        var cards: [JSON] = []
        for summary in library where (summary["select"]?.array ?? []).contains("daily") {
            let code = summary["collection"]?.string ?? ""
            let path = "\(participant.resource)/library/\(PageAddress.encodePart(code))/today"
            for day in try await request.get(path, query: "days=\(Self.days)")["items"]?.array ?? [] {
                var card = ContentCard(day, fields: summary["fields"]).plain.object ?? [:]
                card["collection"] = .string(code)
                card["local_date"] = day["local_date"]
                cards.append(.object(card))
            }
        }
        return cards
    }

    /// The questionnaires that open after a walk. A device that has an unsent walk offers them before the server plans
    /// them.
    private func walkLeadsTo(_ items: [JSON]) -> [JSON] {
        items.filter { $0["disabled_reason"]?.string == "prerequisite" && $0["opens_at"]?.string == nil }
            .compactMap { $0["questionnaire"] }
    }

    private func minutes(_ item: JSON, _ request: PageRequest) -> String {
        request.words.text(
            "today", "minutes", ["minutes": request.words.number(item["minutes"]?.double ?? 1)])
    }

    /// The occasions of the next 14 days that are not answered, with what the script needs of them.
    private func occasions(_ participant: Participant, _ request: PageRequest) async throws -> [JSON] {
        let end = request.call.now.adding(seconds: Self.days * 86_400)
        let all = try await request.list(
            "\(participant.resource)/occasions", query: "limit=1000&from=\(request.call.now)&to=\(end)")
        return all.filter { $0["completed_at"]?.string == nil }.map { occasion in
            var kept: JSONObject = [:]
            for name in [
                "occasion_id", "questionnaire", "local_date", "opens_at", "due_at", "closes_at", "state",
            ] {
                kept[name] = occasion[name]
            }
            return .object(kept)
        }
    }

    /// The document of a questionnaire. It serves every occasion of the questionnaire. Its digest changes with the
    /// texts, the pages of a release, the language, the zone and the permitted kinds of data.
    private func document(_ code: String, _ participant: Participant, _ request: PageRequest) async throws
        -> JSON?
    {
        let stored: LocalReply
        do {
            stored = try await request.send(
                .get, "\(participant.resource)/questionnaires/\(PageAddress.encode(code))")
        } catch let problem as Problem where [.notFound, .entitlementRequired].contains(problem.type) {
            // A later version of the study no longer asks it, or it is locked. The device deletes what it kept.
            return nil
        }
        return [
            "address": .string("\(participant.home)/q/\(PageAddress.encode(code))"),
            "questionnaire": .string(code),
            "digest": .string(digest(of: [stored.entityTag ?? ""], participant, request)),
        ]
    }

    /// The pages of programmes. The digest of one changes with the words, and with what the participant has done.
    private func programmes(
        edition: JSON, _ participant: Participant, _ request: PageRequest
    ) async throws -> [JSON] {
        guard participant.hasProgrammes else { return [] }
        let model = ProgrammeModel(participant, words: request.words, now: request.call.now)
        let items = try await request.get("\(participant.resource)/programmes")["items"]?.array ?? []
        return items.filter { $0["locked"]?.bool != true }.map { item in
            [
                "address": .string(model.address(of: item["programme"]?.string ?? "")),
                "digest": .string(digest(of: [edition.text, item.text], participant, request)),
            ]
        }
    }

    /// Identifies the content of a page: its own parts, the release, and what the participant has chosen.
    private func digest(of parts: [String], _ participant: Participant, _ request: PageRequest) -> String {
        let enrolment = participant.enrolment
        let all =
            parts + [
                context.renderer.release, request.words.code, enrolment["time_zone"]?.string ?? "",
                (enrolment["data_kinds"] ?? .null).text, enrolment["study_version"]?.string ?? "",
            ]
        return String(Hex.encode(SHA256.hash(data: Data(all.joined(separator: "|").utf8))).prefix(16))
    }

    // MARK: - Leaving the device

    /// The key with which the script encrypts unsent records before it logs out. It needs a session, so a person who
    /// finds the device cannot read them.
    var key: Route {
        context.get("/device/key") { request in
            let identity = try request.requireIdentity()
            return .json(
                .ok,
                [
                    "account": .string(PageRenderer.deviceAccount(of: identity)),
                    "key": .string(Data(context.server.deviceKey(of: identity)).base64EncodedString()),
                ], headers: [.cacheControl: "no-store"])
        }
    }
}
