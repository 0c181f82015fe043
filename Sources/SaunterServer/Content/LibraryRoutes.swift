import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes for the content library: collections that anyone can read, and those of a participant.
struct LibraryRoutes: Sendable {
    let context: ServerContext

    private var service: LibraryService { LibraryService(context: context) }

    private static let collection = PathParameter.text(
        "collection", "The code of a collection.", example: "quotes")

    // MARK: - Anyone

    var publicList: Route {
        Route(
            .get, "/v1/studies/{study}/library/{collection}", who: .anyone, tag: "Library",
            summary: "List a collection that anyone can read",
            description: """
                Only collections that the study shows to anyone exist for this route, such as contacts for a crisis. The \
                texts are in the first language of Accept-Language that the study offers.
                """,
            parameters: [.study, Self.collection],
            outcomes: [
                .json(
                    .ok, "All items in their order.",
                    .page(of: LibraryResponse.itemSchema, LibraryResponse.collectionMembers),
                    headers: [Outcome.entityTag])
            ]
        ) { call in
            let (study, opened) = try await openPublic(call)
            let language = context.language(
                call.headers[.acceptLanguage], of: study.languages, fallback: study.languages[0])
            let items = Self.items(
                of: opened.collection, language, variant: nil, entitlements: [],
                mediaPath: Self.publicMediaPath)
            let body = Self.body(opened, language, items)
            return .json(.ok, body, headers: [.vary: "Accept-Language"], entityTag: EntityTag(of: body))
        }
    }

    var publicToday: Route {
        Route(
            .get, "/v1/studies/{study}/library/{collection}/today", who: .anyone, tag: "Library",
            summary: "Get today's item of a collection that anyone can read",
            description: """
                The item is the same for everyone, and changes at midnight in the zone of the study. An app that has no \
                connection after `valid_until` states that the item is from an earlier day.
                """,
            parameters: [.study, Self.collection],
            outcomes: [
                .json(.ok, "The item.", LibraryResponse.publicDaySchema, headers: [Outcome.entityTag])
            ]
        ) { call in
            let (study, opened) = try await openPublic(call)
            guard opened.collection.selections.contains(.dailyForStudy),
                let today = service.today(in: opened, of: study, at: call.now)
            else { throw Problem(.notFound) }
            let language = context.language(
                call.headers[.acceptLanguage], of: study.languages, fallback: study.languages[0])
            var body = Self.dayBody(
                today.date, today.shown, today.validUntil, language, variant: nil, entitlements: [],
                mediaPath: Self.publicMediaPath)
            // `fields` is the member of the item.
            for member in Self.head(opened, language) where member.name != "fields" {
                body[member.name] = member.value
            }
            return .json(
                .ok, .object(body), headers: [.vary: "Accept-Language"],
                entityTag: EntityTag(of: .object(body)))
        }
    }

    private func openPublic(_ call: Call<Anyone>) async throws -> (Study, LibraryService.Opened) {
        guard let live = try await context.catalogue.findLive(call.text("study")) else {
            throw Problem(.notFound)
        }
        let study = live.published.study
        let opened = try await service.open(call.text("collection"), of: study)
        guard opened.collection.isPublic else { throw Problem(.notFound) }
        return (study, opened)
    }

    // MARK: - Participants

    var list: Route {
        Route(
            .get, "/v1/enrolments/{id}/library", who: .participant, tag: "Library",
            summary: "List the collections of a participant",
            description: """
                A collection has a new `etag` when one of its items has changed. An app keeps the collections with \
                `offline`, and the items of the next days (`today?days=14`), for times without a connection.
                """,
            parameters: [.enrolment],
            outcomes: [
                .json(
                    .ok, "One entry for each collection.",
                    .page(
                        of: LibraryResponse.summarySchema,
                        [
                            .required(
                                "edition", .nullable(.integer(min: 1)),
                                "The live edition; null if the study has no library.")
                        ]))
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let study = try await context.study(of: enrolment).study
            let entitlements = try await context.entitlements(of: enrolment, at: call.now)
            let edition = try await context.content.findLive(study)
            let items = (edition?.library.collections ?? []).map { collection in
                var summary = collection.summary(in: enrolment.language)
                summary["etag"] = .string(
                    EntityTag(
                        of: .array(
                            Self.items(
                                of: collection, enrolment.language, variant: nil,
                                entitlements: entitlements, mediaPath: Self.mediaPath(enrolment)))
                    ).value)
                return JSON.object(summary)
            }
            return .json(
                .ok,
                ["items": .array(items), "next": nil, "edition": .optional(edition?.edition, JSON.int)])
        }
    }

    var items: Route {
        Route(
            .get, "/v1/enrolments/{id}/library/{collection}", who: .participant, tag: "Library",
            summary: "List the items of a collection",
            description: """
                Returns the items that the study offers to this participant, in the order of the collection. All pages \
                of a list are from one edition, even if a new one is published in between. An item with `locked` needs \
                an entitlement that the participant does not have; it has only its heading and no media.
                """,
            parameters: [.enrolment, Self.collection], query: [.limit, .cursor],
            outcomes: [
                .json(
                    .ok, "A page of items.",
                    .page(of: LibraryResponse.itemSchema, LibraryResponse.collectionMembers))
            ], problems: [.notFound]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let study = try await context.study(of: enrolment)
            let code = try call.text("collection")
            let (opened, start) = try await page(call, code, study.study)
            let entitlements = try await context.entitlements(of: enrolment, at: call.now)
            let candidates = Set(
                try await service.candidates(
                    in: opened, for: enrolment, study, entitlements: nil, at: call.now
                ).map(\.id))
            let variant = try await service.variant(of: opened.collection, for: enrolment, study)
            let all = opened.collection.items.enumerated().filter { candidates.contains($0.element.id) }
            let rest = all.drop { $0.offset < start }
            let page = rest.prefix(call.pageLimit)
            let next =
                page.count < rest.count
                ? page.last.map { Cursor([String(opened.edition), String($0.offset + 1)]) } : nil
            let language = enrolment.language
            return .page(
                page.map { index, item in
                    .object(
                        opened.collection.json(
                            of: item, order: index + 1, in: language, variant: variant,
                            entitlements: entitlements, mediaPath: Self.mediaPath(enrolment)))
                }, next: next, path: "/v1/enrolments/\(enrolment.id)/library/\(code)",
                query: call.pageQuery, publicURL: context.configuration.publicURL,
                more: Self.head(opened, language))
        }
    }

    /// The collection in the edition of the cursor, or in the live edition, and the index of the first item.
    private func page(
        _ call: Call<Identity>, _ code: String, _ study: Study
    ) async throws -> (LibraryService.Opened, Int) {
        guard let cursor = try call.cursor(parts: 2) else {
            return (try await service.open(code, of: study), 0)
        }
        guard let number = Int(cursor.parts[0]), let start = Int(cursor.parts[1]), start >= 0,
            let edition = try await context.content.find(number, of: study),
            let collection = edition.library.collection(code)
        else { throw Problem.invalidCursor }
        return (LibraryService.Opened(collection: collection, edition: number), start)
    }

    var today: Route {
        Route(
            .get, "/v1/enrolments/{id}/library/{collection}/today", who: .participant, tag: "Library",
            summary: "Get the items of today and of the next days",
            description: """
                Each local date has one item, the same on all devices. No item is repeated before all were shown. With \
                `days`, the items of the next dates are selected now, so that an app can show them without a connection. \
                The list is empty if the collection has no item for the participant, or after the participant has left.
                """,
            parameters: [.enrolment, Self.collection],
            query: [
                QueryParameter(
                    "days", .integer(min: 1, max: LibraryService.maximumDays),
                    "The number of local dates, including today. The default is 1.")
            ],
            outcomes: [
                .json(
                    .ok, "One entry for each local date, from today on.",
                    .page(of: LibraryResponse.daySchema, LibraryResponse.collectionMembers),
                    headers: [Outcome.entityTag])
            ], problems: [.notFound]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let study = try await context.study(of: enrolment)
            let opened = try await service.open(call.text("collection"), of: study.study)
            let language = enrolment.language
            let entitlements = try await context.entitlements(of: enrolment, at: call.now)
            let items: [JSON]
            if opened.collection.selections.contains(.dailyForStudy) {
                items =
                    service.today(in: opened, of: study.study, at: call.now).map { today in
                        [
                            .object(
                                Self.dayBody(
                                    today.date, today.shown, today.validUntil, language, variant: nil,
                                    entitlements: entitlements, mediaPath: Self.mediaPath(enrolment)))
                        ]
                    } ?? []
            } else {
                guard opened.collection.selections.contains(.dailyForParticipant) else {
                    throw Problem(.notFound, "The collection has no item of the day.")
                }
                let variant = try await service.variant(of: opened.collection, for: enrolment, study)
                items = try await service.days(
                    call.queryInt("days") ?? 1, in: opened, for: enrolment, study,
                    entitlements: entitlements, at: call.now
                ).map { date, shown in
                    .object(
                        Self.dayBody(
                            date, shown, enrolment.zone.startOfDay(date.adding(days: 1)), language,
                            variant: variant, entitlements: entitlements,
                            mediaPath: Self.mediaPath(enrolment)))
                }
            }
            let body = Self.body(opened, language, items)
            return .json(.ok, body, entityTag: EntityTag(of: body))
        }
    }

    var draw: Route {
        Route(
            .put, "/v1/enrolments/{id}/library/{collection}/draws/{draw}", who: .participant, tag: "Library",
            summary: "Get the next item of a collection",
            description: """
                The client chooses a new id for each draw. The same id returns the same item. No item is repeated before \
                all were shown, and an item that is new in the collection comes next.
                """,
            parameters: [
                .enrolment, Self.collection, .uuid("draw", "The id of the draw, chosen by the client."),
            ],
            outcomes: [
                .json(.created, "A new draw.", LibraryResponse.drawSchema),
                .json(.ok, "The draw was stored before.", LibraryResponse.drawSchema),
            ], problems: [.notFound, .enrolmentWithdrawn]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let study = try await context.study(of: enrolment)
            let opened = try await service.open(call.text("collection"), of: study.study)
            guard opened.collection.selections.contains(.draw) else {
                throw Problem(.notFound, "Items of this collection cannot be drawn.")
            }
            guard enrolment.state == .active else { throw Problem(.enrolmentWithdrawn) }
            let id: ID<ContentDraw> = try call.id("draw")
            let entitlements = try await context.entitlements(of: enrolment, at: call.now)
            let (shown, isNew) = try await service.draw(
                id.uuid, in: opened, for: enrolment, study, entitlements: entitlements, at: call.now)
            let variant = try await service.variant(of: shown.collection, for: enrolment, study)
            var body = shown.collection.json(
                of: shown.item, in: enrolment.language, variant: variant, entitlements: entitlements,
                mediaPath: Self.mediaPath(enrolment))
            body["draw_id"] = .id(id)
            body["replayed"] = .bool(!isNew)
            return .json(isNew ? .created : .ok, .object(body))
        }
    }

    private enum ContentDraw {}

    // MARK: - Bodies

    private static let publicMediaPath = "/v1/media/"

    private static func mediaPath(_ enrolment: Enrolment) -> String {
        "/v1/enrolments/\(enrolment.id)/media/"
    }

    private static func items(
        of collection: ContentCollection, _ language: String, variant: String?, entitlements: Set<String>,
        mediaPath: String
    ) -> [JSON] {
        collection.items.enumerated().map { index, item in
            .object(
                collection.json(
                    of: item, order: index + 1, in: language, variant: variant,
                    entitlements: entitlements, mediaPath: mediaPath))
        }
    }

    private static func head(_ opened: LibraryService.Opened, _ language: String) -> JSONObject {
        [
            "collection": .string(opened.collection.code),
            "title": .string(opened.collection.title(in: language)), "language": .string(language),
            "edition": .int(opened.edition), "fields": opened.collection.fieldsJSON,
        ]
    }

    private static func body(
        _ opened: LibraryService.Opened, _ language: String, _ items: [JSON]
    ) -> JSON {
        var body: JSONObject = ["items": .array(items), "next": nil]
        for member in head(opened, language) { body[member.name] = member.value }
        return .object(body)
    }

    private static func dayBody(
        _ date: LocalDate, _ shown: LibraryService.Shown, _ validUntil: Instant, _ language: String,
        variant: String?, entitlements: Set<String>, mediaPath: String
    ) -> JSONObject {
        var body = shown.collection.json(
            of: shown.item, in: language, variant: variant, entitlements: entitlements, mediaPath: mediaPath)
        body["local_date"] = .string(date.description)
        body["valid_until"] = .instant(validUntil)
        return body
    }
}
